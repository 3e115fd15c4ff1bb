//! The laws of detection, over the whole product of probes and requests.

use super::*;

const SUPPORT: [Support; 2] = [Support::Present, Support::Absent];
const WORLDS: [Option<usize>; 9] =
    [None, Some(0), Some(1), Some(2), Some(3), Some(8), Some(16), Some(100), Some(5000)];

fn probes() -> Vec<Probe> {
    let mut places = vec![Place::Native];
    for simd in SUPPORT {
        for workers in SUPPORT {
            for isolation in SUPPORT {
                places.push(Place::Browser(Browser { simd, workers, isolation }));
            }
        }
    }
    let gpu = Gpu { name: "GPU".into(), memory: Some(16 << 30) };
    let gpus = [
        Gpus::NoDriver,
        Gpus::Devices(vec![]),
        Gpus::Devices(vec![gpu.clone()]),
        Gpus::Devices(vec![gpu; 8]),
    ];
    let mpi =
        |size, local_size| Launch::Mpi { launcher: Launcher::OpenMpi, rank: 0, size, local_size };
    let launches = [Launch::Alone, mpi(1, 1), mpi(8, 8), mpi(16, 8)];
    let mut probes = Vec::new();
    for &place in &places {
        for cuda in SUPPORT {
            for nccl in SUPPORT {
                for mpi in SUPPORT {
                    for gpus in &gpus {
                        for launch in launches {
                            for memory in [None, Some(256 * MIB)] {
                                probes.push(Probe {
                                    place,
                                    build: Build { cuda, nccl, mpi },
                                    gpus: gpus.clone(),
                                    launch,
                                    cores: 2,
                                    memory,
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    probes
}

fn requests() -> Vec<Request> {
    let mut wants: Vec<Vec<Feature>> = vec![vec![], Feature::ALL.to_vec()];
    wants.extend(Feature::ALL.map(|feature| vec![feature]));
    let mut requests = Vec::new();
    for device in DeviceChoice::ALL {
        for backend in BackendChoice::ALL {
            for force_cpu in [false, true] {
                for world_size in WORLDS {
                    for features in &wants {
                        requests.push(Request {
                            device,
                            backend,
                            force_cpu,
                            world_size,
                            features: features.clone(),
                        });
                    }
                }
            }
        }
    }
    requests
}

fn check(probe: &Probe, request: &Request) {
    let detection = detect(probe, request);
    let say = || format!("{probe:?}\n{request:?}\n{detection:?}");
    assert!(!detection.trail.is_empty(), "no trail: {}", say());
    let last = detection.trail.last().expect("it is not empty");
    let steps: Vec<Step> = detection.path.iter().map(|branch| branch.step()).collect();
    assert_eq!(steps, Step::ALL[..steps.len()], "the path leaves the tree: {}", say());
    let (end, before) = detection.path.split_last().expect("there is a first step");
    assert!(before.iter().all(|branch| branch.end() == End::GoesOn), "{}", say());
    assert_eq!(last.step, end.step(), "trail and path part: {}", say());
    match &detection.outcome {
        Outcome::Runs(profile) => {
            let cuda = probe.cuda().is_ok();
            assert!(cuda || profile.backend != Backend::Nccl, "nccl without CUDA: {}", say());
            assert!(cuda || profile.device != Device::Cuda, "cuda without CUDA: {}", say());
            if request.force_cpu {
                assert_eq!(profile.device, Device::Cpu, "force_cpu lost: {}", say());
                assert_eq!(profile.cpu_mode, CpuMode::Forced, "force_cpu lost: {}", say());
                assert_ne!(profile.backend, Backend::Nccl, "force_cpu lost: {}", say());
            }
            if request.device == DeviceChoice::Cuda && !request.force_cpu {
                assert_eq!(profile.device, Device::Cuda, "cuda was dropped: {}", say());
            }
            if let Some(world) = request.world_size {
                assert_eq!(profile.world_size.get(), world, "the world changed: {}", say());
            }
            if profile.device == Device::Cpu {
                assert!(request.features.is_empty(), "a feature was dropped: {}", say());
            }
            let dropped = match request.backend {
                BackendChoice::Auto => false,
                BackendChoice::Threads => profile.backend != Backend::Threads,
                BackendChoice::Workers => profile.backend != Backend::Workers,
                BackendChoice::Mpi => profile.backend != Backend::Mpi,
                BackendChoice::Nccl => profile.backend != Backend::Nccl && !request.force_cpu,
            };
            assert!(!dropped, "the backend was dropped: {}", say());
            if let Launch::Mpi { size, .. } = probe.launch
                && probe.place == Place::Native
            {
                let alone = size > 1 && profile.backend == Backend::Threads;
                assert!(!alone, "ranks that believe they are alone: {}", say());
            }
            assert_ne!(last.standing, Standing::Refused, "{}", say());
            assert_eq!((steps.len(), end.end()), (4, End::GoesOn), "{}", say());
            check_results(profile, &detection.path);
        }
        Outcome::Refused(refusal) => {
            assert_eq!(last.standing, Standing::Refused, "{}", say());
            assert_eq!(end.end(), End::Refuses, "{}", say());
            assert!(!refusal.works.is_empty(), "no way out: {}", say());
            if request.force_cpu {
                assert_ne!(refusal.field, "device", "force_cpu lost: {}", say());
                assert_ne!(refusal.value, "nccl", "force_cpu lost: {}", say());
            }
        }
    }
}

#[test]
fn the_laws_hold_over_the_whole_product() {
    let requests = requests();
    for probe in probes() {
        for request in &requests {
            check(&probe, request);
        }
    }
}

/// What a branch leads to is what came of it.
fn check_results(profile: &RuntimeProfile, path: &[Branch]) {
    let device = match profile.device {
        Device::Cpu => "cpu",
        Device::Cuda => "cuda",
    };
    assert_eq!(path[0].then(), device, "{path:?}");
    assert_eq!(path[2].then(), profile.backend.name(), "{path:?}");
}

#[test]
fn every_branch_of_the_tree_can_be_taken() {
    let requests = requests();
    let mut left: Vec<Branch> = Branch::ALL.to_vec();
    for probe in probes() {
        for request in &requests {
            let path = detect(&probe, request).path;
            left.retain(|branch| !path.contains(branch));
            if left.is_empty() {
                return;
            }
        }
    }
    panic!("nothing leads to {left:?}");
}

#[test]
fn presets_lead_where_they_should() {
    let this = Preset::Laptop.probe(&probes()[0]);
    let run = |preset: Preset| {
        let profile = detect(&preset.probe(&this), &Request::default()).profile();
        let profile = profile.expect("a plain request can be met everywhere");
        (profile.device, profile.backend, profile.world_size.get())
    };
    assert_eq!(run(Preset::ColabCpu), (Device::Cpu, Backend::Threads, 4));
    assert_eq!(run(Preset::ColabT4), (Device::Cuda, Backend::Threads, 4));
    assert_eq!(run(Preset::Laptop), (Device::Cpu, Backend::Threads, 4));
    assert_eq!(run(Preset::Mac), (Device::Cpu, Backend::Threads, 4));
    assert_eq!(run(Preset::H100Node), (Device::Cuda, Backend::Nccl, 8));
    assert_eq!(run(Preset::H100TwoNodes), (Device::Cuda, Backend::Nccl, 16));
    assert_eq!(run(Preset::This), run(Preset::Laptop));
}

#[test]
fn a_gpu_that_is_asked_for_and_absent_is_refused_with_its_cause() {
    let request = Request { device: DeviceChoice::Cuda, ..Request::default() };
    let refusal = |probe: &Probe| detect(probe, &request).profile().expect_err("no GPU");
    let laptop = Preset::Laptop.probe(&probes()[0]);
    assert!(refusal(&laptop).reason.contains("no NVIDIA driver"));
    let plain = Probe { build: Build::PLAIN, ..laptop.clone() };
    assert!(refusal(&plain).reason.contains("built without CUDA"));
    let hidden = Probe { gpus: Gpus::Devices(vec![]), ..laptop };
    assert!(refusal(&hidden).works.contains("CUDA_VISIBLE_DEVICES"));
}
