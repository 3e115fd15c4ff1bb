//! The number that stands for a template in the page: the build writes it beside each translation.
//!
//! The English text is in the binary already, where it is said, and would otherwise be there twice.

/// FNV-1a, 32 bits. The build holds that no two templates share a number.
pub const fn of(template: &str) -> u32 {
    let bytes = template.as_bytes();
    let mut hash = 0x811c_9dc5_u32;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}
