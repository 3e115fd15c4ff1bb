//! The elementary functions that drawing wants: in a browser its own, since those that Rust brings
//! for wasm were 5 KB of the page as it is sent.

#[cfg(target_arch = "wasm32")]
pub use js_sys::Math::{cos, exp, log2, log10, pow, sin};

#[cfg(not(target_arch = "wasm32"))]
pub use native::{cos, exp, log2, log10, pow, sin};

#[cfg(not(target_arch = "wasm32"))]
mod native {
    pub fn cos(x: f64) -> f64 {
        x.cos()
    }

    pub fn exp(x: f64) -> f64 {
        x.exp()
    }

    pub fn log2(x: f64) -> f64 {
        x.log2()
    }

    pub fn log10(x: f64) -> f64 {
        x.log10()
    }

    pub fn pow(x: f64, power: f64) -> f64 {
        x.powf(power)
    }

    pub fn sin(x: f64) -> f64 {
        x.sin()
    }
}
