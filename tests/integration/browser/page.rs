//! The page as its user knows it: buttons, labelled fields, statuses and tables, by their names.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fantoccini::actions::MouseActions;
use fantoccini::elements::Element;
use fantoccini::wd::WindowHandle;
use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use super::chrome::Chrome;
use super::devtools;

/// Patience for whatever the page must do; a busy machine is slow.
pub const SOON: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

/// An open page.
pub struct Page {
    client: Client,
    driver: u16,
}

impl Page {
    /// Opens `url`.
    pub async fn open(chrome: &Chrome, url: &str) -> Result<Self> {
        chrome.client().goto(url).await?;
        Ok(Self { client: chrome.client().clone(), driver: chrome.port() })
    }

    /// Gives the browser a command of its own protocol.
    pub async fn devtools(&self, command: &str, parameters: Value) -> Result<Value> {
        devtools::command(self.driver, &self.client, command, parameters).await
    }

    /// Lets the user prefer this theme, `light` or `dark`, and no motion.
    pub async fn prefer(&self, theme: &str) -> Result<()> {
        let features = json!([
            { "name": "prefers-color-scheme", "value": theme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        let features = json!({ "features": features });
        self.devtools("Emulation.setEmulatedMedia", features).await?;
        Ok(())
    }

    /// Gives the page a window of this size.
    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await?;
        Ok(())
    }

    /// Does what a pointer does, in order.
    pub async fn point(&self, actions: MouseActions) -> Result<()> {
        Ok(self.client.perform_actions(actions).await?)
    }

    /// Loads it again.
    pub async fn reload(&self) -> Result<()> {
        Ok(self.client.refresh().await?)
    }

    /// Goes to another address.
    pub async fn go(&self, url: &str) -> Result<()> {
        Ok(self.client.goto(url).await?)
    }

    /// Goes into the frame that a CSS selector finds: all that follows happens there.
    pub async fn enter_frame(&self, css: &str) -> Result<()> {
        Ok(self.client.find(Locator::Css(css)).await?.enter_frame().await?)
    }

    /// Goes back into the page around the frame.
    pub async fn leave_frame(&self) -> Result<()> {
        Ok(self.client.clone().enter_parent_frame().await?)
    }

    /// Opens `url` in a tab of its own, which all that follows happens in; the old one comes back.
    pub async fn open_tab(&self, url: &str) -> Result<WindowHandle> {
        let old = self.client.window().await?;
        let new = self.client.new_window(true).await?.handle;
        self.client.switch_to_window(new).await?;
        self.client.goto(url).await?;
        Ok(old)
    }

    /// Goes to a tab that was opened before.
    pub async fn go_to_tab(&self, tab: WindowHandle) -> Result<()> {
        Ok(self.client.switch_to_window(tab).await?)
    }

    /// Presses a button, found by the beginning of its name.
    pub async fn press(&self, name: &str) -> Result<()> {
        // "Step" is not "Step back"; "Reset" goes on with "(same seed)".
        let path = format!(
            "//button[normalize-space(.)='{name}' or starts-with(normalize-space(.), '{name} (')]"
        );
        let button = self.client.find(Locator::XPath(&path)).await;
        let button = button.with_context(|| format!("there is no button {name}"))?;
        self.show(&button).await?;
        button.click().await.with_context(|| format!("{name} cannot be pressed"))
    }

    /// Presses what a CSS selector finds.
    pub async fn press_css(&self, css: &str) -> Result<()> {
        let found = self.client.find(Locator::Css(css)).await;
        let found = found.with_context(|| format!("there is no {css}"))?;
        self.show(&found).await?;
        found.click().await.with_context(|| format!("{css} cannot be pressed"))
    }

    /// Follows a link, found by its whole text.
    pub async fn follow(&self, name: &str) -> Result<()> {
        let link = self.client.find(Locator::LinkText(name)).await;
        let link = link.with_context(|| format!("there is no link {name}"))?;
        link.click().await.with_context(|| format!("{name} cannot be followed"))
    }

    /// Sends keys to what a CSS selector finds.
    pub async fn keys(&self, css: &str, keys: &str) -> Result<()> {
        Ok(self.client.find(Locator::Css(css)).await?.send_keys(keys).await?)
    }

    /// Enters `value` into the field with this label, be it typed, chosen or ticked.
    pub async fn enter(&self, label: &str, value: &str) -> Result<()> {
        let found = self
            .script(
                "const control = labelled(arguments[0]);
                 if (!control) return false;
                 const kind = Object.getPrototypeOf(control);
                 Object.getOwnPropertyDescriptor(kind, 'value').set.call(control, arguments[1]);
                 control.dispatchEvent(new Event('input', { bubbles: true }));
                 control.dispatchEvent(new Event('change', { bubbles: true }));
                 return true;",
                json!([label, value]),
            )
            .await?;
        ensure!(found == json!(true), "there is no field {label}");
        Ok(())
    }

    /// What stands in the field with this label.
    pub async fn value(&self, label: &str) -> Result<String> {
        let script = "return labelled(arguments[0])?.value ?? null;";
        let value = self.script(script, json!([label])).await?;
        Ok(value.as_str().with_context(|| format!("there is no field {label}"))?.to_owned())
    }

    /// What is said to be wrong with the field of this label; empty if nothing is.
    pub async fn complaint(&self, label: &str) -> Result<String> {
        let script = "const ids = labelled(arguments[0])?.getAttribute('aria-describedby') ?? '';
             return ids.split(' ').map(id => document.getElementById(id))
                 .filter(e => e?.classList.contains('error')).map(e => e.textContent).join(' ');";
        let text = self.script(script, json!([label])).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Ticks the checkbox whose label begins with `name`.
    pub async fn tick(&self, name: &str) -> Result<()> {
        let path = format!("//label[starts-with(normalize-space(.), '{name}')]/input");
        let input = self.client.find(Locator::XPath(&path)).await?;
        self.show(&input).await?;
        Ok(input.click().await?)
    }

    /// Scrolls to where no bar at an edge of the window covers it.
    async fn show(&self, element: &Element) -> Result<()> {
        let script = "arguments[0].scrollIntoView({ block: 'center' });";
        self.client.execute(script, vec![serde_json::to_value(element)?]).await?;
        Ok(())
    }

    /// The text of the status region with this name; empty if there is none.
    pub async fn status(&self, name: &str) -> Result<String> {
        self.text(&format!("[role=status][aria-label='{name}']")).await
    }

    /// Steps that all ranks have done, as the page counts them.
    pub async fn step(&self) -> Result<u32> {
        Ok(self.status("Step").await?.trim().parse().unwrap_or(0))
    }

    /// The newest loss.
    pub async fn loss(&self) -> Result<f64> {
        let text = self.status("Loss").await?;
        text.trim().parse().with_context(|| format!("{text:?} is no loss"))
    }

    /// The text of what a CSS selector finds, hidden parts included; empty if there is nothing.
    pub async fn text(&self, css: &str) -> Result<String> {
        let script = "return document.querySelector(arguments[0])?.textContent ?? '';";
        let text = self.script(script, json!([css])).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Rows of the body of the table in the region with this name, as texts of their cells.
    pub async fn table(&self, region: &str) -> Result<Vec<Vec<String>>> {
        let script = "return [...document.querySelectorAll(
             `[role=region][aria-label='${arguments[0]}'] tbody tr, \
              [role=status][aria-label='${arguments[0]}'] tbody tr`)]
             .map(row => [...row.cells].map(cell => cell.textContent.trim()));";
        let rows = self.script(script, json!([region])).await?;
        Ok(serde_json::from_value(rows)?)
    }

    /// The column under this heading of such a table.
    pub async fn column(&self, region: &str, heading: &str) -> Result<Vec<String>> {
        let script = "const heads = [...document.querySelectorAll(
             `[role=region][aria-label='${arguments[0]}'] thead th`)].map(h => h.textContent.trim());
             return heads.indexOf(arguments[1]);";
        let index = self.script(script, json!([region, heading])).await?;
        let index = index.as_u64().with_context(|| format!("{region} has no column {heading}"))?;
        let rows = self.table(region).await?;
        Ok(rows.into_iter().filter_map(|row| row.into_iter().nth(index as usize)).collect())
    }

    /// Runs JavaScript; `labelled(name)` finds the field with a label.
    pub async fn script(&self, script: &str, arguments: Value) -> Result<Value> {
        let script = format!(
            "const labelled = (name) => [...document.querySelectorAll('label')]
                 .find(label => label.textContent.trim() === name)?.control;\n{script}"
        );
        let arguments = arguments.as_array().cloned().unwrap_or_default();
        Ok(self.client.execute(&script, arguments).await?)
    }

    /// Returns once `is_so`, or fails after [`SOON`], naming `what` did not come.
    pub async fn until(
        &self,
        what: &str,
        is_so: impl AsyncFn(&Self) -> Result<bool>,
    ) -> Result<Duration> {
        let begun = Instant::now();
        loop {
            if is_so(self).await? {
                return Ok(begun.elapsed());
            }
            if begun.elapsed() > SOON {
                bail!("waited {SOON:?} for {what}");
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Returns once the status region `name` contains `text`; an alert ends the wait.
    pub async fn until_status(&self, name: &str, text: &str) -> Result<()> {
        let what = format!("the status {name} to say {text:?}");
        let says = async |page: &Self| {
            page.no_alert().await?;
            Ok(page.status(name).await?.contains(text))
        };
        self.until(&what, says).await?;
        Ok(())
    }

    /// Returns once `steps` steps are done; an alert ends the wait.
    pub async fn until_step(&self, steps: u32) -> Result<()> {
        let is_there = async |page: &Self| {
            page.no_alert().await?;
            Ok(page.step().await? >= steps)
        };
        self.until(&format!("step {steps}"), is_there).await?;
        Ok(())
    }

    /// What the page's alert says; empty if there is none.
    pub async fn alert(&self) -> Result<String> {
        self.text("[role=alert]").await
    }

    async fn no_alert(&self) -> Result<()> {
        let alert = self.alert().await?;
        ensure!(alert.is_empty(), "an alert came up: {alert}");
        Ok(())
    }

    /// All workers are up.
    pub async fn until_ready(&self, world: usize) -> Result<()> {
        let text =
            if world == 1 { "1 worker ready".to_owned() } else { format!("{world} workers") };
        self.until_status("State", &text).await?;
        self.until_status("State", "ready").await
    }

    /// All workers are up, and the run of an earlier visit is back, if one was kept.
    pub async fn until_back(&self, world: usize) -> Result<()> {
        // The page asked for it before this does, so it has its answer before this has.
        let settled = "return caches.keys()
             .then(names => Promise.all(names.map(name => caches.open(name))))
             .then(all => Promise.all(all.map(cache => cache.match('last-run', {ignoreSearch: true}))))
             .then(found => Promise.all(found.map(run => run?.arrayBuffer()))).then(() => true);";
        self.script(settled, json!([])).await?;
        let ready = format!("{world} worker");
        let stands = async |page: &Self| {
            page.no_alert().await?;
            let state = page.status("State").await?;
            Ok(state.contains("Paused")
                || state.contains("Finished")
                || (state.starts_with(&ready) && state.contains("ready")))
        };
        self.until("the workers, or the last run", stands).await?;
        Ok(())
    }

    /// The files of this page are kept: what it asks for from now on need not come from its host.
    pub async fn until_kept(&self) -> Result<()> {
        let is_kept = async |page: &Self| {
            let script = "return Boolean(navigator.serviceWorker?.controller);";
            Ok(page.script(script, json!([])).await? == json!(true))
        };
        self.until("a service worker", is_kept).await?;
        Ok(())
    }

    /// Which build the page is.
    pub async fn site(&self) -> Result<String> {
        let script = "return document.querySelector('meta[name=site]').content;";
        let site = self.script(script, json!([])).await?;
        Ok(site.as_str().unwrap_or_default().to_owned())
    }

    /// What is on the page, for the message of a test that failed.
    pub async fn shown(&self) -> String {
        let text = self.script("return document.body.innerText;", json!([])).await;
        let text = text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
        text.chars().take(3000).collect()
    }
}
