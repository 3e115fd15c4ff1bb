//! Ranks that are processes of an MPI launch, as far as MPI is compiled in: the same function
//! either way.

#[cfg(not(feature = "mpi"))]
mod disabled;
#[cfg(feature = "mpi")]
mod enabled;

#[cfg(not(feature = "mpi"))]
pub use disabled::run;
#[cfg(feature = "mpi")]
pub use enabled::run;
