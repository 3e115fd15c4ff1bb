//! Numbers that no claim stands behind: none may be in the prose.

use super::placeholders::CLAIM;

/// The first number in `text` with a decimal point or a percent sign that is no claim's.
///
/// Numbers of versions, which have two points, are none.
pub fn unclaimed(text: &str) -> Option<String> {
    let mut rest = String::new();
    let mut in_claim = false;
    for letter in text.chars() {
        match letter {
            letter if letter == CLAIM[0] => in_claim = true,
            letter if letter == CLAIM[1] => in_claim = false,
            _ if in_claim => {}
            letter => rest.push(letter),
        }
    }
    let letters: Vec<char> = rest.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        if !letters[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let begin = at;
        let goes_on = |at: usize| {
            let after = letters.get(at + 1).is_some_and(char::is_ascii_digit);
            letters[at].is_ascii_digit() || (letters[at] == '.' && after)
        };
        while at < letters.len() && goes_on(at) {
            at += 1;
        }
        let number: String = letters[begin..at].iter().collect();
        let mut after = letters[at..].iter().filter(|letter| !letter.is_whitespace());
        let is_share = after.next().is_some_and(|letter| matches!(letter, '%' | '％'));
        if is_share || number.matches('.').count() == 1 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_decimals_need_a_claim() {
        for (text, expect) in [
            ("8 ranks, 4096 tokens.", None),
            ("reaches 53 % of it", Some("53")),
            ("达到53％", Some("53")),
            ("a loss of 2.08", Some("2.08")),
            ("accelerate 1.12.0 has it", None),
            ("about \u{e002}53 %\u{e003} of it", None),
            ("0.5 and \u{e002}2.08\u{e003}", Some("0.5")),
        ] {
            assert_eq!(unclaimed(text).as_deref(), expect, "{text}");
        }
    }
}
