//! The page's state as one value with actions: pure, and tested without a browser.

use std::rc::Rc;

use plan::command::{Report, RunId};
use plan::{Refusal, RunPlan};

use crate::app::address;
use crate::app::backend::{self, Backend};
use crate::app::beside::Beside;
use crate::app::cursor::{self, Cursor};
use crate::app::doctor::{self, Doctor};
use crate::app::embed::Embed;
use crate::app::engine::{self, Engine, Phase};
use crate::app::entered;
use crate::app::fields::Field;
use crate::app::form::Form;
use crate::app::groups::{self, Groups};
use crate::app::keys::Command;
use crate::app::language::Language;
use crate::app::last_run::LastRun;
use crate::app::lesson::{self, Lessons};
use crate::app::notice::Notice;
use crate::app::origin::{NoCheckpoint, Origin};
use crate::app::places::Place;
use crate::app::presets::Preset;
use crate::app::put_away::PutAway;
use crate::app::record::{Record, WholeStep};
use crate::app::reference::ReferenceLog;
use crate::app::self_test::SelfTest;
use crate::app::share::{File, Format, Keep, Picture};
use crate::app::shared::Shared;
use crate::cluster::{ClusterEvent, Limits, Stop};
use crate::reference::ReferenceEvent;

/// The longest text that the page takes.
pub const MAX_TEXT_BYTES: usize = 4 << 20;

/// A text of the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnText {
    /// The name of its file; none for what was typed or pasted.
    pub name: Option<String>,
    /// Its bytes, whatever they mean.
    pub bytes: Rc<[u8]>,
}

/// Everything that the page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// What is looked at.
    pub place: Place,
    /// Whether the start is shown above the run: what this is, and where one can begin.
    pub welcome: bool,
    /// The language that the page speaks.
    pub language: Language,
    /// Whether the address asked for it, and keeps it.
    pub language_in_address: bool,
    /// Whether the help is open.
    pub help: bool,
    /// Whether single keys drive the page.
    pub single_keys: bool,
    /// The mesh that the groups' view shows.
    pub groups: Shared<Groups>,
    /// What the backend's view asks.
    pub backend: Shared<Backend>,
    /// What the doctor was given, and what it says.
    pub doctor: Shared<Doctor>,
    /// The lessons.
    pub lessons: Shared<Lessons>,
    /// What is entered.
    pub form: Shared<Form>,
    /// The user's text; `None` is the built-in one.
    pub text: Option<OwnText>,
    /// The text of the run, which is an earlier one while the form is wrong.
    pub used_text: Option<OwnText>,
    /// Whether one rank trains beside the others.
    pub check: bool,
    /// The run that the form means, or the last that it meant.
    pub plan: Shared<RunPlan>,
    /// What is wrong with the form.
    pub refusals: Rc<[Refusal]>,
    /// What the address could not give.
    pub notices: Rc<[Notice]>,
    /// The panels of a page inside another page.
    pub embed: Option<Rc<Embed>>,
    /// Whether another build of the page has come.
    pub other_build: bool,
    /// The run's phase.
    pub engine: Engine,
    /// The run's events, folded.
    pub record: Record,
    /// Steps of the run that a change of the settings has ended, until another begins.
    pub ended: u32,
    /// The state that the run begins from, if it is not its seed's.
    pub origin: Option<Rc<Origin>>,
    /// The step that the user's hand on the slider points at, before the run goes there.
    pub look: Option<u32>,
    /// The step that is looked at in place of the newest, and whether it is the one under way.
    pub(super) seen: Option<Shared<WholeStep>>,
    /// What is to be done once all ranks stand.
    pub(super) then: Option<Then>,
    /// Why the run paused by itself, or what it goes past.
    pub stopped: Option<Stop>,
    /// A run that was ended, until another one is.
    pub put_away: Option<Box<PutAway>>,
    /// A run that is kept to compare this one with.
    pub beside: Option<Shared<Beside>>,
    /// What became of the file that was asked for last.
    pub kept: Option<Kept>,
    /// What is lit in every view.
    pub cursor: Cursor,
    /// The step that the user holds to look at, while others follow.
    pub held: Option<Shared<WholeStep>>,
    /// The one-rank run.
    pub reference: Shared<ReferenceLog>,
    /// What the links' self-test found on rank 0.
    pub self_test: SelfTest,
    /// Counts launches of workers: what an earlier launch sends is old.
    pub launch: u32,
    /// Counts launches of the reference.
    pub reference_launch: u32,
}

/// What waits until all ranks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Go to the state after so many steps.
    Seek(u32),
    /// Do one ring step.
    Hop,
    /// Train on.
    Run,
    /// Begin another run from the state in which they stand.
    Fork,
    /// Give the user that state as a file.
    Export,
}

/// What became of a file, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The user has it.
    As(String),
    /// The browser did not make it.
    Not(String),
}

/// What can happen.
#[derive(Debug)]
pub enum Action {
    /// The user entered something.
    Set(Field, String),
    /// The user chose a text, or the built-in one.
    UseText(Option<OwnText>),
    /// The user chose a run worth seeing.
    Choose(Preset),
    /// The user turned the check on or off.
    Check(bool),
    /// The user pressed Run.
    Run,
    /// The user pressed Pause.
    Pause,
    /// The user pressed Step.
    Step,
    /// The user pressed Ring step.
    Hop,
    /// The user pressed Step back.
    StepBack,
    /// The user's hand on the slider points at the state after so many steps, or has left it.
    Look(Option<u32>),
    /// The user wants the run to be in the state after so many steps.
    Seek(u32),
    /// The user wants another run to begin from the present state.
    Fork,
    /// The user opened a checkpoint: its name and what is in it.
    OpenCheckpoint(String, Vec<u8>),
    /// A checkpoint that was chosen could not be read, and why.
    NoCheckpoint(NoCheckpoint),
    /// The run is to begin from its seed again.
    LeaveOrigin,
    /// The user wants this run kept, to compare the next one with it; or the kept one gone.
    Beside(bool),
    /// The user wants to go on with the kept run, and this one kept in its place.
    Swap,
    /// The user wants this run kept, and the same without its fault to run beside it.
    Twin,
    /// The last run of an earlier visit was found; `None` if it cannot be read here.
    Recall(Option<Box<LastRun>>),
    /// The user pressed Reset or Restart.
    Reset,
    /// The user wants the run back that was ended last.
    BringBack,
    /// The user pressed New seed; this is it.
    NewSeed(u64),
    /// The user asked for the self-test.
    TestLinks,
    /// An address was opened.
    Open(String),
    /// The user went to another place.
    Go(Place),
    /// The user went to another place through a door of the start, which is gone then.
    Enter(Place),
    /// The user went to the start.
    Welcome,
    /// The browser's Back or Forward came to an address of this page's own: its place counts,
    /// the run stays.
    Return(String),
    /// The user chose a language.
    Speak(Language),
    /// The page cannot speak a language, and why.
    Mute(Language, String),
    /// The user pressed a key that does this; the seed is for a run that begins from another.
    Press(Command, u64),
    /// The user opened or closed the help.
    Help(bool),
    /// The user turned single keys on or off.
    SingleKeys(bool),
    /// Something of the groups' view.
    Groups(groups::Act),
    /// Something of the backend's view.
    Backend(backend::Act),
    /// Something of the doctor's.
    Doctor(doctor::Act),
    /// Something around lessons.
    Lesson(lesson::Act),
    /// Something of the cursor that all views share.
    Cursor(cursor::Act),
    /// The user holds a step, or lets go of it.
    Hold(Option<Shared<WholeStep>>),
    /// The user wants a file.
    Keep(Keep),
    /// The user wants a picture.
    Draw(Picture, Format),
    /// The browser says how it went with a file.
    Kept(Kept),
    /// The user has read the notices.
    DismissNotices,
    /// Another build of the page has come.
    OtherBuild,
    /// The workers of a launch sent something.
    Cluster(u32, ClusterEvent),
    /// The reference of a launch sent something.
    Reference(u32, ReferenceEvent),
}

/// What the world outside the state must do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// End the workers, if any, and launch fresh ones for the plan.
    Launch,
    /// Tell the workers.
    Tell(engine::Order),
    /// Begin the one-rank run.
    LaunchReference,
    /// Let it train up to this step.
    AdvanceReference(u32),
    /// End it.
    DropReference,
    /// Ask the doctor.
    Consult(doctor::Order),
    /// Tell the workers how fast they may go and when to stop.
    Limit(Limits),
    /// Ask rank 0 for the state.
    SaveState(RunId),
    /// Keep the run for the next visit.
    Remember,
    /// Run the self-test.
    SelfTest(RunId),
    /// Give the user a file.
    Save(File),
    /// Give the user a picture under this name.
    Draw(Picture, Format, String),
    /// Speak this language from now on; the user's own choice is kept.
    Speak(Language),
    /// Keep for the next visit whether single keys drive the page.
    KeepSingleKeys(bool),
    /// Get a file of the lessons.
    Fetch(lesson::File),
    /// Keep for the next visit which steps of lessons were done.
    KeepProgress(String),
    /// Show the page from its beginning.
    ScrollUp,
    /// Bring the keyboard's focus to the heading of the place.
    FocusHeading,
    /// Bring a control into sight, by its name in lessons.
    Reveal(String),
    /// Write the address.
    WriteAddress(String),
    /// Write the address as a new entry of the browser's history.
    PushAddress(String),
}

impl Action {
    /// Whether it only adds to what is shown and comes often.
    pub fn is_report(&self) -> bool {
        match self {
            Self::Cluster(_, ClusterEvent::Report { report, .. }) => {
                matches!(report, Report::Events { .. } | Report::Snapshot { .. })
            }
            Self::Reference(_, ReferenceEvent::Loss { .. }) => true,
            _ => false,
        }
    }
}

impl State {
    /// The state that an address opens, and what must be done first; `language` is what the user
    /// prefers, where the address asks for none.
    pub fn open(address: &str, language: Language) -> (Self, Vec<Effect>) {
        let plan =
            Shared::new(RunPlan::new(Default::default()).expect("the default run is possible"));
        let mut state = Self {
            place: Place::default(),
            welcome: address.trim_start_matches('#').is_empty(),
            language,
            language_in_address: false,
            help: false,
            single_keys: true,
            groups: Shared::default(),
            backend: Shared::default(),
            doctor: Shared::default(),
            lessons: Shared::default(),
            form: Shared::default(),
            text: None,
            used_text: None,
            check: false,
            engine: Engine::new(plan.mesh().world().get(), None),
            plan,
            refusals: Rc::new([]),
            notices: Rc::new([]),
            embed: None,
            other_build: false,
            record: Record::default(),
            ended: 0,
            origin: None,
            look: None,
            seen: None,
            then: None,
            stopped: None,
            put_away: None,
            beside: None,
            cursor: Cursor::default(),
            held: None,
            kept: None,
            reference: Shared::default(),
            self_test: SelfTest::Idle,
            launch: 0,
            reference_launch: 0,
        };
        let mut effects = state.apply(Action::Open(address.to_owned()));
        if !effects.contains(&Effect::Launch) {
            effects.insert(0, Effect::Launch);
            state.launch += 1;
        }
        // The bare address of the page turns into that of the default run.
        effects.extend(state.write_address());
        (state, effects)
    }

    /// Ranks of the run.
    pub fn world(&self) -> usize {
        self.plan.mesh().world().get()
    }

    /// Steps that every rank has done.
    pub fn steps(&self) -> u32 {
        self.record.steps()
    }

    /// How fast the run may go and when it pauses: not at a loss that it goes past.
    pub fn limits(&self) -> Limits {
        let limits = self.form.limits();
        match self.stopped {
            Some(Stop::Passed(_)) => Limits { stop_loss: None, ..limits },
            _ => limits,
        }
    }

    /// The step that is looked at: one that the user points at, the one that is held, or the newest.
    pub fn shown(&self) -> Option<Shared<WholeStep>> {
        self.chosen().or_else(|| self.record.figures.newest.clone())
    }

    /// The step that the user points at or holds.
    pub fn chosen(&self) -> Option<Shared<WholeStep>> {
        self.seen.clone().or_else(|| self.held.clone())
    }

    /// The step, counted from 1, after which the run stands and of which no events are kept.
    pub fn lost_step(&self) -> Option<u32> {
        let is_lost = self.steps() > self.record.first() && self.record.figures.newest.is_none();
        is_lost.then(|| self.steps())
    }

    /// Looks for the step that the slider or the cursor points at, or that is gone through ring
    /// step by ring step.
    pub(super) fn look_again(&mut self) {
        let pointed = self.look.and_then(|steps| steps.checked_sub(1)).or(self.cursor.step());
        self.seen = match (pointed, self.engine.phase()) {
            (Some(step), _) if self.seen.as_ref().is_some_and(|seen| seen.step == step) => return,
            (Some(step), _) => self.record.step(step),
            (None, Phase::Hopping | Phase::Within) => self.record.under_way(),
            (None, _) => None,
        };
    }

    /// What to do so that the address holds the run; nothing while the form is wrong.
    pub(super) fn write_address(&self) -> Option<Effect> {
        self.refusals.is_empty().then(|| Effect::WriteAddress(self.address(self.place)))
    }

    /// The address of the run seen from `place`; of the last run that could work, while the form
    /// is wrong.
    pub fn address(&self, place: Place) -> String {
        let mut run = self.run_address(place) + &entered::written(self, place);
        run += &self.language_address();
        if let Some(lesson) = self.lessons.address() {
            run += &address::taught(lesson);
        }
        match &self.embed {
            Some(embed) => run + &address::embedded(embed),
            None => run,
        }
    }

    /// The address of the run inside another page, with the usual panels.
    pub fn frame_address(&self) -> String {
        let run = self.run_address(Place::Play) + &self.language_address();
        run + &address::embedded(&Embed::default())
    }

    fn language_address(&self) -> String {
        match self.language_in_address {
            true => address::spoken(self.language),
            false => String::new(),
        }
    }

    /// The same in a page of its own.
    pub fn run_address(&self, place: Place) -> String {
        let from = self.origin.as_ref().map(|origin| origin.steps());
        self.address_of(place, self.text.is_some(), from)
    }

    /// An address of this run's settings, with an own text or not, and the step that it begins from.
    pub fn address_of(&self, place: Place, has_text: bool, from: Option<u32>) -> String {
        let form = match self.refusals.is_empty() {
            true => (*self.form).clone(),
            false => Form::of(self.plan.config()),
        };
        address::write(place, &form, self.check, has_text, from)
    }
}
