//! The elementary functions that drawing wants: in a browser its own, since those that Rust brings
//! for wasm were 5 KB of the page as it is sent.

use js_sys::Math;

/// Whether this runs in a browser.
const IN_BROWSER: bool = cfg!(target_arch = "wasm32");

/// The cosine of `x` radians.
pub fn cos(x: f64) -> f64 {
    if IN_BROWSER { Math::cos(x) } else { x.cos() }
}

/// e to the power of `x`.
pub fn exp(x: f64) -> f64 {
    if IN_BROWSER { Math::exp(x) } else { x.exp() }
}

/// The logarithm of `x` to base 2.
pub fn log2(x: f64) -> f64 {
    if IN_BROWSER { Math::log2(x) } else { x.log2() }
}

/// The logarithm of `x` to base 10.
pub fn log10(x: f64) -> f64 {
    if IN_BROWSER { Math::log10(x) } else { x.log10() }
}

/// `x` to the power of `y`.
pub fn pow(x: f64, y: f64) -> f64 {
    if IN_BROWSER { Math::pow(x, y) } else { x.powf(y) }
}

/// The sine of `x` radians.
pub fn sin(x: f64) -> f64 {
    if IN_BROWSER { Math::sin(x) } else { x.sin() }
}
