//! Numbers and positions as people read them.

use std::fmt::Display;

use crate::t;

/// A whole number with a thin space every three digits.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the unit that suits them.
pub fn bytes(n: u64) -> String {
    let value = n as f64;
    match n {
        0..=9_999 => format!("{} B", count(n)),
        10_000..=999_999 => format!("{:.1} KB", value / 1e3),
        1_000_000..=999_999_999 => format!("{:.1} MB", value / 1e6),
        _ => format!("{:.1} GB", value / 1e9),
    }
}

/// Microseconds in the unit that suits them.
pub fn micros(us: f64) -> String {
    match us {
        us if us < 1e3 => format!("{us:.0} µs"),
        us if us < 1e5 => format!("{:.1} ms", us / 1e3),
        us if us < 1e6 => format!("{:.0} ms", us / 1e3),
        us => format!("{:.1} s", us / 1e6),
    }
}

/// A small difference, exact zero included.
pub fn tiny(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Numbers in a row: `0, 1, 2`.
pub fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// Words in a row, with the language's own comma between them.
pub fn listed<W: Display>(words: impl IntoIterator<Item = W>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    words.join(&t!("format.comma"))
}

/// Runs of positions: `0–31, 224–255`, or `0, 4, 8 … 252` where they are evenly apart.
pub fn positions(positions: &[u32]) -> String {
    match positions {
        [] => t!("format.none").into_owned(),
        [first, second, third, .., last] if evenly_apart(positions) => {
            format!("{first}, {second}, {third} … {last}")
        }
        _ => runs(positions)
            .into_iter()
            .map(|(first, last)| match last - first {
                0 => first.to_string(),
                _ => format!("{first}–{last}"),
            })
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Ascending positions as runs, first and last of each.
pub fn runs(positions: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &position in positions {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == position => *last = position,
            _ => runs.push((position, position)),
        }
    }
    runs
}

fn evenly_apart(positions: &[u32]) -> bool {
    let apart = |pair: &[u32]| pair[1] - pair[0];
    let mut pairs = positions.windows(2).map(apart);
    match pairs.next() {
        Some(step) => step > 1 && pairs.all(|other| other == step),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(
            [count(0), count(999), count(1_234_567)],
            ["0", "999", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!([bytes(12), bytes(98_304), bytes(12_345_678)], ["12 B", "98.3 KB", "12.3 MB"]);
        assert_eq!([micros(80.0), micros(1234.0), micros(2.5e6)], ["80 µs", "1.2 ms", "2.5 s"]);
        assert_eq!([tiny(0.0), tiny(3.14e-7)], ["0", "3.1e-7"]);
        assert_eq!(percent(0.5714), "57 %");
    }

    #[test]
    fn positions_are_summed_up() {
        let stripes: Vec<u32> = (0..64).map(|i| 4 * i + 1).collect();
        for (list, expect) in [
            (&[][..], "none"),
            (&[0, 1, 2, 3], "0–3"),
            (&[0, 1, 6, 7], "0–1, 6–7"),
            (&[3], "3"),
            (&[0, 4], "0, 4"),
            (&stripes, "1, 5, 9 … 253"),
        ] {
            assert_eq!(positions(list), expect);
        }
    }
}
