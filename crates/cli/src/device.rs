//! What --device, --backend and --force-cpu come down to in this binary.

use candle_core::Device;
use plan::Refusal;

use crate::args::{BackendName, DeviceName, RunArgs};

/// The device that every rank computes on; refused where this binary cannot have it.
pub fn resolve(args: &RunArgs) -> Result<Device, Refusal> {
    if args.force_cpu && args.device == DeviceName::Cuda {
        return Err(Refusal::new(
            "device",
            "cuda",
            "--force-cpu asks for the opposite",
            "leave one of the two out",
        ));
    }
    if args.device == DeviceName::Cuda {
        return Err(Refusal::new(
            "device",
            "cuda",
            "this binary is built without CUDA",
            "use --device cpu, or leave it out",
        ));
    }
    let absent = |name: &str, what: &str| {
        Refusal::new(
            "backend",
            name,
            format!("this binary is built without {what}"),
            "use --backend threads, or leave it out",
        )
    };
    match args.backend {
        BackendName::Auto | BackendName::Threads => Ok(Device::Cpu),
        BackendName::Mpi => Err(absent("mpi", "MPI")),
        BackendName::Nccl => Err(absent("nccl", "NCCL")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_built_in_is_refused_by_name() {
        let cases = [
            (RunArgs { device: DeviceName::Cuda, ..RunArgs::default() }, "device"),
            (RunArgs { device: DeviceName::Cuda, force_cpu: true, ..RunArgs::default() }, "device"),
            (RunArgs { backend: BackendName::Mpi, ..RunArgs::default() }, "backend"),
            (RunArgs { backend: BackendName::Nccl, ..RunArgs::default() }, "backend"),
        ];
        for (args, field) in cases {
            assert_eq!(resolve(&args).expect_err("it must be refused").field, field);
        }
        let fine = RunArgs { force_cpu: true, backend: BackendName::Threads, ..RunArgs::default() };
        assert!(resolve(&fine).is_ok());
    }
}
