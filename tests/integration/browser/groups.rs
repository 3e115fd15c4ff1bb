//! The groups' view: a rank of 1,024 is chosen by number, by key and by pointer, and its peers are
//! the mesh's; sizes that are none are explained.

use anyhow::{Result, ensure};
use plan::Grid;
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

const WORLD: usize = 1024;

/// The mesh behind the button "1,024 ranks", and its groups.
fn mesh() -> (Grid<5>, [(&'static str, &'static [usize]); 6]) {
    let axes = [("dp_replicate", 4), ("dp_shard", 8), ("ring", 8), ("ulysses", 1), ("tp", 4)];
    let groups: [(&str, &[usize]); 6] = [
        ("dp", &[0, 1]),
        ("cp", &[2, 3]),
        ("tp", &[4]),
        ("dp_replicate", &[0]),
        ("dp_shard", &[1]),
        ("dp_cp", &[0, 1, 2, 3]),
    ];
    (Grid::new(axes).expect("1,024 ranks are a grid"), groups)
}

async fn names_the_peers_of(page: &Page, rank: usize) -> Result<()> {
    page.until_status("Chosen rank", &format!("Rank {rank}:")).await?;
    let (grid, groups) = mesh();
    let rows = page.table("Groups of the chosen rank").await?;
    ensure!(rows.len() == groups.len(), "{rows:?}");
    for (row, (name, over)) in rows.iter().zip(groups) {
        let peers: Vec<String> = grid
            .group(rank, over)
            .into_iter()
            .filter(|&member| member != rank)
            .map(|member| member.to_string())
            .collect();
        ensure!(row[0] == name && row[2] == peers.join(", "), "rank {rank}: {row:?}");
    }
    Ok(())
}

#[test]
fn a_rank_of_1024_names_its_peers_however_it_is_chosen() -> Result<()> {
    open(Hosting::default(), "v=1&view=groups", async |page, _| {
        page.until_status("Mesh", "4 ranks: ring 4").await?;
        page.press("1,024 ranks").await?;
        page.until_status("Mesh", "1024 ranks").await?;
        for rank in [0, 777, WORLD - 1] {
            page.enter("Rank", &rank.to_string()).await?;
            names_the_peers_of(page, rank).await?;
        }
        let place = "const cell = document.querySelector('.chosen-cell').getBoundingClientRect();
             return [cell.x + cell.width / 2, cell.y + cell.height / 2];";
        page.script(
            "document.querySelector('.mesh-grid').scrollIntoView({ block: 'end' });",
            json!([]),
        )
        .await?;
        let at = page.script(place, json!([])).await?;
        page.keys(".mesh-grid", "\u{e011}").await?;
        names_the_peers_of(page, 0).await?;
        page.keys(".mesh-grid", "\u{e014}").await?;
        page.until("the next rank to the right", async |page| {
            Ok(!page.status("Chosen rank").await?.contains("Rank 0:"))
        })
        .await?;
        page.keys(".mesh-grid", "\u{e012}").await?;
        names_the_peers_of(page, 0).await?;
        let click = "document.elementFromPoint(arguments[0][0], arguments[0][1])
             .dispatchEvent(new MouseEvent('click', { bubbles: true,
                 clientX: arguments[0][0], clientY: arguments[0][1] }));";
        // Where the keys came to, the page may have scrolled.
        page.script(
            "document.querySelector('.mesh-grid').scrollIntoView({ block: 'end' });",
            json!([]),
        )
        .await?;
        page.script(click, json!([at])).await?;
        names_the_peers_of(page, WORLD - 1).await
    })
}

#[test]
fn choosing_among_1024_never_holds_the_page() -> Result<()> {
    open(Hosting::default(), "v=1&view=groups", async |page, _| {
        page.until_status("Mesh", "ranks").await?;
        page.press("1,024 ranks").await?;
        page.until_status("Mesh", "1024 ranks").await?;
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        let watch = "window.longTasks = [];
             new PerformanceObserver(list => longTasks.push(...list.getEntries().map(e => e.duration)))
                 .observe({ type: 'longtask' });";
        page.script(watch, json!([])).await?;
        for rank in (0..WORLD).step_by(97) {
            page.enter("Rank", &rank.to_string()).await?;
            page.until_status("Chosen rank", &format!("Rank {rank}:")).await?;
        }
        let long = page.script("return window.longTasks;", json!([])).await?;
        ensure!(long == json!([]), "tasks of {long} ms held the page");
        Ok(())
    })
}

#[test]
fn sizes_that_are_none_are_explained_and_a_good_one_goes_on() -> Result<()> {
    open(Hosting::default(), "v=1&view=groups", async |page, _| {
        page.until_status("Mesh", "4 ranks").await?;
        for bad in ["0", "-3", "many", "", "99999999999999999999", "2.5"] {
            page.enter("Tensor", bad).await?;
            page.until(&format!("a complaint about {bad:?}"), async |page| {
                Ok(page.complaint("Tensor").await?.contains("try"))
            })
            .await?;
        }
        page.enter("Tensor", "1000").await?;
        page.until_status("Mesh", "more than 1024 ranks").await?;
        page.enter("Tensor", "2").await?;
        page.until_status("Mesh", "8 ranks: ring 4 × tp 2").await?;
        page.enter("Rank", "8").await?;
        page.until("a complaint about rank 8", async |page| {
            Ok(page.complaint("Rank").await?.contains("between 0 and 7"))
        })
        .await?;
        page.press("Mesh of this run").await?;
        page.until_status("Mesh", "4 ranks: ring 4.").await
    })
}
