//! What a learner does on the real controls, as a lesson writes it down for the test that does it.

use crate::subject::{BUTTONS, FIELDS, INPUTS};

/// One action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Enters a value into a setting, or into another input by its id.
    Set(String, String),
    /// Presses a button.
    Press(String),
    /// Waits until the check's answer changes.
    Wait,
    /// Goes to a place.
    Go(String),
    /// Takes something ready-made: a run, a machine, a sample.
    Choose(String),
    /// Answers the question.
    Answer(Answer),
    /// Opens an address of the page.
    Open(String),
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What is right.
    Right,
    /// What is wrong.
    Wrong,
    /// This.
    Value(String),
}

/// Reads `set FIELD VALUE`, `press BUTTON` and so on; says what is wrong otherwise.
pub fn read(text: &str) -> Result<Action, String> {
    let (verb, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let rest = rest.trim();
    let needs = |what: &str| match rest {
        "" => Err(format!("{verb} needs {what}")),
        rest => Ok(rest.to_owned()),
    };
    match verb {
        "set" => {
            let whole = needs("a setting and a value")?;
            let (name, value) = whole.split_once(' ').unwrap_or((&whole, ""));
            if !FIELDS.contains(&name) && !INPUTS.contains(&name) {
                return Err(format!("there is no setting {name}"));
            }
            Ok(Action::Set(name.to_owned(), value.trim().to_owned()))
        }
        "press" => match needs("a button")? {
            button if BUTTONS.contains(&button.as_str()) => Ok(Action::Press(button)),
            button => Err(format!("there is no button {button}: try {}", BUTTONS.join(", "))),
        },
        "wait" if rest.is_empty() => Ok(Action::Wait),
        "go" => match needs("a place")? {
            place if ["play", "groups", "backend", "doctor", "learn"].contains(&&*place) => {
                Ok(Action::Go(place))
            }
            place => Err(format!("there is no place {place}")),
        },
        "choose" => Ok(Action::Choose(needs("what to choose")?)),
        "open" => Ok(Action::Open(needs("an address")?)),
        "answer" => Ok(Action::Answer(match rest {
            "" | "right" => Answer::Right,
            "wrong" => Answer::Wrong,
            value => Answer::Value(value.to_owned()),
        })),
        _ => Err(format!(
            "there is no action {verb}: try set, press, wait, go, choose, answer, open"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_read() {
        let read = |text| read(text).expect("it is an action");
        assert_eq!(read("press run"), Action::Press("run".into()));
        assert_eq!(read("set seq_len 512"), Action::Set("seq_len".into(), "512".into()));
        assert_eq!(read("set documents 96, 64"), Action::Set("documents".into(), "96, 64".into()));
        assert_eq!(read("set window"), Action::Set("window".into(), String::new()));
        assert_eq!(read("answer"), Action::Answer(Answer::Right));
        assert_eq!(read("answer 12"), Action::Answer(Answer::Value("12".into())));
        assert_eq!(read(" wait "), Action::Wait);
    }

    #[test]
    fn what_is_none_is_named() {
        for (text, says) in [
            ("dance", "no action dance"),
            ("press everything", "no button everything"),
            ("press", "needs a button"),
            ("set colour red", "no setting colour"),
            ("go home", "no place home"),
        ] {
            let error = super::read(text).expect_err(text);
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
