//! Foreign text in messages: shortened, on one line.

const MOST: usize = 60;

/// `text` on one line and not longer than a message bears.
pub fn short(text: &str) -> String {
    cut(text, MOST)
}

/// `text` on one line, with `most` letters of it at most.
pub fn cut(text: &str, most: usize) -> String {
    let mut shown: String =
        text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(most).is_some() {
        shown.push_str("...");
    }
    shown
}
