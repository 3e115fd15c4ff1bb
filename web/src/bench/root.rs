//! The component that owns the bench, and carries out what it asks of the world outside.

use gloo_events::EventListener;
use gloo_storage::{LocalStorage, Storage};
use plan::command::RunId;
use web_sys::Window;
use yew::prelude::*;

use crate::app::browser::{self, picture};
use crate::app::places::Place;
use crate::cluster::{Cluster, ClusterEvent};

use super::state::{Act, Bench, Job, Order};
use super::view;

/// Where what was found is kept for the next visit.
const KEPT: &str = "ringside.bench";

/// The bench.
pub struct Root {
    bench: Bench,
    cluster: Option<Cluster>,
    _resized: Option<EventListener>,
}

impl Component for Root {
    type Message = Act;
    type Properties = ();

    fn create(_: &Context<Self>) -> Self {
        let resized =
            |window: Window| EventListener::new(&window, "resize", |_| browser::fit_frame());
        Self {
            bench: Bench::of(LocalStorage::raw().get_item(KEPT).ok().flatten()),
            cluster: None,
            _resized: web_sys::window().map(resized),
        }
    }

    fn update(&mut self, ctx: &Context<Self>, act: Act) -> bool {
        match self.bench.apply(act) {
            None => {}
            Some(Order::End) => self.end(),
            Some(Order::Save(file)) => {
                // Where a browser gives no file, it says so itself.
                let _ = picture::save(&file);
            }
            Some(Order::Measure(launch, job)) => {
                self.end();
                let on = ctx.link().callback(move |event| Act::Hear(launch, event));
                match Cluster::launch(job.ranks() as u16, on.clone()) {
                    Ok(cluster) => {
                        measure(&cluster, job);
                        self.cluster = Some(cluster);
                    }
                    Err(failure) => on.emit(ClusterEvent::Failure(failure)),
                }
            }
        }
        true
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        browser::fit_frame();
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        html! {
            <div class="page bench-page">
                <main>
                    <h1 class="unseen">{ Place::Bench.title() }</h1>
                    { view::page(&self.bench, &ctx.link().callback(|act| act)) }
                </main>
            </div>
        }
    }
}

impl Root {
    /// Ends the workers, and keeps what they have found.
    fn end(&mut self) {
        self.cluster = None;
        if let Ok(text) = String::from_utf8(self.bench.file().bytes) {
            // A browser that keeps nothing loses only the next visit's head start.
            let _ = LocalStorage::raw().set_item(KEPT, &text);
        }
    }
}

fn measure(cluster: &Cluster, job: Job) {
    match job {
        Job::Hops => cluster.self_test(RunId(0)),
        Job::Steps(task) => {
            let (config, warm_up, steps) = task.run();
            cluster.measure(RunId(0), &config, warm_up, steps);
        }
    }
}
