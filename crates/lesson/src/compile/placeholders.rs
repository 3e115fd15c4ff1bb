//! Claims and live numbers, taken out of the Markdown before it is read as such.

use super::Wrong;
use crate::claim;
use crate::{Block, Live, subject};

/// Stand before and after the number of a live value in the text.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';
/// Stand before and after a claim's value, until the prose was looked through for others.
pub const CLAIM: [char; 2] = ['\u{e002}', '\u{e003}'];

/// The body with each claim computed and each live number marked.
pub fn fill(body: &str, first_line: usize) -> Result<(String, Vec<Live>), Wrong> {
    let (mut filled, mut live) = (String::new(), Vec::new());
    let mut fence: Option<&str> = None;
    for (at, line) in body.split_inclusive('\n').enumerate() {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                fill_line(line, &mut filled, &mut live)
                    .map_err(|message| (first_line + at, message))?;
                continue;
            }
            _ => {}
        }
        filled.push_str(line);
    }
    Ok((filled, live))
}

fn fill_line(line: &str, filled: &mut String, live: &mut Vec<Live>) -> Result<(), String> {
    let mut in_code = false;
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        in_code ^= letter == '`';
        if !in_code && let Some(inner) = rest.strip_prefix("{{") {
            let (inner, after) =
                inner.split_once("}}").ok_or("{{ begins a claim, and no }} ends it")?;
            match inner.trim().strip_prefix("live ") {
                Some(number) => {
                    filled.push_str(&format!("{OPEN}{}{CLOSE}", live.len()));
                    live.push(read_live(number)?);
                }
                None => {
                    filled.extend([CLAIM[0]]);
                    filled.push_str(&claim::evaluated(inner)?);
                    filled.extend([CLAIM[1]]);
                }
            }
            rest = after;
        } else {
            filled.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    Ok(())
}

fn read_live(text: &str) -> Result<Live, String> {
    let (name, form) = text.split_once('|').unwrap_or((text, ""));
    let name = name.trim();
    if subject::kind(name).is_none() {
        return Err(format!("there is nothing called {name} to be measured"));
    }
    Ok(Live { subject: name.to_owned(), format: claim::format(form.trim())? })
}

/// The block of finished HTML: cut at its live numbers, rid of the marks of claims.
pub fn cut(html: &str, live: &[Live]) -> Block {
    let html = html.replace(CLAIM, "");
    let mut block = Block::default();
    let mut rest = html.trim();
    while let Some((before, after)) = rest.split_once(OPEN) {
        let (number, after) = after.split_once(CLOSE).unwrap_or(("", after));
        block.pieces.push(before.to_owned());
        block.live.extend(number.parse().ok().and_then(|n: usize| live.get(n)).cloned());
        rest = after;
    }
    block.pieces.push(rest.to_owned());
    block
}
