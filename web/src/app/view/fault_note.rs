//! Says plainly that the run on show is wrong on purpose.

use crate::t;
use plan::Fault;
use yew::prelude::*;

use crate::app::language::told;
use crate::app::view::memo::View;

/// The fault and its symptom; nothing beside a healthy run.
#[derive(PartialEq)]
pub struct FaultNote {
    /// The run's fault.
    pub fault: Option<Fault>,
}

impl View for FaultNote {
    fn draw(&self) -> Html {
        let Self { fault } = self;
        html! {
            <div role="status" aria-label={t!("fault_note.label")}>
                if let Some(fault) = fault {
                    <p class="fault-note">
                        <strong>{ t!("fault_note.this_run", wrong = told(&fault.wrong())) }</strong>
                        { t!("between.sentences") }
                        { t!("fault_note.look_for", symptom = told(&fault.symptom())) }
                    </p>
                }
            </div>
        }
    }
}
