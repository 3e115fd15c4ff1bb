//! Sets the one environment variable that candle reads: how many threads a matmul may use.

/// Candle reads this at every matrix product.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Gives each matmul `threads` threads. Left out, what the user has set stands, and else it is 1:
/// the ranks are the parallelism, and kernels with threads of their own would compete with them.
pub fn set_kernel_threads(threads: Option<usize>) {
    let value = match threads {
        Some(threads) => threads.max(1).to_string(),
        None if std::env::var_os(VARIABLE).is_some() => return,
        None => "1".to_owned(),
    };
    // SAFETY: `main` calls this once before it starts any thread, so no other thread can read or
    // write the environment meanwhile.
    #[allow(unsafe_code)]
    unsafe {
        std::env::set_var(VARIABLE, value);
    }
}
