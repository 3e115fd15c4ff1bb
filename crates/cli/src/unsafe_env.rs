//! Sets the one environment variable that candle reads: how many threads a matmul may use.

use plan::Refusal;

use crate::args::KernelThreads;

/// Candle reads this at every matrix product.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Gives each matmul its threads: 1 where nobody has said how many, since the ranks are the
/// parallelism, and kernels with threads of their own would compete with them.
///
/// Refuses a variable that is no number of threads: candle would take every core instead.
pub fn set_kernel_threads(threads: KernelThreads) -> Result<(), Refusal> {
    let value = match threads {
        KernelThreads::Exactly(threads) => threads.max(1).to_string(),
        KernelThreads::FromEnvironment => match std::env::var_os(VARIABLE) {
            Some(value) => return check(&value.to_string_lossy()),
            None => "1".to_owned(),
        },
    };
    // SAFETY: `main` calls this once before it starts any thread, so no other thread can read or
    // write the environment meanwhile.
    #[allow(unsafe_code)]
    unsafe {
        std::env::set_var(VARIABLE, value);
    }
    Ok(())
}

fn check(value: &str) -> Result<(), Refusal> {
    match value.parse() {
        Ok(1..=1024) => Ok(()),
        _ => Err(Refusal::new(
            VARIABLE,
            value,
            "it is the number of threads of each matrix product, from 1 to 1024",
            "unset it, or give --threads",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_no_number_of_threads_is_refused() {
        assert!(check("1").is_ok() && check("16").is_ok());
        for value in ["", "0", "-1", "many", "4.5", " 4", "5000"] {
            assert_eq!(check(value).expect_err("no number of threads").field, VARIABLE);
        }
    }
}
