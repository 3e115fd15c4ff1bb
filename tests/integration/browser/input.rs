//! Bad input: the message stands beside the field, nothing hangs, and a good value goes on.

use anyhow::{Result, ensure};

use super::drive::open;
use super::site::Hosting;

#[test]
fn a_bad_value_is_explained_beside_its_field_and_a_good_one_goes_on() -> Result<()> {
    open(Hosting::default(), "", async |page, _| {
        page.until_ready(4).await?;
        let good = page.value("Sequence length").await?;
        for bad in ["0", "-3", "many", "", "99999999999999999999", "2.5"] {
            page.enter("Sequence length", bad).await?;
            page.until(&format!("a complaint about {bad:?}"), async |page| {
                Ok(page.complaint("Sequence length").await?.contains("try"))
            })
            .await?;
            page.press("Run").await?;
            ensure!(page.step().await? == 0, "it ran with the sequence length {bad:?}");
            page.enter("Sequence length", &good).await?;
            page.until("the complaint to go", async |page| {
                Ok(page.complaint("Sequence length").await?.is_empty())
            })
            .await?;
        }
        page.until_ready(4).await?;
        page.press("Run").await?;
        page.until_step(1).await
    })
}

#[test]
fn more_ranks_than_tokens_are_refused() -> Result<()> {
    open(Hosting::default(), "v=1&cp=8&seq_len=8", async |page, _| {
        page.until_ready(8).await?;
        page.enter("Sequence length", "4").await?;
        page.until("a complaint", async |page| {
            let both = page.complaint("Ranks").await? + &page.complaint("Sequence length").await?;
            Ok(both.contains("try"))
        })
        .await?;
        Ok(())
    })
}

#[test]
fn a_text_shorter_than_a_sequence_is_refused_and_a_longer_one_trains() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2", async |page, _| {
        page.until_ready(2).await?;
        let script = "const area = document.getElementById('own-text');
             area.value = arguments[0];
             area.dispatchEvent(new InputEvent('input', { bubbles: true }));";
        for (text, says) in [("", "0 bytes"), ("Hello", "5 bytes")] {
            page.script(script, serde_json::json!([text])).await?;
            let says = if text.is_empty() { "empty" } else { says };
            page.until(&format!("{says:?} beside the text"), async |page| {
                Ok(page.text(".settings").await?.contains(says))
            })
            .await?;
        }
        let long = "To be, or not to be, that is the question. \u{4f60}\u{597d} ".repeat(20);
        page.script(script, serde_json::json!([long])).await?;
        page.until_ready(2).await?;
        page.press("Run").await?;
        page.until_step(1).await
    })
}
