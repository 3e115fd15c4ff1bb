//! Code with its syntax marked by classes, which the page's own stylesheet colours.

use std::sync::OnceLock;

use syntect::html::{ClassStyle, ClassedHTMLGenerator};
use syntect::parsing::SyntaxSet;
use syntect::util::LinesWithEndings;

/// The languages of code, with the names of their grammars.
const LANGUAGES: [(&str, &str); 9] = [
    ("python", "Python"),
    ("bash", "Bourne Again Shell (bash)"),
    ("sh", "Bourne Again Shell (bash)"),
    ("yaml", "YAML"),
    ("json", "JSON"),
    ("rust", "Rust"),
    ("diff", "Diff"),
    ("text", "Plain Text"),
    ("", "Plain Text"),
];

fn grammars() -> &'static SyntaxSet {
    static GRAMMARS: OnceLock<SyntaxSet> = OnceLock::new();
    GRAMMARS.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// The code as HTML; says which languages there are if this is none of them.
pub fn html(code: &str, language: &str) -> Result<String, String> {
    let known = LANGUAGES.iter().find(|(name, _)| *name == language);
    let Some((_, grammar)) = known else {
        let names: Vec<_> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "there are no colours for {language}: try {}",
            names.join(", ").trim_end_matches(", ")
        ));
    };
    let grammars = grammars();
    let syntax =
        grammars.find_syntax_by_name(grammar).ok_or_else(|| format!("no grammar {grammar}"))?;
    let style = ClassStyle::SpacedPrefixed { prefix: "hl-" };
    let mut generator = ClassedHTMLGenerator::new_with_class_style(syntax, grammars, style);
    for line in LinesWithEndings::from(code) {
        generator
            .parse_html_for_line_which_includes_newline(line)
            .map_err(|error| format!("the code cannot be read: {error}"))?;
    }
    let html = generator.finalize();
    // It scrolls where a line is too long, so keys must reach it.
    Ok(format!("<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>", html.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_grammar() {
        for (name, _) in LANGUAGES {
            let html = html("x = 1  # one\n", name).expect(name);
            assert!(html.contains('x') && !html.contains("style="), "{html}");
        }
        let python = html("def f(): pass\n", "python").expect("python");
        assert!(python.contains("hl-storage") && python.contains("hl-function"), "{python}");
        assert!(html("", "cobol").expect_err("cobol").contains("python"));
    }

    #[test]
    fn what_looks_like_html_is_escaped() {
        let html = html("<b>&\n", "text").expect("text");
        assert!(html.starts_with("<pre class=\"code\" tabindex=\"0\">"), "{html}");
        assert!(html.contains("&lt;b&gt;&amp;"), "{html}");
    }
}
