//! Formulas in LaTeX as MathML.

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Event, Parser, Storage, push_mathml};

/// The formula as MathML; says what is wrong with it otherwise.
pub fn mathml(latex: &str, display: bool) -> Result<String, String> {
    let storage = Storage::new();
    let events: Vec<Event<'_>> = Parser::new(latex, &storage)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("the formula {latex}: {}", first_line(&error.to_string())))?;
    let mode = if display { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode: mode, ..RenderConfig::default() };
    let mut html = String::new();
    let events = events.into_iter().map(Ok::<_, std::convert::Infallible>);
    push_mathml(&mut html, events, config)
        .map_err(|error| format!("the formula {latex}: {error}"))?;
    // The page's policy allows no style within an element.
    if html.contains(" style=") {
        return Err(format!(
            "the formula {latex} would need a style of its own: leave out colours and spaces"
        ));
    }
    Ok(match display {
        // It scrolls where it is too wide, so keys must reach it.
        true => format!("<div class=\"formula\" tabindex=\"0\">{html}</div>"),
        false => html,
    })
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml_without_styles() {
        for latex in [
            "S^2",
            r"\frac{q k^\top}{\sqrt{d}}",
            r"\sum_{r=0}^{W-1} \ell_r \quad \text{for } W = 4",
            r"\mathrm{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}",
            r"O(S^2 / W),\; 2 \cdot S \times d",
            r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        ] {
            let html = mathml(latex, true).expect(latex);
            assert!(html.contains("<math") && !html.contains("merror"), "{html}");
        }
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        assert!(mathml(r"\frac{a", false).is_err());
        assert!(mathml(r"\nosuch{a}", false).is_err());
        assert!(mathml(r"\color{red} a", false).is_err());
    }
}
