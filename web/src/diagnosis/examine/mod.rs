//! Diagnosing: the doctor's binary can, the page's does not carry what it takes.

#[cfg(not(any(feature = "doctor", test)))]
mod absent;
#[cfg(any(feature = "doctor", test))]
mod input;
#[cfg(any(feature = "doctor", test))]
mod present;
#[cfg(any(feature = "doctor", test))]
mod tell;

#[cfg(not(any(feature = "doctor", test)))]
pub use absent::examine;
#[cfg(any(feature = "doctor", test))]
pub use present::examine;
