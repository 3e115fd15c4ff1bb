//! Tells the program where CUDA's libraries are, when it is built with them.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if env::var_os("CARGO_FEATURE_CUDA").is_none() || !is_linux {
        return;
    }
    for name in ["CUDA_HOME", "CUDA_PATH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    // A toolkit that no system folder holds is not where the system's loader looks. Its folder
    // has no driver, so the driver is found where the system has it.
    let toolkit = env::var_os("CUDA_HOME").or_else(|| env::var_os("CUDA_PATH"));
    if let Some(toolkit) = toolkit {
        let folder = PathBuf::from(toolkit).join("lib64");
        println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{}", folder.display());
    }
}
