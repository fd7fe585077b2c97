//! Errors of devices.

use core::fmt;

use crate::error::Error as HostError;

/// Why something on a device did not work.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no driver: its library is not installed, or not found.
    NoDriver,
    /// There is a driver, but no device that it can use.
    NoDevice {
        /// What the driver reports.
        reason: String,
    },
    /// There are fewer devices.
    NoSuchDevice {
        /// The number that was requested.
        number: usize,
        /// How many devices there are.
        count: usize,
    },
    /// The device is older than kernels need.
    TooOld {
        /// Its compute capability, 75 for 7.5.
        found: u32,
        /// The least one.
        needed: u32,
    },
    /// The driver is older than kernels need.
    OldDriver {
        /// The version of CUDA that it supports, 12080 for 12.8.
        found: u32,
        /// The least one.
        needed: u32,
    },
    /// There is no compiler for kernels: the library NVRTC is not installed, or not found.
    NoCompiler,
    /// A kernel does not compile.
    Compile {
        /// The name of the kernel.
        kernel: String,
        /// What the compiler reports.
        log: String,
    },
    /// The device has not enough memory.
    OutOfMemory {
        /// The bytes that were requested.
        bytes: usize,
    },
    /// The operands of a call are not all on the device of its stream.
    OtherDevice,
    /// The operands do not match.
    Host(HostError),
    /// Values for a tensor or an array that has another number of them.
    Length {
        /// The number of values given.
        found: usize,
        /// The number of values needed.
        expected: usize,
    },
    /// Another error of the driver.
    Driver {
        /// The number of the error.
        code: u32,
        /// What the driver says about it.
        text: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoDriver => f.write_str("no NVIDIA driver: `libcuda.so` cannot be loaded"),
            Error::NoDevice { reason } => write!(f, "the NVIDIA driver has no device: {reason}"),
            Error::NoSuchDevice { number, count } => write!(f, "no device {number}: there are {count}, counted from 0"),
            Error::TooOld { found, needed } => write!(
                f,
                "the device has compute capability {}.{}, and kernels need {}.{}",
                found / 10,
                found % 10,
                needed / 10,
                needed % 10
            ),
            Error::OldDriver { found, needed } => write!(
                f,
                "the NVIDIA driver supports CUDA {}.{}, and {}.{} is needed: install a later driver",
                found / 1000,
                found % 1000 / 10,
                needed / 1000,
                needed % 1000 / 10
            ),
            Error::NoCompiler => f.write_str(
                "no NVRTC: `libnvrtc.so` cannot be loaded; install it, set `LD_LIBRARY_PATH`, or set `UNISPARSE_KERNEL_CACHE` to a folder with the compiled kernels",
            ),
            Error::Compile { kernel, log } => write!(f, "the kernel `{kernel}` does not compile:\n{log}"),
            Error::OutOfMemory { bytes } => write!(f, "the device has no memory for {bytes} bytes"),
            Error::OtherDevice => f.write_str("the operands and the stream of a call are on different devices"),
            Error::Host(error) => error.fmt(f),
            Error::Length { found, expected } => write!(f, "{found} values for {expected} places"),
            Error::Driver { code, text } => write!(f, "the NVIDIA driver reports error {code}: {text}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Host(error) => Some(error),
            _ => None,
        }
    }
}

impl From<HostError> for Error {
    fn from(error: HostError) -> Self {
        Error::Host(error)
    }
}
