//! The backend's view: every machine under several wishes says what `plan::runtime` decides, and
//! what accelerate does there.

use anyhow::{Result, ensure};
use plan::runtime::practice::{Machine, VERSIONS, practice};
use plan::runtime::{
    BackendChoice, Browser, Build, Detection, DeviceChoice, Feature, Gpus, Launch, Outcome, Place,
    Preset, Probe, Request, Standing, Support, detect,
};
use serde_json::json;

use super::drive::open;
use super::page::Page;
use super::site::Hosting;

/// What is asked, one switch after the other.
fn wishes() -> Vec<Request> {
    let plain = Request::default;
    vec![
        plain(),
        Request { force_cpu: true, ..plain() },
        Request { device: DeviceChoice::Cuda, ..plain() },
        Request { backend: BackendChoice::Nccl, ..plain() },
        Request { features: vec![Feature::Fsdp], ..plain() },
        Request { features: vec![Feature::Fsdp, Feature::Deepspeed], ..plain() },
        Request { world_size: Some(2), ..plain() },
        Request { world_size: Some(0), ..plain() },
        Request { world_size: Some(5000), ..plain() },
        Request {
            force_cpu: true,
            device: DeviceChoice::Cuda,
            backend: BackendChoice::Nccl,
            world_size: Some(3),
            ..plain()
        },
    ]
}

/// What this browser says of itself, asked in its own language.
async fn this(page: &Page) -> Result<Probe> {
    let script = "return [navigator.hardwareConcurrency, navigator.deviceMemory ?? null,
         crossOriginIsolated];";
    let said = page.script(script, json!([])).await?;
    Ok(Probe {
        place: Place::Browser(Browser {
            simd: Support::Present,
            workers: Support::Present,
            isolation: Support::of(said[2] == json!(true)),
        }),
        build: Build::PLAIN,
        gpus: Gpus::NoDriver,
        launch: Launch::Alone,
        cores: said[0].as_u64().unwrap_or(1) as usize,
        memory: said[1].as_f64().map(|gib| (gib * 1024.0) as u64 * plan::runtime::MIB),
    })
}

async fn set(page: &Page, preset: Preset, request: &Request) -> Result<()> {
    let device = match request.device {
        DeviceChoice::Auto => "auto",
        DeviceChoice::Cpu => "cpu",
        DeviceChoice::Cuda => "cuda",
    };
    let backend = match request.backend {
        BackendChoice::Nccl => "nccl",
        _ => "auto",
    };
    let world = request.world_size.map(|world| world.to_string()).unwrap_or_default();
    page.enter("Machine", preset.name()).await?;
    page.enter("Device", device).await?;
    page.enter("Backend", backend).await?;
    page.enter("World size", &world).await?;
    for (label, on) in [
        ("Force CPU", request.force_cpu),
        ("Ask for FSDP", request.features.contains(&Feature::Fsdp)),
        ("Ask for DeepSpeed", request.features.contains(&Feature::Deepspeed)),
    ] {
        let script = "const box = labelled(arguments[0]);
             if (box.checked !== arguments[1]) box.click();";
        page.script(script, json!([label, on])).await?;
    }
    Ok(())
}

fn trail(detection: &Detection) -> Vec<String> {
    detection
        .trail
        .iter()
        .map(|decision| {
            let word = match decision.standing {
                Standing::Taken => "taken",
                Standing::Overruled => "overruled",
                Standing::Refused => "refused",
            };
            let question = decision.step.question();
            format!("{question} {} {word}: {}.", decision.choice, decision.reason)
        })
        .collect()
}

async fn texts(page: &Page, css: &str) -> Result<Vec<String>> {
    let script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent);";
    Ok(serde_json::from_value(page.script(script, json!([css])).await?)?)
}

async fn says(page: &Page, detection: &Detection) -> Result<()> {
    let expected = trail(detection);
    page.until(&format!("the trail {expected:?}"), async |page| {
        Ok(texts(page, "[aria-label=Decisions] li").await? == expected)
    })
    .await?;
    let outcome = page.status("Outcome").await?;
    match &detection.outcome {
        Outcome::Runs(profile) => {
            let words = format!("Backend{}Ranks{}", profile.backend.name(), profile.world_size);
            ensure!(outcome.contains(&words), "{outcome:?} lacks {words:?}");
        }
        Outcome::Refused(refusal) => {
            ensure!(outcome.contains(&refusal.field), "{outcome:?} lacks {:?}", refusal.field);
            for part in [&refusal.value, &refusal.reason, &refusal.works] {
                ensure!(outcome.contains(&part.to_string()), "{outcome:?} lacks {part:?}");
            }
        }
    }
    for shape in ["tall", "wide"] {
        let taken = texts(page, &format!(".tree.{shape} .branch.taken")).await?;
        let path = &detection.path;
        let lit = taken
            .iter()
            .zip(path)
            .all(|(text, branch)| text.starts_with(&branch.when().to_string()));
        ensure!(taken.len() == path.len() && lit, "lit {taken:?}, taken {path:?}");
    }
    Ok(())
}

#[test]
fn every_machine_decides_as_the_plan_does() -> Result<()> {
    open(Hosting::default(), "v=1&view=backend", async |page, _| {
        page.until("an outcome", async |page| Ok(!page.status("Outcome").await?.is_empty()))
            .await?;
        let this = this(page).await?;
        for preset in Preset::ALL {
            let probe = preset.probe(&this);
            for request in wishes() {
                set(page, preset, &request).await?;
                says(page, &detect(&probe, &request)).await?;
                let machine = Machine { preset, probe: probe.clone() };
                for version in VERSIONS {
                    let told = practice(version, &machine, &request);
                    let css = format!("article[aria-label='accelerate {version}']");
                    let steps = texts(page, &format!("{css} li")).await?;
                    let expected: Vec<String> =
                        told.steps.iter().map(ToString::to_string).collect();
                    ensure!(steps == expected, "{version} on {}: {steps:?}", preset.name());
                    ensure!(page.text(&css).await?.contains(&told.call), "{}", told.call);
                }
            }
        }
        Ok(())
    })
}

#[test]
fn a_world_size_that_is_no_number_is_explained() -> Result<()> {
    open(Hosting::default(), "v=1&view=backend", async |page, _| {
        page.until("an outcome", async |page| Ok(!page.status("Outcome").await?.is_empty()))
            .await?;
        for bad in ["two", "-1", "1.5", "99999999999999999999"] {
            page.enter("World size", bad).await?;
            page.until(&format!("a complaint about {bad:?}"), async |page| {
                Ok(page.complaint("World size").await?.contains("try"))
            })
            .await?;
        }
        page.enter("World size", "3").await?;
        page.until_status("Outcome", "Ranks3").await
    })
}
