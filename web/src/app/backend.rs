//! The backend's view: a machine, and what is asked of it.

use plan::rank::MAX_WORLD_SIZE;
use plan::runtime::{
    BackendChoice, Build, DeviceChoice, Feature, Gpus, Launch, Preset, Probe, Request,
};
use plan::{Refusal, message};

use crate::app::whole::{is_whole, whole};

/// What is entered.
#[derive(Clone, Debug, PartialEq)]
pub struct Backend {
    /// The machine.
    pub preset: Preset,
    /// What was found of the browser, once it was looked at.
    pub this: Option<Probe>,
    /// Where tensors are to live.
    pub device: DeviceChoice,
    /// How ranks are to talk.
    pub backend: BackendChoice,
    /// The CPU whatever else is asked.
    pub force_cpu: bool,
    /// What the training code wants to use.
    pub features: Vec<Feature>,
    /// Ranks as typed; empty leaves it to the backend.
    pub world_size: String,
}

impl Default for Backend {
    fn default() -> Self {
        Self {
            preset: Preset::This,
            this: None,
            device: DeviceChoice::Auto,
            backend: BackendChoice::Auto,
            force_cpu: false,
            features: vec![],
            world_size: String::new(),
        }
    }
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// The browser was looked at.
    Probed(Probe),
    /// The user chooses a machine.
    Machine(Preset),
    /// The user chooses a device.
    Device(DeviceChoice),
    /// The user chooses a backend.
    Backend(BackendChoice),
    /// The user ticks force_cpu.
    ForceCpu(bool),
    /// The user ticks a feature.
    Want(Feature, bool),
    /// The user types a number of ranks.
    WorldSize(String),
}

impl Backend {
    /// Takes what happens.
    pub fn apply(&mut self, act: Act) {
        match act {
            Act::Probed(probe) => self.this = Some(probe),
            Act::Machine(preset) => self.preset = preset,
            Act::Device(device) => self.device = device,
            Act::Backend(backend) => self.backend = backend,
            Act::ForceCpu(force) => self.force_cpu = force,
            Act::Want(feature, want) => {
                self.features.retain(|&wanted| wanted != feature);
                if want {
                    self.features.push(feature);
                }
                // In the order in which they are offered, however they were ticked.
                let wanted = Feature::ALL.into_iter().filter(|all| self.features.contains(all));
                self.features = wanted.collect();
            }
            Act::WorldSize(text) => self.world_size = text,
        }
    }

    /// What the machine has; `None` until the browser was looked at, where it is the browser.
    pub fn probe(&self) -> Option<Probe> {
        match (&self.this, self.preset) {
            (Some(this), preset) => Some(preset.probe(this)),
            (None, Preset::This) => None,
            // Every other machine is what it is, whatever this one has.
            (None, preset) => Some(preset.probe(&NOWHERE)),
        }
    }

    /// What is asked, or why the number of ranks is none.
    pub fn request(&self) -> Result<Request, Refusal> {
        let text = self.world_size.trim();
        let world_size = match text {
            "" => None,
            // What no run can have is refused by the detection itself; here only what is no number.
            text => Some(whole("world_size", text, 0, u32::MAX as usize).map_err(|refusal| {
                let most = MAX_WORLD_SIZE;
                let works = message!("try a number from 1 to {most}, or leave it empty", most);
                let reason = match is_whole(text) {
                    true => message!("it must lie between {low} and {high}", low = 1, high = most),
                    false => refusal.reason.clone(),
                };
                Refusal { works, reason, ..refusal }
            })?),
        };
        Ok(Request {
            device: self.device,
            backend: self.backend,
            force_cpu: self.force_cpu,
            world_size,
            features: self.features.clone(),
        })
    }
}

const NOWHERE: Probe = Probe {
    place: plan::runtime::Place::Native,
    build: Build::PLAIN,
    gpus: Gpus::NoDriver,
    launch: Launch::Alone,
    cores: 1,
    memory: None,
};

/// The name of a choice of device, as on the command line.
pub fn device_name(device: DeviceChoice) -> &'static str {
    match device {
        DeviceChoice::Auto => "auto",
        DeviceChoice::Cpu => "cpu",
        DeviceChoice::Cuda => "cuda",
    }
}

/// The name of a choice of backend, as on the command line.
pub fn backend_name(backend: BackendChoice) -> &'static str {
    match backend {
        BackendChoice::Auto => "auto",
        BackendChoice::Threads => "threads",
        BackendChoice::Workers => "workers",
        BackendChoice::Mpi => "mpi",
        BackendChoice::Nccl => "nccl",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::runtime::{Outcome, detect};

    #[test]
    fn a_wish_becomes_a_request() {
        let mut backend = Backend::default();
        assert_eq!(backend.probe(), None);
        assert_eq!(backend.request(), Ok(Request::default()));
        for act in [
            Act::Machine(Preset::ColabCpu),
            Act::Want(Feature::Deepspeed, true),
            Act::Want(Feature::Fsdp, true),
            Act::Want(Feature::Deepspeed, false),
            Act::WorldSize(" 2 ".into()),
        ] {
            backend.apply(act);
        }
        let request = backend.request().expect("2 is a number");
        assert_eq!((request.world_size, &request.features[..]), (Some(2), &[Feature::Fsdp][..]));
        let probe = backend.probe().expect("the machine is known");
        assert!(
            matches!(detect(&probe, &request).outcome, Outcome::Refused(r) if r.field == "feature")
        );
    }

    #[test]
    fn what_is_no_number_of_ranks_is_refused() {
        let mut backend = Backend::default();
        for text in ["two", "-1", "1.5", "99999999999999999999"] {
            backend.apply(Act::WorldSize(text.into()));
            let refusal = backend.request().expect_err(text);
            assert_eq!(refusal.field, "world_size");
            assert!(!refusal.reason.to_string().contains("4294967295"), "{text}: {refusal}");
        }
        backend.apply(Act::WorldSize("0".into()));
        assert_eq!(backend.request().map(|request| request.world_size), Ok(Some(0)));
    }
}
