//! The browser's own translation, which puts a `<font>` in the place of each text: the page goes on
//! under it, and shows no text of an earlier moment.

use anyhow::{Result, ensure};
use serde_json::json;

use super::drive::open;
use super::site::Hosting;

/// Does to the page what a translation does: each text, now and later, gives way to a `<font>`.
const TRANSLATE: &str = "
    const left = 'script, style, textarea, option, svg, [translate=no]';
    const translate = (node) => {
        for (const child of [...node.childNodes]) {
            if (child.nodeType === Node.TEXT_NODE && child.nodeValue.trim()) {
                if (node.closest(left)) continue;
                const font = document.createElement('font');
                font.textContent = '«' + child.nodeValue + '»';
                node.replaceChild(font, child);
            } else if (child.nodeType === Node.ELEMENT_NODE && child.nodeName !== 'FONT') {
                translate(child);
            }
        }
    };
    translate(document.body);
    return document.querySelectorAll('font').length;";

#[test]
fn numbers_and_words_stay_those_of_the_moment() -> Result<()> {
    open(Hosting::default(), "v=1&cp=2", async |page, _| {
        page.until_ready(2).await?;
        let fonts = page.script(TRANSLATE, json!([])).await?;
        ensure!(fonts.as_u64().is_some_and(|fonts| fonts > 50), "{fonts} texts were translated");
        ensure!(page.status("State").await?.contains("«2 workers ready»"));

        for step in 1..=2 {
            page.script("document.querySelectorAll('.toolbar button')[2].click()", json!([]))
                .await?;
            page.until_step(step).await?;
            page.until_status("State", "Paused").await?;
            // The next text is translated as well.
            page.script(TRANSLATE, json!([])).await?;
        }
        let reading = page.text(".reading").await?;
        ensure!(reading.contains("Step 2"), "the curve reads {reading}");

        // What is taken away goes, translated or not.
        page.script("document.querySelectorAll('.masthead nav a')[1].click()", json!([])).await?;
        page.until("the other place", async |page| {
            Ok(page.text("main h2").await?.contains("Device mesh"))
        })
        .await?;
        let rest =
            page.script("return document.querySelectorAll('.ring').length", json!([])).await?;
        ensure!(rest == json!(0), "the ring is still there");
        Ok(())
    })
}
