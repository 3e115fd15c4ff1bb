//! A step as it would go on other links or with a slow rank, beside the step that was measured.

use plan::event::EventKind;
use plan::simulate::{Cover, Model};

use crate::app::choices::Offer;
use crate::app::fields::{Field, Kind};
use crate::app::format;
use crate::app::geometry::timeline::{Drawing, Lanes, draw, lanes};
use crate::app::geometry::window::Window;
use crate::app::record::WholeStep;
use crate::app::shared::Shared;
use crate::t;

/// The two steps, with their numbers.
#[derive(Debug)]
pub struct WhatIf {
    /// What is assumed.
    pub model: Model,
    /// The step, from 0.
    pub step: u32,
    /// What was measured.
    pub measured: Lanes,
    /// What is modelled.
    pub modelled: Lanes,
    /// All messages that were received, in the model.
    pub messages: Cover,
    /// Those of the ring.
    pub ring: Cover,
    /// Where links and a slow rank are asked about, the step on these links with all ranks at their
    /// pace: what is not the slow rank's doing.
    links: Option<Lanes>,
}

impl WhatIf {
    /// What `model` makes of `step`.
    pub fn new(step: &WholeStep, model: Model) -> Self {
        let modelled = model.simulate(&step.events);
        let links = Model { slow: None, ..model };
        let links = (model.slow.is_some() && !links.is_measured())
            .then(|| lanes(&links.simulate(&step.events).events));
        Self {
            model,
            step: step.step,
            measured: lanes(&step.events),
            modelled: lanes(&modelled.events),
            messages: modelled.messages,
            ring: modelled.ring,
            links,
        }
    }

    /// Both as drawings on one scale of time, measured first.
    pub fn draw(&self, width: f64) -> [Shared<Drawing>; 2] {
        let window = Window::whole(self.measured.length_us.max(self.modelled.length_us));
        [&self.measured, &self.modelled].map(|lanes| Shared::new(draw(lanes, window, width)))
    }

    /// How many times as long as measured the modelled step takes.
    pub fn ratio(&self) -> f64 {
        self.modelled.length_us as f64 / self.measured.length_us.max(1) as f64
    }

    /// How long both steps took, in words.
    pub fn times(&self) -> String {
        t!(
            "what_if.times",
            step = self.step + 1,
            measured = micros(self.measured.length_us),
            modelled = micros(self.modelled.length_us),
            ratio = format!("{:.2}", self.ratio())
        )
        .into_owned()
    }

    /// What happens in the modelled step, in words.
    pub fn words(&self) -> String {
        let (bare, all) = (self.ring.bare, self.ring.all);
        let others = self.messages;
        let covered = match (bare, all) {
            _ if others.all == 0 => t!("what_if.no_message"),
            (0, 0) if others.bare == 0 => t!("what_if.none_waits", all = others.all),
            (0, 0) => t!("what_if.waits", bare = others.bare, all = others.all),
            (0, all) => t!("what_if.ring_hidden", all = all),
            (bare, all) => t!("what_if.ring_waits", bare = bare, all = all),
        };
        let slow = self.model.slow.map(|(rank, factor)| {
            let first = self.links.as_ref().map(|links| {
                let measured = micros(waits(&self.measured, None));
                t!("what_if.links", waits = micros(waits(links, None)), measured = measured)
            });
            let before = self.links.as_ref().unwrap_or(&self.measured);
            let more = waits(&self.modelled, Some(rank)).saturating_sub(waits(before, Some(rank)));
            let slow = t!("what_if.slow", rank = rank, factor = factor, more = micros(more));
            [first.unwrap_or_default(), slow].concat()
        });
        [slow.map(Into::into), Some(covered)].into_iter().flatten().collect()
    }
}

/// In words: the table has it to the microsecond.
fn micros(us: u64) -> String {
    format::micros(us as f64)
}

/// Microseconds that all ranks together stand still, but the one that is left out.
fn waits(lanes: &Lanes, but: Option<u16>) -> u64 {
    let counted = (0..lanes.spans.len()).filter(|&rank| Some(rank as u16) != but);
    counted.map(|rank| waited_us(lanes, rank)).sum()
}

/// Microseconds that `rank` stands still.
pub fn waited_us(lanes: &Lanes, rank: usize) -> u64 {
    let spans = lanes.spans.get(rank).map_or(&[][..], Vec::as_slice);
    let waits = spans.iter().filter(|span| matches!(span.kind, EventKind::Recv { .. }));
    waits.map(|span| span.took_us).sum()
}

/// Microseconds after which `rank` has done all.
pub fn end_us(lanes: &Lanes, rank: usize) -> u64 {
    let spans = lanes.spans.get(rank).map_or(&[][..], Vec::as_slice);
    spans.iter().map(|span| span.end_us()).max().unwrap_or(0)
}

/// The entries of `field`'s select, for a run of `world` ranks.
pub fn offers(field: Field, value: &str, world: usize) -> Vec<Offer> {
    let Kind::Choice(values) = field.kind() else { return Vec::new() };
    let is_there = |rank: &str| rank.parse::<usize>().is_ok_and(|rank| rank < world);
    let offer = |&offered: &&'static str| {
        let is_rank = field != Field::SlowRank || offered.is_empty() || is_there(offered);
        let label = match is_rank {
            true => field.option(offered),
            // A link has asked for it.
            false if offered == value => t!("what_if.no_such_rank", rank = offered),
            false => return None,
        };
        Some(Offer { value: offered.to_owned(), label, refused: None })
    };
    values.iter().filter_map(offer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::event::{Axis, Op, Pass};
    use plan::{Event, TileKind};

    /// Two ranks that exchange a block behind a tile of 100 µs, and then compute another.
    fn step() -> WholeStep {
        let side = |rank: u16| {
            let event = |at_us, kind| Event { rank, step: 6, at_us, kind };
            let (axis, op, peer) = (Axis::Ring, Op::RingKv, 1 - rank);
            let tile = |ring_step| EventKind::Tile {
                layer: 0,
                pass: Pass::Forward,
                ring_step,
                kv_from: 0,
                kind: TileKind::Full,
                pairs: 1,
                took_us: 100,
            };
            let (bytes, block, seq) = (1000, Some(rank), 0);
            vec![
                event(10, EventKind::StepBegin),
                event(10, EventKind::Send { axis, op, seq, to: peer, bytes, block }),
                event(110, tile(0)),
                event(
                    115,
                    EventKind::Recv { axis, op, seq, from: peer, bytes, block, waited_us: 5 },
                ),
                event(215, tile(1)),
                event(215, EventKind::StepEnd { took_us: 205 }),
            ]
        };
        WholeStep { step: 6, events: vec![side(0), side(1)] }
    }

    fn links(latency_us: f64) -> Model {
        Model { latency_us: Some(latency_us), ..Model::default() }
    }

    #[test]
    fn a_long_link_makes_the_modelled_step_longer_and_leaves_the_measured_one() {
        let far = WhatIf::new(&step(), links(1000.0));
        assert_eq!((far.measured.length_us, far.modelled.length_us), (205, 1100));
        assert_eq!((waited_us(&far.measured, 1), waited_us(&far.modelled, 1)), (5, 900));
        assert_eq!(end_us(&far.modelled, 0), 1100);
        assert_eq!(far.times(), "Step 7: 205 µs measured; 1.1 ms modelled, 5.37 times as long.");
        assert_eq!(far.words(), "The ring waits for its blocks: 2 of 2 ring messages come late.");
    }

    #[test]
    fn it_is_said_when_nothing_waits() {
        let near = WhatIf::new(&step(), links(0.0));
        assert_eq!(near.words(), "All 2 ring messages are there before they are needed.");
        let alone = WholeStep { step: 0, events: vec![step().events.swap_remove(0)] };
        let alone = WhatIf::new(&alone, links(0.0)).words();
        assert!(alone.contains("no message") && !alone.contains("hidden"), "{alone}");
    }

    /// Two ranks that exchange a block once each has computed a tile of 100 µs.
    fn late() -> WholeStep {
        let mut step = step();
        for events in &mut step.events {
            events.swap(1, 2);
            events[2].at_us = 110;
            events.remove(4);
        }
        step
    }

    #[test]
    fn a_slow_rank_is_named_with_what_it_costs_the_others() {
        let slow = Model { slow: Some((1, 2.0)), ..Model::default() };
        let words = WhatIf::new(&late(), slow).words();
        let expect =
            "Rank 1 computes 2 times as long, and for that the others together wait 100 µs";
        assert!(words.starts_with(expect), "{words}");
    }

    #[test]
    fn what_links_cause_is_not_laid_on_a_slow_rank() {
        let slow = Model { slow: Some((1, 2.0)), ..links(150.0) };
        for (step, on_links, more) in [(step(), 100, 0), (late(), 300, 100)] {
            let asked = WhatIf::new(&step, slow);
            let expect = format!(
                "On these links alone all ranks together wait {on_links} µs; measured were 10 µs. \
                 Rank 1 computes 2 times as long, and for that the others together wait {more} µs \
                 longer. "
            );
            assert!(asked.words().starts_with(&expect), "{}", asked.words());
        }
        let asked = WhatIf::new(&step(), slow);
        assert_eq!((end_us(&asked.modelled, 0), end_us(&asked.modelled, 1)), (250, 400));
    }

    #[test]
    fn both_are_drawn_on_one_scale() {
        let far = WhatIf::new(&step(), links(1000.0));
        let [measured, modelled] = far.draw(1034.0);
        assert_eq!(measured.ticks, modelled.ticks);
        let last = |drawing: &Drawing| drawing.numbers.iter().map(|n| n.0).fold(0.0, f64::max);
        assert!(last(&measured) < 250.0 && last(&modelled) > 900.0);
    }

    #[test]
    fn only_ranks_of_the_run_are_offered() {
        let labels = |value, world| {
            let offers = offers(Field::SlowRank, value, world);
            offers.into_iter().map(|offer| offer.label).collect::<Vec<_>>()
        };
        assert_eq!(labels("", 2), ["none", "0", "1"]);
        assert_eq!(labels("5", 2), ["none", "0", "1", "5 (not in this run)"]);
        let latencies = offers(Field::LinkLatency, "", 1);
        assert_eq!(latencies[0].label, "as measured");
        assert_eq!(latencies[5].label, "10 ms (WAN)");
        assert_eq!(offers(Field::SlowFactor, "2", 1)[0].label, "×1.5");
    }
}
