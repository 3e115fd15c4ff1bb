//! `ringside inspect runtime`: what a machine comes to, decision by decision.

use anyhow::Result;
use plan::Refusal;
use plan::runtime::{
    Backend, Decision, Device, Gpus, Launch, Outcome, Preset, Probe, Request, RuntimeProfile,
    Standing, Step, Support, detect,
};
use serde::Serialize;

use crate::args::RuntimeArgs;
use crate::output::{self, Style, table};
use crate::{device, probe};

#[derive(Serialize)]
struct View<'a> {
    machine: &'static str,
    probe: &'a Probe,
    request: &'a Request,
    trail: &'a [Decision],
    profile: Option<RuntimeProfile>,
    refusal: Option<&'a Refusal>,
}

/// Runs the view.
pub fn run(args: &RuntimeArgs, style: Style) -> Result<()> {
    let preset = args.simulate.unwrap_or(Preset::This);
    let probe = preset.probe(&probe::this(device::build()));
    let request = Request {
        world_size: args.world_size,
        features: args.features.clone(),
        ..device::request(&args.machine)
    };
    let detection = detect(&probe, &request);
    let (profile, refusal) = match &detection.outcome {
        Outcome::Runs(profile) => (Some(*profile), None),
        Outcome::Refused(refusal) => (None, Some(refusal)),
    };
    let view = View {
        machine: preset.name(),
        probe: &probe,
        request: &request,
        trail: &detection.trail,
        profile,
        refusal,
    };
    match style {
        Style::Json => output::json(&view)?,
        Style::Table => print(preset, &view)?,
    }
    match refusal {
        Some(refusal) => Err(refusal.clone().into()),
        None => Ok(()),
    }
}

fn print(preset: Preset, view: &View<'_>) -> Result<()> {
    output::line(format!("{}: {}", preset.title(), machine(view.probe)))?;
    let mut rows = table::new(["step", "", "decision", "because"]);
    for decision in view.trail {
        rows.add_row([
            step(decision.step).to_owned(),
            standing(decision.standing).to_owned(),
            decision.choice.clone(),
            decision.reason.to_string(),
        ]);
    }
    output::line(rows)?;
    match view.profile {
        None => Ok(()),
        Some(profile) => output::line(format!(
            "runs on {} over {}, {} ranks",
            match profile.device {
                Device::Cpu => "the CPU",
                Device::Cuda => "CUDA",
            },
            match profile.backend {
                Backend::Nccl => "NCCL",
                Backend::Mpi => "MPI",
                other => other.name(),
            },
            profile.world_size
        )),
    }
}

/// What the machine has, in a line.
fn machine(probe: &Probe) -> String {
    let mut facts = vec![format!("{} cores", probe.cores)];
    facts.extend(probe.memory.map(table::bytes));
    facts.push(match &probe.gpus {
        Gpus::NoDriver => "no NVIDIA driver".to_owned(),
        Gpus::Devices(devices) => match devices.first() {
            None => "NVIDIA's driver without a device".to_owned(),
            Some(first) => {
                let memory = first.memory.map(|bytes| format!(" of {}", table::bytes(bytes)));
                format!("{} x {}{}", devices.len(), first.name, memory.unwrap_or_default())
            }
        },
    });
    if let Launch::Mpi { launcher, rank, size, .. } = probe.launch {
        facts.push(format!("rank {rank} of {size} under {}", launcher.name()));
    }
    let build = probe.build;
    let parts = [("CUDA", build.cuda), ("NCCL", build.nccl), ("MPI", build.mpi)];
    let has = |wanted| {
        let names = parts.iter().filter(|(_, support)| *support == wanted).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(", ")
    };
    facts.push(match (has(Support::Present), has(Support::Absent)) {
        (with, without) if with.is_empty() => format!("a program without {without}"),
        (with, without) if without.is_empty() => format!("a program with {with}"),
        (with, without) => format!("a program with {with}, without {without}"),
    });
    facts.join("; ")
}

fn step(step: Step) -> &'static str {
    match step {
        Step::Device => "device",
        Step::Features => "features",
        Step::Backend => "backend",
        Step::WorldSize => "ranks",
    }
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Taken => "",
        Standing::Overruled => "overruled",
        Standing::Refused => "refused",
    }
}
