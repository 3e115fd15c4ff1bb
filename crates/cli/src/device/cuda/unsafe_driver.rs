//! NVIDIA's driver, looked up when it is first asked for and not when the program starts.
//!
//! candle links the driver's library by name, and the system does not even start a program whose
//! libraries it cannot find: built with CUDA, this one would end on a machine without a driver
//! before it could say so, or compute on the CPU. So the functions that candle calls are defined
//! here, each a jump through a table that [`load`] fills. The linker takes these and leaves the
//! library out. A function that is missing from the list is taken from the library as before,
//! which shows on a machine without a driver: the program does not start.

use candle_core::cuda_backend::cudarc::driver::{result, sys};

/// Bytes of memory of a device, 0 where the driver does not tell.
pub fn memory(device: sys::CUdevice) -> u64 {
    // SAFETY: the device comes from the driver, by its number.
    #[allow(unsafe_code)]
    let bytes = unsafe { result::device::total_mem(device) };
    bytes.map_or(0, |bytes| bytes as u64)
}

pub use late::load;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod late {
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, Ordering};

    use libloading::os::unix::Library;

    /// The driver's library as the system's loader finds it.
    const LIBRARY: &str = "libcuda.so.1";

    /// Finds the driver and returns whether there is one. Until then, and without one, every
    /// function of it returns CUDA_ERROR_NO_DEVICE.
    pub fn load() -> bool {
        static ONCE: Once = Once::new();
        static FOUND: AtomicBool = AtomicBool::new(false);
        ONCE.call_once(|| FOUND.store(fill(), Ordering::Release));
        FOUND.load(Ordering::Acquire)
    }

    /// Fills the table; functions that an old driver lacks keep returning the error.
    fn fill() -> bool {
        // SAFETY: this is the library that the program would be linked with, and its initialisers
        // are NVIDIA's own.
        #[allow(unsafe_code)]
        let Ok(library) = (unsafe { Library::new(LIBRARY) }) else {
            return false;
        };
        for (index, name) in NAMES.iter().enumerate() {
            // SAFETY: the address is only kept; candle calls it by the driver's own signature.
            #[allow(unsafe_code)]
            let function = unsafe { library.get::<*const ()>(name.as_bytes()) };
            if let Ok(function) = function {
                // SAFETY: `call_once` lets one thread write, and a jump through the table comes
                // only after it: nothing calls the driver before it has been found.
                #[allow(unsafe_code)]
                unsafe {
                    ringside_driver_table[index] = function.as_raw_ptr() as usize;
                }
            }
        }
        // The table points into it for as long as the program runs.
        std::mem::forget(library);
        true
    }

    #[cfg(target_arch = "x86_64")]
    macro_rules! jump {
        ($name:ident) => {
            concat!("jmp qword ptr [rip + .Lringside_", stringify!($name), "]\n")
        };
    }
    #[cfg(target_arch = "x86_64")]
    macro_rules! no_device {
        () => {
            "mov eax, 100\nret\n"
        };
    }
    // x16 is the register that the calling convention keeps for such jumps.
    #[cfg(target_arch = "aarch64")]
    macro_rules! jump {
        ($name:ident) => {
            concat!(
                "adrp x16, .Lringside_",
                stringify!($name),
                "\nldr x16, [x16, :lo12:.Lringside_",
                stringify!($name),
                "]\nbr x16\n"
            )
        };
    }
    #[cfg(target_arch = "aarch64")]
    macro_rules! no_device {
        () => {
            "mov w0, #100\nret\n"
        };
    }

    macro_rules! functions {
        ($($name:ident)*) => {
            const NAMES: &[&str] = &[$(stringify!($name)),*];

            // SAFETY: a jump keeps registers and stack as the caller set them, so whatever the
            // signature, the driver's function sees its own call.
            #[allow(unsafe_code)]
            mod table {
                std::arch::global_asm!(
                    ".text\n.p2align 4\n.Lringside_no_device:\n",
                    no_device!(),
                    $(concat!(
                        ".hidden ", stringify!($name), "\n.globl ", stringify!($name),
                        "\n.type ", stringify!($name), ", @function\n.p2align 4\n",
                        stringify!($name), ":\n", jump!($name),
                    ),)*
                    ".data\n.p2align 3\n.hidden ringside_driver_table\n",
                    ".globl ringside_driver_table\nringside_driver_table:\n",
                    $(concat!(
                        ".Lringside_", stringify!($name), ": .quad .Lringside_no_device\n"
                    ),)*
                    ".text\n",
                );
            }
        };
    }

    // SAFETY: the table is defined below, one address for each name.
    #[allow(unsafe_code)]
    unsafe extern "C" {
        static mut ringside_driver_table: [usize; NAMES.len()];
    }

    functions! {
        cuInit
    }
}

/// Elsewhere the system's loader has found the driver already, or this would not run.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod late {
    pub fn load() -> bool {
        true
    }
}
