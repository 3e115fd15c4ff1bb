//! Has the allocator keep what ranks have used: each step wants the same memory again.
//!
//! By default glibc gives large blocks back to the system at once, and every step then pays for
//! thousands of page faults; two ranks, being threads of one process, wait for each other in them.

/// Called once, before any thread is started. Other allocators are left as they are.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_memory() {
    /// The most that glibc takes: half of a thread's heap.
    const LARGEST_FROM_HEAP: i32 = 32 << 20;
    // SAFETY: `mallopt` takes two numbers and touches the allocator's settings alone; `main` calls
    // this before it starts any thread. A value that is refused changes nothing.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_FROM_HEAP);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
    }
}

/// Only glibc has to be told.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_memory() {}
