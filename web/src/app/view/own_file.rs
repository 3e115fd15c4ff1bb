//! A file that is opened, or dropped anywhere on the page, on its way to become the user's text; a
//! checkpoint goes where those are opened.

use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_file::{File, futures::read_as_bytes};
use wasm_bindgen::JsCast;
use web_sys::{DataTransfer, DragEvent, Element, Event};
use yew::platform::spawn_local;
use yew::prelude::*;

use crate::app::own_text::{Thing, Unfit, judge};
use crate::app::state::OwnText;

/// Something that was opened or dropped; a file can be read.
pub type Found = (Thing, Option<web_sys::File>);

/// A file as it is opened by a button.
pub fn opened(file: web_sys::File) -> Found {
    (Thing::File(file.name(), file.size() as u64), Some(file))
}

/// The checkpoint among what was found, if it is that and nothing else.
pub fn checkpoint(found: &[Found]) -> Option<File> {
    match found {
        [(Thing::File(name, _), Some(file))] if name.ends_with(".safetensors") => {
            Some(File::from(file.clone()))
        }
        _ => None,
    }
}

/// Reads what was found, if it will do, and tells `on` the text or the reason.
pub fn take(found: Vec<Found>, on: Callback<Result<OwnText, Unfit>>) {
    let things: Vec<Thing> = found.iter().map(|(thing, _)| thing.clone()).collect();
    let place = match judge(&things) {
        Ok(place) => place,
        Err(unfit) => return on.emit(Err(unfit)),
    };
    let Some(file) = found.into_iter().nth(place).and_then(|(_, file)| file).map(File::from) else {
        return on.emit(Err(Unfit::NoFile));
    };
    spawn_local(async move {
        let name = file.name();
        on.emit(match read_as_bytes(&file).await {
            Ok(bytes) => {
                let bytes: Rc<[u8]> = bytes.into();
                Ok(OwnText { name: Some(name), bytes })
            }
            Err(error) => Err(Unfit::Unreadable(name, error.to_string())),
        });
    });
}

/// Hears what is dropped on the page while the component lives; whether files hang over it.
#[hook]
pub fn use_drop(on: Callback<Vec<Found>>) -> bool {
    let over = use_state_eq(|| false);
    // The listeners live as long as the component, and tell whoever listens now.
    let newest = use_mut_ref(|| on.clone());
    *newest.borrow_mut() = on;
    let setter = over.setter();
    use_effect_with((), move |()| {
        let listens = listen(setter, Callback::from(move |found| newest.borrow().emit(found)));
        move || drop(listens)
    });
    *over
}

/// Keeps the browser from opening a dropped file in place of the page, where none is wanted.
#[component]
pub fn NoDrop() -> Html {
    use_effect_with((), |()| {
        let listens = ["dragover", "drop"].map(|name| {
            hear(name, |event| {
                if let Some(data) = event.data_transfer().filter(has_files) {
                    event.prevent_default();
                    data.set_drop_effect("none");
                }
            })
        });
        move || drop(listens)
    });
    html! {}
}

/// Listens on the whole page.
fn hear(name: &'static str, act: impl Fn(&DragEvent) + 'static) -> Option<EventListener> {
    let options = EventListenerOptions::enable_prevent_default();
    let listener = move |event: &Event| {
        if let Some(event) = event.dyn_ref::<DragEvent>() {
            act(event);
        }
    };
    let window = web_sys::window()?;
    Some(EventListener::new_with_options(&window, name, options, listener))
}

fn listen(over: UseStateSetter<bool>, on: Callback<Vec<Found>>) -> Vec<EventListener> {
    let (enters, leaves, drops) = (over.clone(), over.clone(), over);
    let listens = [
        hear("dragover", move |event| {
            if let Some(data) = ours(event) {
                event.prevent_default();
                data.set_drop_effect("copy");
                enters.set(has_files(&data));
            }
        }),
        hear("dragleave", move |event| {
            // Out of the window; from element to element it only moves.
            if event.related_target().is_none() {
                leaves.set(false);
            }
        }),
        hear("drop", move |event| {
            drops.set(false);
            if let Some(data) = ours(event) {
                event.prevent_default();
                on.emit(found(&data));
            }
        }),
    ];
    listens.into_iter().flatten().collect()
}

/// What is dragged, unless it is text over a field, which takes it by itself.
fn ours(event: &DragEvent) -> Option<DataTransfer> {
    let data = event.data_transfer()?;
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let field = target.is_some_and(|t| t.closest("input, textarea").ok().flatten().is_some());
    (has_files(&data) || !field).then_some(data)
}

fn has_files(data: &DataTransfer) -> bool {
    data.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files"))
}

fn found(data: &DataTransfer) -> Vec<Found> {
    let items = data.items();
    let found: Vec<Found> = (0..items.length())
        .filter_map(|i| items.get(i))
        .filter(|item| item.kind() == "file")
        .filter_map(|item| {
            // Read now: once the event is over, the browser forgets what was dropped.
            let entry = item.webkit_get_as_entry().ok().flatten();
            let file = item.get_as_file().ok().flatten()?;
            Some(match entry.is_some_and(|entry| entry.is_directory()) {
                true => (Thing::Folder(file.name()), None),
                false => opened(file),
            })
        })
        .collect();
    if found.is_empty() { vec![(Thing::Other, None)] } else { found }
}
