//! Foreign text in messages: shortened, on one line.

const MOST: usize = 60;

/// `text` on one line and not longer than a message bears.
pub fn short(text: &str) -> String {
    let mut shown: String =
        text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push_str("...");
    }
    shown
}
