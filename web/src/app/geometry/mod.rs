//! Where things are drawn: pure functions of the plan and the events, tested without a browser.

pub mod beside;
pub mod chart;
pub mod elementary;
pub mod links;
pub mod matrix;
pub mod mesh;
pub mod ring;
pub mod scale;
pub mod timeline;
pub mod tree;
pub mod window;
