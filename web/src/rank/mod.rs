//! The worker's side of a run: one rank, which hears commands and reports to the page.

mod desk;
mod gate;
mod measure;
mod program;
mod round_trips;
mod self_test;
mod warm_up;
mod world;

use std::cell::RefCell;
use std::rc::Rc;

use plan::command::{Command, Report};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{MessageEvent, MessagePort};

use crate::build_id::BUILD_ID;
use crate::cluster::Role;
use crate::control::Control;
use crate::wire::unpack_command;
use world::Seat;

/// What this worker is there for, as its address says.
pub fn role() -> Role {
    match desk::query("role").as_deref() {
        Some("reference") => Role::Reference,
        Some("warm-up") => Role::WarmUp,
        _ => Role::Rank,
    }
}

/// Trains a little that nobody sees, and ends.
pub fn warm_up() {
    spawn_local(async {
        warm_up::run().await;
        desk::scope().close();
    });
}

/// Listens to the page, and says so.
pub fn listen() {
    crate::panic_hook::install(last_words);
    let control: RefCell<Option<Rc<Control>>> = RefCell::default();
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let (command, ports) = unpack_command(&event.data()).expect("the page sends commands only");
        obey(command, ports, &control);
    });
    desk::scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // It listens as long as the worker lives.
    listener.forget();
    desk::report(&Report::Ready { build: BUILD_ID.to_owned() });
}

fn obey(command: Command, ports: Vec<Option<MessagePort>>, current: &RefCell<Option<Rc<Control>>>) {
    let control = |run| current.borrow().clone().filter(|control| control.run() == run);
    match command {
        Command::Start { run, rank, config, text, from, until, epoch_ms } => {
            let fresh = Rc::new(Control::new(run, until));
            if let Some(old) = current.replace(Some(Rc::clone(&fresh))) {
                old.stop();
            }
            let seat = Seat { rank, ports };
            let task = program::Task { config: *config, text, from, epoch_ms };
            spawn_local(program::run(seat, task, fresh));
        }
        Command::Resume { run, until } => {
            control(run).into_iter().for_each(|control| control.resume(until));
        }
        Command::Step { run, until } => {
            control(run).into_iter().for_each(|control| control.step(until));
        }
        Command::Hop { run, until } => {
            control(run).into_iter().for_each(|control| control.hop(until));
        }
        Command::Pause { run } => control(run).into_iter().for_each(|control| control.pause()),
        Command::Save { run } => control(run).into_iter().for_each(|control| control.save()),
        Command::Stop { run } => control(run).into_iter().for_each(|control| control.stop()),
        Command::SelfTest { run, rank, world_size } => {
            spawn_local(self_test::run(run, Seat { rank, ports }, world_size));
        }
        Command::Measure { run, rank, config, warm_up, steps } => {
            let task = measure::Task { config: *config, warm_up, steps };
            spawn_local(measure::run(run, Seat { rank, ports }, task));
        }
        Command::Crash => panic!("Command::Crash: the page asked for a panic"),
    }
}

/// Tells the page and the other ranks why this one will say nothing more.
fn last_words(text: &str) {
    desk::report(&Report::Panicked { message: text.to_owned() });
    world::abort(text);
}

/// An error and what caused it, as one text.
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Transparent variants repeat what they wrap.
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
