//! What accelerate itself does with a machine and a request that Ringside decides on.
//!
//! Read in accelerate's `state.py` and `launchers.py` at 1.12.0 and 1.13.0: `notebook_launcher`,
//! `PartialState._prepare_backend`, `set_device` and `AcceleratorState`. That several processes
//! on a CPU form a group in 1.12.0 and stay alone from 1.13.0 on was also found by running both.

use super::{BackendChoice, DeviceChoice, Feature, Launch, Place, Preset, Probe, Request};
use crate::version::{Version, release};
use crate::{Message, message};

/// The first accelerate in which a CP context is built again, and in which processes on a CPU stay
/// alone.
pub const REPAIRED: Version = release(1, 13, 0);
/// The versions that are told side by side: the last before the change, and the change.
pub const VERSIONS: [Version; 2] = [release(1, 12, 0), REPAIRED];

/// A machine by its name, and what it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The preset that it comes from.
    pub preset: Preset,
    /// What it has.
    pub probe: Probe,
}

/// What one version of accelerate does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Practice {
    /// The version.
    pub version: Version,
    /// How the processes are started.
    pub call: String,
    /// What happens, in order.
    pub steps: Vec<Message>,
    /// What comes of it.
    pub end: End,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It runs as asked.
    Runs,
    /// It runs, as something else than was asked for, and nobody is told.
    Misleads,
    /// It stops with an error.
    Stops,
    /// It has no place here.
    Elsewhere,
}

/// What `version` of accelerate does on `machine` with what is asked.
pub fn practice(version: Version, machine: &Machine, request: &Request) -> Practice {
    let mut story = Story::new(version, machine, request);
    let end = match story.tell() {
        Err(Stopped) => End::Stops,
        Ok(()) if story.misled => End::Misleads,
        Ok(()) => End::Runs,
    };
    let end = if matches!(machine.probe.place, Place::Browser(_)) { End::Elsewhere } else { end };
    Practice { version, call: story.call(), steps: story.steps, end }
}

/// The story has come to its end early.
struct Stopped;

/// How the processes came to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The function is called where it stands.
    Called,
    /// By `notebook_launcher`, with `LOCAL_RANK` set.
    Notebook,
    /// By MPI, without it.
    Mpi,
}

/// The group that the processes form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// None.
    Alone,
    /// MULTI_CPU.
    Cpu,
    /// MULTI_GPU.
    Gpu,
}

struct Story<'a> {
    version: Version,
    machine: &'a Machine,
    request: &'a Request,
    gpus: usize,
    cpu: bool,
    asked: usize,
    steps: Vec<Message>,
    misled: bool,
}

impl<'a> Story<'a> {
    fn new(version: Version, machine: &'a Machine, request: &'a Request) -> Self {
        let gpus = machine.probe.cuda().map_or(0, <[_]>::len);
        let default = match machine.probe.launch {
            Launch::Mpi { size, .. } => size,
            Launch::Alone => gpus.max(1),
        };
        Self {
            version,
            machine,
            request,
            gpus,
            cpu: request.force_cpu || request.device == DeviceChoice::Cpu,
            asked: request.world_size.unwrap_or(default),
            steps: vec![],
            misled: false,
        }
    }

    fn call(&self) -> String {
        let cpu = if self.cpu { "Accelerator(cpu=True)" } else { "Accelerator()" };
        match self.machine.probe.launch {
            Launch::Mpi { size, .. } => format!("mpirun -n {size} python train.py, {cpu}"),
            Launch::Alone => {
                format!("notebook_launcher(train, num_processes={}), {cpu}", self.asked)
            }
        }
    }

    fn tell(&mut self) -> Result<(), Stopped> {
        if matches!(self.machine.probe.place, Place::Browser(_)) {
            self.say(message!(
                "accelerate is Python and does not run in a page: choose another machine."
            ));
            return Ok(());
        }
        let start = self.start()?;
        let group = self.group(start)?;
        self.device(group);
        self.features(start, group)?;
        self.backends_unknown_to_it();
        Ok(())
    }

    fn say(&mut self, step: Message) {
        self.steps.push(step);
    }

    fn mislead(&mut self, step: Message) {
        self.misled = true;
        self.say(step);
    }

    fn stop<T>(&mut self, step: Message) -> Result<T, Stopped> {
        self.say(step);
        Err(Stopped)
    }

    fn start(&mut self) -> Result<Start, Stopped> {
        if let Launch::Mpi { size, .. } = self.machine.probe.launch {
            if self.request.world_size.is_some_and(|asked| asked != size) {
                self.mislead(message!(
                    "MPI's {size} processes count; {asked} is not heard.",
                    size,
                    asked = self.asked
                ));
            }
            let start = if size > 1 { Start::Mpi } else { Start::Called };
            return Ok(start);
        }
        let colab = matches!(self.machine.preset, Preset::ColabCpu | Preset::ColabT4);
        if colab && self.gpus < 2 {
            if self.gpus == 0 && !self.version.has(REPAIRED) {
                return self.stop(message!(
                    "In Colab the launcher counts GPUs with nvidia-smi, and there is no such \
                     program: FileNotFoundError."
                ));
            }
            let step =
                message!("In Colab with fewer than two GPUs the launcher calls train() once");
            if self.asked > 1 {
                self.mislead(message!(
                    "{step}; num_processes = {asked} is not looked at.",
                    step,
                    asked = self.asked
                ));
            } else {
                self.say(message!("{text}.", text = step));
            }
            return Ok(Start::Called);
        }
        if self.asked > 1 {
            self.say(message!(
                "The launcher starts {asked} processes with LOCAL_RANK set.",
                asked = self.asked
            ));
            return Ok(Start::Notebook);
        }
        self.say(message!("For one process the launcher just calls train()."));
        Ok(Start::Called)
    }

    fn group(&mut self, start: Start) -> Result<Group, Stopped> {
        let nccl = self.request.backend == BackendChoice::Nccl;
        let mpi = self.request.backend == BackendChoice::Mpi;
        let name = if nccl { "nccl" } else { "mpi" };
        if start == Start::Called {
            if nccl || mpi {
                return self.stop(message!(
                    "{name} is kept as the backend of a group that nobody makes: ValueError, \
                     default process group has not been initialized.",
                    name
                ));
            }
            self.say(message!("One process, and no process group."));
            return Ok(Group::Alone);
        }
        if start == Start::Notebook && !self.cpu && self.gpus > 0 {
            return self.gpu_group(mpi);
        }
        if self.cpu || !self.version.has(REPAIRED) {
            if nccl || mpi {
                return self.stop(message!(
                    "On the CPU the backend is gloo (mpi only where torch was built with it): \
                     ValueError, your assigned backend {name} is not available, please use gloo.",
                    name
                ));
            }
            let step = message!(
                "The processes form a MULTI_CPU group over gloo, or mpi where torch has it"
            );
            if self.cpu || self.gpus == 0 {
                self.say(message!("{text}.", text = step));
            } else {
                self.mislead(message!(
                    "{step}: mpirun sets no LOCAL_RANK, so the GPUs are not looked at.",
                    step
                ));
            }
            return Ok(Group::Cpu);
        }
        if nccl && start == Start::Notebook {
            return self.stop(message!("torch refuses nccl: there is no GPU."));
        }
        if nccl || mpi {
            return self.stop(message!(
                "{name} is kept as the backend of a group that nobody makes: ValueError, default \
                 process group has not been initialized.",
                name
            ));
        }
        self.mislead(match start {
            Start::Mpi => {
                message!(
                    "mpirun sets no LOCAL_RANK, and without cpu=True MPI's variables do not count: \
                 each process believes it is rank 0 of 1."
                )
            }
            Start::Notebook | Start::Called => {
                message!(
                    "Without a GPU a group needs cpu=True: each process believes it is rank 0 of 1."
                )
            }
        });
        Ok(Group::Alone)
    }

    fn gpu_group(&mut self, mpi: bool) -> Result<Group, Stopped> {
        if mpi {
            return self
                .stop(message!("torch's packages are built without MPI, and it refuses mpi."));
        }
        if self.asked > self.gpus {
            return self.stop(message!(
                "{asked} ranks wrap around {gpus} GPU(s), and nccl refuses two ranks on one GPU.",
                asked = self.asked,
                gpus = self.gpus
            ));
        }
        self.say(message!("The processes form a MULTI_GPU group over nccl."));
        Ok(Group::Gpu)
    }

    fn device(&mut self, group: Group) {
        let mac = self.machine.preset == Preset::Mac;
        let device = match group {
            Group::Gpu => message!("cuda, one GPU a process"),
            Group::Cpu => "cpu".into(),
            Group::Alone if self.cpu => message!("cpu, as cpu=True says"),
            Group::Alone if mac => message!("mps, the Mac's own GPU"),
            Group::Alone if self.gpus > 0 => "cuda:0".into(),
            Group::Alone => message!("cpu, as there is nothing else"),
        };
        self.say(message!("Device: {device}.", device));
        let wanted = self.request.device == DeviceChoice::Cuda;
        if wanted && !self.request.force_cpu && self.gpus == 0 {
            self.mislead(message!("It has no way to insist on CUDA, and says nothing."));
        }
    }

    fn features(&mut self, start: Start, group: Group) -> Result<(), Stopped> {
        let with_deepspeed = self.request.features.contains(&Feature::Deepspeed) && !self.cpu;
        for &feature in &self.request.features {
            match feature {
                Feature::Fsdp if with_deepspeed => self.mislead(message!(
                    "DeepSpeed is looked at first, and FSDP passed over without a word; \
                     accelerate launch would refuse the two together."
                )),
                Feature::Fsdp if group == Group::Gpu => {
                    self.say(message!("FSDP shards over the GPUs."))
                }
                Feature::Fsdp => self.mislead(message!(
                    "FSDP's plugin is passed over without a word: only a group over accelerators \
                     reaches it."
                )),
                Feature::Deepspeed if self.cpu => {
                    self.mislead(message!(
                        "With cpu=True DeepSpeed is passed over without a word."
                    ));
                }
                Feature::Deepspeed if self.gpus > 0 && group != Group::Cpu => {
                    let alone = start != Start::Notebook;
                    self.say(if alone {
                        message!("DeepSpeed takes over, for this one process.")
                    } else {
                        message!("DeepSpeed takes over, with a rank on each GPU.")
                    });
                }
                Feature::Deepspeed | Feature::FlashAttention | Feature::Fp8
                    if self.cpu || self.gpus == 0 || group == Group::Cpu =>
                {
                    let why = feature.needs_gpu_because();
                    return self.stop(message!(
                        "{feature} is not checked beforehand: {why}.",
                        feature = feature.name(),
                        why
                    ));
                }
                Feature::Deepspeed | Feature::FlashAttention | Feature::Fp8 => {
                    self.say(message!(
                        "{feature} is not accelerate's to decide.",
                        feature = feature.name()
                    ));
                }
            }
        }
        Ok(())
    }

    fn backends_unknown_to_it(&mut self) {
        let name = match self.request.backend {
            BackendChoice::Threads => "threads",
            BackendChoice::Workers => "workers",
            BackendChoice::Auto | BackendChoice::Mpi | BackendChoice::Nccl => return,
        };
        self.say(message!("{name} are Ringside's own; accelerate's ranks are processes.", name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{Build, Gpus};

    fn machine(preset: Preset) -> Machine {
        let this = Probe {
            place: Place::Native,
            build: Build::PLAIN,
            gpus: Gpus::NoDriver,
            launch: Launch::Alone,
            cores: 2,
            memory: None,
        };
        Machine { preset, probe: preset.probe(&this) }
    }

    fn ends(preset: Preset, request: &Request) -> [End; 2] {
        VERSIONS.map(|version| practice(version, &machine(preset), request).end)
    }

    fn ranks(world_size: usize) -> Request {
        Request { world_size: Some(world_size), ..Request::default() }
    }

    #[test]
    fn colab_without_a_gpu_stops_only_in_the_older_version() {
        assert_eq!(ends(Preset::ColabCpu, &Request::default()), [End::Stops, End::Runs]);
        assert_eq!(ends(Preset::ColabCpu, &ranks(2)), [End::Stops, End::Misleads]);
        let told = practice(VERSIONS[0], &machine(Preset::ColabCpu), &Request::default());
        assert!(told.steps.iter().any(|step| step.contains("nvidia-smi")), "{told:?}");
    }

    #[test]
    fn two_processes_on_a_cpu_form_a_group_only_in_the_older_version() {
        assert_eq!(ends(Preset::Laptop, &ranks(2)), [End::Runs, End::Misleads]);
        let forced = Request { force_cpu: true, ..ranks(2) };
        assert_eq!(ends(Preset::Laptop, &forced), [End::Runs, End::Runs]);
        let told = practice(VERSIONS[1], &machine(Preset::Laptop), &ranks(2));
        assert!(told.steps.iter().any(|step| step.contains("rank 0 of 1")), "{told:?}");
    }

    #[test]
    fn gpus_are_one_a_rank_or_not_at_all() {
        assert_eq!(ends(Preset::H100Node, &Request::default()), [End::Runs; 2]);
        assert_eq!(ends(Preset::H100Node, &ranks(9)), [End::Stops; 2]);
        assert_eq!(ends(Preset::ColabT4, &ranks(2)), [End::Misleads; 2]);
        assert_eq!(ends(Preset::H100TwoNodes, &Request::default()), [End::Misleads; 2]);
    }

    #[test]
    fn what_needs_a_gpu_is_not_refused_beforehand() {
        let wants = |feature| Request { features: vec![feature], ..Request::default() };
        assert_eq!(ends(Preset::Laptop, &wants(Feature::Fsdp)), [End::Misleads; 2]);
        assert_eq!(ends(Preset::Laptop, &wants(Feature::Deepspeed)), [End::Stops; 2]);
        let eight = |feature| Request { world_size: Some(8), ..wants(feature) };
        for feature in [Feature::Fsdp, Feature::Deepspeed] {
            assert_eq!(ends(Preset::H100Node, &eight(feature)), [End::Runs; 2]);
        }
        let both = vec![Feature::Fsdp, Feature::Deepspeed];
        let both = Request { features: both, ..eight(Feature::Fsdp) };
        assert_eq!(ends(Preset::H100Node, &both), [End::Misleads; 2]);
    }

    #[test]
    fn nccl_without_a_gpu_stops() {
        let nccl = |world_size| Request { backend: BackendChoice::Nccl, ..ranks(world_size) };
        assert_eq!(ends(Preset::Laptop, &nccl(2)), [End::Stops; 2]);
        assert_eq!(ends(Preset::Laptop, &nccl(1)), [End::Stops; 2]);
        assert_eq!(ends(Preset::H100Node, &nccl(8)), [End::Runs; 2]);
        let cuda = Request { device: DeviceChoice::Cuda, ..Request::default() };
        assert_eq!(ends(Preset::Laptop, &cuda), [End::Misleads; 2]);
    }
}
