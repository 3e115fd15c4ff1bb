//! Vector code for the machine at hand, from plain loops.

/// Runs `work` compiled for the widest vectors that this machine has.
///
/// What `work` calls must be inlined into it to be compiled that way.
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
