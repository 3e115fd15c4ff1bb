//! Which slice of the sequence each rank holds: a strip of positions, and a list in words.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::t;
use plan::RunPlan;
use yew::prelude::*;

use crate::app::cursor::Spot;
use crate::app::format;
use crate::app::glossary::Shown;
use crate::app::shared::Shared;
use crate::app::view::memo::View;
use crate::app::view::parts::{rank_class, rank_mark};
use crate::app::view::term::terms;

/// The strip and the list.
#[derive(PartialEq)]
pub struct Slices {
    /// The run.
    pub plan: Shared<RunPlan>,
    /// Each rank's slice of its newest step's first sequence.
    pub tokens: Shared<BTreeMap<u16, Vec<u8>>>,
    /// What is lit.
    pub spot: Spot,
}

/// Bytes as one line of text: line ends as a sign, and a dot for each byte that is no text, such as
/// the halves of a letter that lies across two slices.
fn readable(tokens: &[u8]) -> String {
    let mut line = String::new();
    for chunk in tokens.utf8_chunks() {
        line.extend(chunk.valid().chars().map(|letter| match letter {
            '\n' => '↵',
            _ if letter.is_control() => '·',
            _ => letter,
        }));
        line.extend(chunk.invalid().iter().map(|_| '·'));
    }
    line
}

impl View for Slices {
    fn draw(&self) -> Html {
        let Self { plan, tokens, spot } = self;
        let sequence = plan.attention().sequence();
        let shards = sequence.view();
        let (len, padded) = (sequence.seq_len(), sequence.padded_len());
        let dp = plan.config().dp;
        let world = plan.mesh().world();
        // A block is its rank's slice.
        let lit = spot.rank.or(spot.block).and_then(|rank| world.rank(usize::from(rank)).ok());
        let strip = shards.iter().map(|shard| {
            let mut path = String::new();
            for (first, last) in format::runs(&shard.positions) {
                // Writing to a string does not fail.
                let _ = write!(path, "M{first} 0h{}v1h-{0}z", last - first + 1);
            }
            let place = lit.map(|rank| plan.cp_rank(rank).index());
            let class = place.map(|place| if place == shard.rank { "is-lit" } else { "is-out" });
            html! {
                <path
                    key={shard.rank}
                    class={classes!(rank_class(shard.rank), class)}
                    data-rank={shard.rank.to_string()}
                    d={path}
                />
            }
        });
        let cuts = (1..len as u32).filter(|&p| sequence.mask().ends_document(p - 1));
        let list = world.ranks().map(|rank| {
            let shard = &shards[plan.cp_rank(rank).index()];
            html! {
                <li key={rank.index()} class={classes!(spot.rank_class(rank.index()))} data-rank={rank.index().to_string()}>
                    { rank_mark(rank.index()) }
                    <span>{ format::positions(&shard.positions) }</span>
                    if let Some(tokens) = tokens.get(&(rank.index() as u16)) {
                        <q class="tokens" translate="no">{ readable(tokens) }</q>
                    }
                </li>
            }
        });
        let padding = if padded > len {
            t!("slices.padding", count = padded - len).into_owned()
        } else {
            String::new()
        };
        let whose = if dp > 1 { t!("slices.replicas").into_owned() } else { String::new() };
        html! {
            <div class="slices">
                <h3>{ t!("slices.title") }</h3>
                <svg
                    class="strip"
                    viewBox={format!("0 0 {padded} 1")}
                    preserveAspectRatio="none"
                    aria-hidden="true"
                >
                    { for strip }
                    { for cuts.map(|p| html! { <path key={p} class="cut" d={format!("M{p} 0v1")} /> }) }
                </svg>
                <p class="ends" aria-hidden="true"><span>{ "0" }</span><span>{ len - 1 }</span></p>
                <p class="hint">{ t!("slices.tokens", count = len) }{ padding }{ whose }</p>
                { terms(if padded > len { &[Shown::Positions, Shown::Padding] } else { &[Shown::Positions] }) }
                <ul>{ for list }</ul>
            </div>
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_dots() {
        assert_eq!(readable(b"a ring\n\xff\x00z"), "a ring↵··z");
        let letters = "上下文".as_bytes();
        assert_eq!(
            (readable(letters), readable(&letters[2..8])),
            ("上下文".into(), "·下··".into())
        );
    }
}
