//! The groups' place: sizes, the mesh as a grid, and the chosen rank's peers in words.

use std::borrow::Cow;

use crate::t;
use plan::{Mesh, Refusal};
use yew::prelude::*;

use crate::app::groups::mesh::GroupMesh;
use crate::app::groups::{Act, ENTRIES, Groups};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::view::field::sentence;
use crate::app::view::memo::View;
use crate::app::view::mesh_grid::{MeshGrid, legend, table};
use crate::app::view::parts::section;
use crate::app::view::typed::Typed;

/// The view.
#[derive(PartialEq)]
pub struct GroupsView {
    /// What is entered.
    pub groups: Shared<Groups>,
    /// The run's mesh.
    pub run: Mesh,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Meshes to begin with.
const EXAMPLES: [(&str, [usize; 5]); 3] =
    [("16", [2, 2, 4, 1, 1]), ("64", [2, 2, 4, 2, 2]), ("1,024", [4, 8, 8, 1, 4])];

impl View for GroupsView {
    fn draw(&self) -> Html {
        let Self { groups, run, on } = self;
        let act = on.reform(Action::Groups);
        let mesh = groups.mesh(*run);
        let refusals = mesh.as_ref().err().cloned().unwrap_or_default();
        let refused = |name: &str| refusals.iter().find(|refusal| refusal.field == name).cloned();
        let sizes = groups.sizes(*run);
        let inputs = ENTRIES.iter().zip(&sizes).enumerate().map(|(axis, (entry, size))| {
            html! {
                <Typed
                    key={entry.name}
                    id={format!("size-{}", entry.name)}
                    label={entry.label()}
                    value={size.clone()}
                    hint={entry.hint()}
                    mode="numeric"
                    wrong={refused(entry.name).as_ref().map(sentence)}
                    on={act.reform(move |text| Act::Size(axis, text))}
                />
            }
        });
        let example = |(world, sizes): (&'static str, [usize; 5])| {
            html! {
                <button key={world} type="button" onclick={act.reform(move |_| Act::Sizes(sizes))}>
                    { t!("groups.example", world = world) }
                </button>
            }
        };
        let lead = html! { { t!("groups.lead") } };
        section(
            "groups",
            t!("groups.title"),
            lead,
            html! {
                <>
                    <div class="workbench" role="group" aria-label={t!("groups.sizes")}>
                        { for inputs }
                    </div>
                    <div class="row">
                        <button
                            type="button"
                            aria-disabled={groups.follows().to_string()}
                            onclick={act.reform(|_| Act::Follow)}
                        >
                            { t!("groups.follow") }
                        </button>
                        { for EXAMPLES.map(example) }
                    </div>
                    <p role="status" aria-label={t!("groups.mesh")}>{ match &mesh {
                        Ok(mesh) => product(mesh).into_owned(),
                        Err(_) => refused("world_size").map(|r| format!("world_size = {}", sentence(&r)))
                            .unwrap_or_else(|| t!("groups.no_mesh").into_owned()),
                    } }</p>
                    if let Ok(mesh) = mesh {
                        { Chooser {
                            rank: groups.rank(mesh.world()),
                            typed: groups.chosen().to_owned().into(),
                            mesh,
                            on: act.reform(Act::Choose),
                        }.part() }
                    }
                </>
            },
        )
    }
}

/// `64 ranks: dp_replicate 2 × dp_shard 2 × ring 4 × ulysses 2 × tp 2`.
fn product(mesh: &GroupMesh) -> Cow<'static, str> {
    let terms: Vec<String> = (0..ENTRIES.len())
        .filter(|&axis| mesh.grid.size(axis) > 1)
        .map(|axis| format!("{} {}", mesh.grid.name(axis), mesh.grid.size(axis)))
        .collect();
    match (mesh.world(), terms.is_empty()) {
        (_, true) => t!("groups.product_one"),
        (world, false) => t!("groups.product", world = world, terms = terms.join(" × ")),
    }
}

/// The grid with the number of the chosen rank, and its groups.
#[derive(PartialEq)]
pub struct Chooser {
    /// The mesh.
    pub mesh: GroupMesh,
    /// The chosen rank, or what is wrong with it.
    pub rank: Result<usize, Refusal>,
    /// What stands in the input.
    pub typed: AttrValue,
    /// Hears what is typed or chosen.
    pub on: Callback<String>,
}

impl View for Chooser {
    fn draw(&self) -> Html {
        let Self { mesh, rank, typed, on } = self;
        let chosen = rank.as_ref().copied().unwrap_or(0);
        let choose = on.reform(|rank: usize| rank.to_string());
        html! {
            <div class="chooser">
                <div class="chooser-words">
                    <Typed
                        id="chosen-rank"
                        label={t!("groups.rank.label")}
                        value={typed.clone()}
                        hint={t!("groups.rank.hint")}
                        mode="numeric"
                        wrong={rank.as_ref().err().map(sentence)}
                        {on}
                    />
                    <p role="status" aria-label={t!("groups.chosen")}>
                        { t!("groups.place", rank = chosen, place = mesh.place(chosen)) }
                    </p>
                    { legend(mesh) }
                </div>
                <MeshGrid mesh={mesh.clone()} rank={chosen} on={choose} />
                { table(mesh, chosen) }
            </div>
        }
    }
}
