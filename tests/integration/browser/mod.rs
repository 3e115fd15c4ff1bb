//! The built page in a real Chromium: what a user does, and what a broken host does to it.
//!
//! `RINGSIDE_DIST` is the built page (default: `dist` at the root), `RINGSIDE_CHROMIUM` and
//! `RINGSIDE_CHROMEDRIVER` are the programs. Each test starts its own server and browser on free
//! ports, with a fresh profile, and ends both.

mod builds;
mod chrome;
mod devtools;
mod drive;
mod page;
mod site;

mod accessibility;
mod bench;
mod cursor;
mod decisions;
mod deploys;
mod diagnosis;
mod embed;
mod groups;
mod input;
mod learning;
mod lessons;
mod links;
mod loading;
mod measuring;
mod memory;
mod numbers;
mod offline;
mod panics;
mod places;
mod policy;
mod running;
mod share;
mod timeline;
mod translation;
mod travel;
mod trials;
mod views;
mod visual;
mod what_if;
