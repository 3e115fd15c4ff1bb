//! Reads a catalogue in gettext's format, as far as ours goes: comments, `msgid`, `msgstr`, and
//! strings that go on over several lines.

/// Every template with its translation, in order; the header has an empty template.
pub fn read(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut in_translation = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let string = if let Some(string) = line.strip_prefix("msgid ") {
            in_translation = false;
            entries.push(Default::default());
            string
        } else if let Some(string) = line.strip_prefix("msgstr ") {
            in_translation = true;
            string
        } else if line.starts_with('"') {
            line
        } else if line.is_empty() || line.starts_with('#') {
            continue;
        } else {
            return Err(format!("line {}: {line}", index + 1));
        };
        let string = unquoted(string).ok_or_else(|| format!("line {}: {line}", index + 1))?;
        let entry = entries.last_mut().ok_or_else(|| format!("line {}: no msgid", index + 1))?;
        let part = if in_translation { &mut entry.1 } else { &mut entry.0 };
        part.push_str(&string);
    }
    Ok(entries)
}

fn unquoted(string: &str) -> Option<String> {
    let inner = string.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                'n' => text.push('\n'),
                escaped @ ('"' | '\\') => text.push(escaped),
                _ => return None,
            },
            '"' => return None,
            letter => text.push(letter),
        }
    }
    Some(text)
}
