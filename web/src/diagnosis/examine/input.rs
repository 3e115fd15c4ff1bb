//! What is entered, read as the doctor's input, and the reverse.

use doctor::{Form, Input, Machine, Misplaced, Settings, join_line, split_line, unclosed};
use plan::runtime::{Build, Gpus, Launch, Place, Preset, Probe};
use plan::{Refusal, message};

use crate::app::doctor::entered::{Entered, Part};

/// What is entered means this; `None` where nothing is entered, or everything that cannot be read.
pub fn read(entered: &Entered) -> Result<Option<Input>, Vec<Refusal>> {
    let mut refusals = entered.refusals();
    let text = |part: Part| {
        let text = entered.get(part);
        (!text.trim().is_empty()).then(|| text.to_string())
    };
    let mut misplaced = Vec::new();
    let mut own = |part: Part, form: Form| {
        let text = text(part)?;
        let found = Misplaced::of(form, &text);
        let is_own = found.is_none();
        misplaced.extend(found);
        is_own.then_some(text)
    };
    let error = own(Part::Error, Form::Error);
    let config = own(Part::Config, Form::Config);
    let launch = own(Part::Launch, Form::Launch);
    let settings = own(Part::Settings, Form::Settings).unwrap_or_default();
    refusals.extend(launch.as_deref().and_then(open_quote));
    let Settings { values: settings, repeated } =
        Settings::read(&settings).unwrap_or_else(|refusal| {
            refusals.push(refusal);
            Settings::default()
        });
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let version = |part| text(part).map(|version| version.trim().to_owned());
    let input = Input {
        config,
        launch: launch.map(|line| split_line(&line)),
        settings,
        repeated,
        error,
        misplaced,
        accelerate: version(Part::Accelerate),
        torch: version(Part::Torch),
        trl: version(Part::Trl),
        machine: entered.machine.map(machine),
    };
    Ok((input != Input::default()).then_some(input))
}

/// What stands for `input` in the page.
pub fn write(input: &Input) -> Entered {
    let version = |given: &Option<String>| given.clone().unwrap_or_default();
    let launch = input.launch.as_ref().map(|words| join_line(words));
    let settings = input.settings.iter().map(|(name, value)| format!("{name}={value}\n"));
    let mut entered = match &input.machine {
        Some(machine) => Entered::default().on(machine.preset),
        None => Entered::default(),
    };
    entered.set(Part::Error, input.error.clone().unwrap_or_default());
    entered.set(Part::Config, input.config.clone().unwrap_or_default());
    entered.set(Part::Launch, launch.unwrap_or_default());
    entered.set(Part::Settings, settings.collect());
    entered.set(Part::Accelerate, version(&input.accelerate));
    entered.set(Part::Torch, version(&input.torch));
    entered.set(Part::Trl, version(&input.trl));
    entered
}

fn open_quote(line: &str) -> Option<Refusal> {
    let quote = unclosed(line)?;
    let reason = message!("this quote is opened and not closed, so a shell would wait for more");
    Some(Refusal::new(Part::Launch.key(), quote, reason, message!("close it, or take it out")))
}

/// A preset's machine; the doctor's machines are never the browser.
fn machine(preset: Preset) -> Machine {
    let unknown = Probe {
        place: Place::Native,
        build: Build::PLAIN,
        gpus: Gpus::NoDriver,
        launch: Launch::Alone,
        cores: 1,
        memory: None,
    };
    Machine { preset, probe: preset.probe(&unknown) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_input() {
        assert_eq!(read(&Entered::default()), Ok(None));
        let notes =
            Entered::default().with(Part::Config, " \n").with(Part::Settings, "# WORLD_SIZE\n");
        assert_eq!(read(&notes), Ok(None));
    }

    #[test]
    fn what_is_entered_comes_back() {
        let entered = Entered::default()
            .with(Part::Launch, "accelerate launch --num_processes 8 'my train.py'")
            .with(Part::Settings, "# here\nexport WORLD_SIZE=\"8\"\n\nMAX_LENGTH = 100")
            .with(Part::Torch, " 2.7.1 ")
            .on(Preset::H100Node);
        let input = read(&entered).expect("it reads").expect("it is something");
        assert_eq!(input.settings.get("WORLD_SIZE").map(String::as_str), Some("8"));
        assert_eq!(input.settings.get("seq_len").map(String::as_str), Some("100"));
        assert_eq!(input.torch.as_deref(), Some("2.7.1"));
        let again = read(&write(&input)).expect("it reads").expect("it is something");
        assert_eq!(again, input);
    }

    #[test]
    fn a_text_in_the_place_of_another_is_set_aside() {
        let error = "KeyError: 'it's'\n";
        let config = "num_processes: 8\n";
        let entered = Entered::default()
            .with(Part::Launch, error)
            .with(Part::Settings, config)
            .with(Part::Error, "bye");
        let input = read(&entered).expect("its quotes are its own").expect("it is something");
        let aside = [(Form::Launch, error), (Form::Settings, config)];
        let aside = aside.map(|(form, text)| Misplaced::of(form, text).expect("it is another's"));
        assert_eq!((input.error.as_deref(), input.launch), (Some("bye"), None));
        assert_eq!(input.misplaced, aside);
    }

    #[test]
    fn the_last_of_several_values_counts() {
        let entered = Entered::default().with(Part::Settings, "A=1\nexport A=2\nB=3\n");
        let input = read(&entered).expect("it reads").expect("it is something");
        assert_eq!(input.settings.get("A").map(String::as_str), Some("2"));
        assert_eq!(input.repeated, ["A"]);
    }

    #[test]
    fn what_cannot_be_read_is_refused_beside_its_field() {
        for bad in ["WORLD_SIZE", "=8", "A B=1"] {
            let refusals = read(&Entered::default().with(Part::Settings, bad)).expect_err(bad);
            assert_eq!(refusals[0].field, "settings");
            assert!(refusals[0].reason.contains("line 1"));
        }
        let refusals =
            read(&Entered::default().with(Part::Launch, "--a 'b")).expect_err("it is open");
        assert_eq!(refusals[0].field, "launch");
        assert_eq!(refusals[0].value, "'");
        let long = "a: 1\n".repeat(2_000_000);
        let refusals = read(&Entered::default().with(Part::Config, long)).expect_err("10 MB");
        assert_eq!(refusals[0].value, "10.0 MB");
    }
}
