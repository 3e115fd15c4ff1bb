//! Reads a whole number that somebody typed.

use plan::{Message, Refusal, message};

/// The whole number in `text`, within both ends.
pub fn whole(field: &str, text: &str, low: usize, high: usize) -> Result<usize, Refusal> {
    let works = message!("try a number from {low} to {high}", low, high);
    let text = text.trim();
    if !is_whole(text) {
        return Err(Refusal::new(field, shown(text), message!("it is not a whole number"), works));
    }
    match text.parse::<usize>() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        Ok(_) | Err(_) => {
            let why = message!("it must lie between {low} and {high}", low, high);
            Err(Refusal::new(field, brief(text), why, works))
        }
    }
}

/// Whether `text` is a whole number, however large, with or without a minus.
pub fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What was typed, in brief, as a refusal shows it.
pub fn shown(text: &str) -> Message {
    if text.is_empty() { message!("empty") } else { brief(text).into() }
}

/// Enough of a text to recognise it by.
pub fn brief(text: &str) -> String {
    match text.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_in_range_says_what_would_work() {
        assert_eq!(whole("tp", " 8 ", 1, 8), Ok(8));
        let long = "9".repeat(300);
        for text in ["", "-1", "0", "9", "x", "1.5", "+1", &long] {
            let refusal = whole("tp", text, 1, 8).expect_err(text);
            assert_eq!(refusal.field, "tp");
            assert_eq!(refusal.works, "try a number from 1 to 8");
            assert!((1..40).contains(&refusal.value.to_string().len()), "{refusal}");
        }
    }
}
