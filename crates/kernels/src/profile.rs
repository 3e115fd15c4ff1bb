//! What the operations of this thread cost: how often, how long, how much arithmetic.
//!
//! A rank is a thread of its own, natively and in a worker, so its log is the thread's. It is off
//! unless somebody calls [`begin`]; an operation then costs one look at whether it is on. The
//! clock comes from outside.

use std::cell::RefCell;

thread_local! {
    static LOG: RefCell<Option<Log>> = const { RefCell::new(None) };
}

/// Whether an operation is what a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Arithmetic of the model, its gradients or its parameters.
    Kernel,
    /// Messages, and waiting for them.
    Exchange,
    /// What a step would rather do without: copies, new tensors.
    Upkeep,
}

/// What one operation has cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Its name.
    pub name: &'static str,
    /// What it was done for ([`within`]); empty where that is said by the name.
    pub purpose: &'static str,
    /// What it is.
    pub kind: Kind,
    /// How often it was done.
    pub count: u64,
    /// How long it took, other operations inside it left out.
    pub nanoseconds: u64,
    /// Floating-point operations of its matrix products.
    pub flop: u64,
}

/// Starts this thread's log afresh, timed by `clock` in nanoseconds since any moment.
pub fn begin(clock: impl Fn() -> u64 + 'static) {
    let log = Log { clock: Box::new(clock), purpose: "", open: Vec::new(), spent: Vec::new() };
    LOG.set(Some(log));
}

/// Ends this thread's log: what ran since [`begin`], in the order of first use.
pub fn end() -> Vec<Spent> {
    LOG.take().map_or_else(Vec::new, |log| log.spent)
}

/// An operation under way; it ends where this is dropped.
///
/// Between two of a thread one is within the other or they share no time. So one may be held
/// over an await if nothing else that is logged runs on the thread meanwhile.
#[derive(Debug)]
#[must_use = "the operation ends where this is dropped"]
pub struct Span {
    is_logged: bool,
    /// It belongs to its thread.
    _here: std::marker::PhantomData<*const ()>,
}

/// An operation without matrix products begins.
#[inline]
pub fn span(kind: Kind, name: &'static str) -> Span {
    products(kind, name, || 0)
}

/// An operation begins whose matrix products take `flop` floating-point operations.
#[inline]
pub fn products(kind: Kind, name: &'static str, flop: impl FnOnce() -> u64) -> Span {
    let is_logged = LOG.with_borrow_mut(|log| match log {
        Some(log) => {
            log.open(kind, name, flop());
            true
        }
        None => false,
    });
    Span { is_logged, _here: std::marker::PhantomData }
}

/// Runs `work`, and says of the operations in it what they are for.
pub fn within<T>(purpose: &'static str, work: impl FnOnce() -> T) -> T {
    let swap =
        |to| LOG.with_borrow_mut(|log| log.as_mut().map(|l| std::mem::replace(&mut l.purpose, to)));
    let before = swap(purpose);
    let value = work();
    swap(before.unwrap_or_default());
    value
}

impl Drop for Span {
    fn drop(&mut self) {
        if self.is_logged {
            LOG.with_borrow_mut(|log| log.as_mut().map(Log::close));
        }
    }
}

struct Log {
    clock: Box<dyn Fn() -> u64>,
    purpose: &'static str,
    open: Vec<Open>,
    spent: Vec<Spent>,
}

struct Open {
    /// Where it is in what was spent.
    index: usize,
    began: u64,
    /// What operations inside it took.
    inside: u64,
}

impl Log {
    fn open(&mut self, kind: Kind, name: &'static str, flop: u64) {
        let purpose = self.purpose;
        let known = self.spent.iter().position(|s| s.name == name && s.purpose == purpose);
        let index = known.unwrap_or_else(|| {
            self.spent.push(Spent { name, purpose, kind, count: 0, nanoseconds: 0, flop: 0 });
            self.spent.len() - 1
        });
        self.spent[index].count += 1;
        self.spent[index].flop += flop;
        self.open.push(Open { index, began: (self.clock)(), inside: 0 });
    }

    fn close(&mut self) {
        let now = (self.clock)();
        // A log that was begun within the operation does not know it.
        let Some(Open { index, began, inside }) = self.open.pop() else { return };
        let took = now.saturating_sub(began);
        self.spent[index].nanoseconds += took.saturating_sub(inside);
        if let Some(outer) = self.open.last_mut() {
            outer.inside += took;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    /// A clock that is moved by hand.
    fn by_hand() -> (Rc<Cell<u64>>, impl Fn() -> u64 + 'static) {
        let now = Rc::new(Cell::new(0));
        (now.clone(), move || now.get())
    }

    fn told(spent: &[Spent]) -> Vec<(&str, &str, u64, u64, u64)> {
        spent.iter().map(|s| (s.purpose, s.name, s.count, s.nanoseconds, s.flop)).collect()
    }

    #[test]
    fn what_runs_inside_is_told_once_and_purposes_apart() {
        let (now, clock) = by_hand();
        let pass = |ns| now.set(now.get() + ns);
        begin(clock);
        for purpose in ["up", "down", "up"] {
            within(purpose, || {
                let _outer = span(Kind::Kernel, "outer");
                pass(5);
                let inner = products(Kind::Kernel, "inner", || 8);
                pass(2);
                drop(inner);
                pass(1);
            });
        }
        let _idle = span(Kind::Upkeep, "idle");
        let expect = [
            ("up", "outer", 2, 12, 0),
            ("up", "inner", 2, 4, 16),
            ("down", "outer", 1, 6, 0),
            ("down", "inner", 1, 2, 8),
            ("", "idle", 1, 0, 0),
        ];
        assert_eq!(told(&end()), expect);
    }

    #[test]
    fn nothing_is_logged_before_begin_or_after_end() {
        drop(span(Kind::Kernel, "early"));
        let across = span(Kind::Kernel, "across");
        begin(|| 0);
        drop(across);
        drop(products(Kind::Kernel, "counted", || 3));
        assert_eq!(told(&end()), [("", "counted", 1, 0, 3)]);
        drop(products(Kind::Kernel, "late", || panic!("nobody asked")));
        assert!(end().is_empty());
    }
}
