//! The commands, a file each.

pub mod bench;
pub mod doctor;
pub mod faults;
pub mod inspect;
pub mod train;
pub mod verify;
