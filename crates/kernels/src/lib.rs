//! What a training step computes, fused: one pass over f32 on a CPU, a composition elsewhere.
//!
//! Every operation has two forms behind one function. On f32 in the CPU's memory it is a loop
//! that the compiler turns into vector code, chosen at run time for the machine at hand; on any
//! other type or device it is a composition of candle's operations, which is also what the tests
//! hold the first against. None is part of candle's graph: each has its backward beside it.

pub mod adamw;
pub mod attention;
pub mod cross_entropy;
pub mod embed;
pub mod gelu;
pub mod heads;
mod lanes;
pub mod linear;
#[cfg(any(target_arch = "wasm32", test))]
mod panels;
pub mod peak;
pub mod profile;
pub mod rms_norm;
mod simd;
#[cfg(test)]
mod test;
mod unsafe_gemm;
mod values;

pub use attention::Seen;
