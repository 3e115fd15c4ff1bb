//! Runs a rank's program on a thread: polls it, and parks where it waits for others.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// A program that waits is polled at least this often, so that its receives can count their time.
const TICK: Duration = Duration::from_millis(100);

/// What a program returns. Where it waits, the thread first looks for `look` whether it is woken,
/// and then parks.
pub(crate) fn block_on<F: Future>(program: F, look: Duration) -> F::Output {
    let mut program = pin!(program);
    let bell = Arc::new(Bell { thread: std::thread::current(), rung: AtomicBool::new(false) });
    let waker = Waker::from(bell.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = program.as_mut().poll(&mut context) {
            return value;
        }
        bell.wait(look);
    }
}

/// Wakes one thread.
struct Bell {
    thread: Thread,
    rung: AtomicBool,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Bell {
    /// Returns once it has rung since the last time, and after a tick at the latest.
    fn wait(&self, look: Duration) {
        let begun = Instant::now();
        loop {
            if self.rung.load(Ordering::Relaxed) && self.rung.swap(false, Ordering::Acquire) {
                return;
            }
            match begun.elapsed() {
                waited if waited < look => std::hint::spin_loop(),
                waited if waited >= TICK => return,
                waited => std::thread::park_timeout(TICK - waited),
            }
        }
    }
}

/// How long a receive still waits. It counts the time in which the rank waits with it: while the
/// rank computes, nobody polls it, and that uses up one tick at most.
pub(crate) struct Patience {
    left: Duration,
    polled: Option<Instant>,
}

impl Patience {
    pub(crate) fn new(left: Duration) -> Self {
        Self { left, polled: None }
    }

    /// Whether it has come to its end; called whenever the receive is polled.
    pub(crate) fn is_out(&mut self) -> bool {
        let now = Instant::now();
        if let Some(before) = self.polled.replace(now) {
            self.left = self.left.saturating_sub((now - before).min(TICK));
        }
        self.left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    #[test]
    fn what_another_thread_wakes_is_polled_again() {
        for look in [Duration::ZERO, Duration::from_secs(5)] {
            let mut polls = 0;
            let woken = poll_fn(|context| {
                polls += 1;
                if polls < 3 {
                    let waker = context.waker().clone();
                    std::thread::spawn(move || waker.wake());
                    return Poll::Pending;
                }
                Poll::Ready(polls)
            });
            assert_eq!(block_on(woken, look), 3);
        }
    }

    #[test]
    fn what_nobody_wakes_is_polled_after_a_tick() {
        let mut polls = 0;
        let forgotten = poll_fn(|_| {
            polls += 1;
            if polls < 2 { Poll::Pending } else { Poll::Ready(()) }
        });
        let begun = Instant::now();
        block_on(forgotten, Duration::ZERO);
        assert!(begun.elapsed() >= TICK);
    }

    #[test]
    fn patience_counts_what_was_waited_and_not_what_was_computed() {
        let mut patience = Patience::new(2 * TICK);
        assert!(!patience.is_out());
        std::thread::sleep(3 * TICK);
        assert!(!patience.is_out(), "nobody polled it for a while: one tick");
        std::thread::sleep(TICK);
        assert!(patience.is_out());
    }
}
