//! Vector code for the machine at hand, from plain loops.

/// Runs `work` compiled for the widest vectors that this machine has.
///
/// Only what is inlined is compiled that way: `work` itself is to be `#[inline(always)]`, or it
/// becomes a function of its own for the oldest machine, and so is what it calls.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
pub(crate) fn widest<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// On wasm the width of vectors is settled when the binary is built.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
pub(crate) fn widest<R>(work: impl FnOnce() -> R) -> R {
    work()
}
