//! Compiles kernels at run time, by NVRTC.

use core::ffi::{c_char, c_int};
use std::ffi::CString;
use std::ptr;
use std::sync::OnceLock;

use cudarc::nvrtc::sys::{self, nvrtcResult};

use crate::cuda::error::Error;

/// The options besides the architecture.
pub(super) const OPTIONS: [&str; 1] = ["--std=c++17"];

/// Whether the library of the compiler can be loaded.
fn has_compiler() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: it loads the library, whose initialisation does nothing that the caller relies on.
    *PRESENT.get_or_init(|| unsafe { sys::is_culib_present() })
}

/// A program, destroyed when it is dropped.
struct Program(sys::nvrtcProgram);

impl Program {
    /// Returns bytes of the program, whose number one function gives, and another one writes.
    fn bytes(
        &self,
        size: unsafe fn(sys::nvrtcProgram, *mut usize) -> nvrtcResult,
        write: unsafe fn(sys::nvrtcProgram, *mut c_char) -> nvrtcResult,
    ) -> Result<Vec<u8>, nvrtcResult> {
        let mut count = 0;
        // SAFETY: the program exists, and the compiler writes the number.
        match unsafe { size(self.0, &mut count) } {
            nvrtcResult::NVRTC_SUCCESS => {}
            error => return Err(error),
        }
        let mut bytes = vec![0u8; count];
        // SAFETY: there are as many bytes as the compiler requires.
        match unsafe { write(self.0, bytes.as_mut_ptr().cast()) } {
            nvrtcResult::NVRTC_SUCCESS => Ok(bytes),
            error => Err(error),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program was created, and is destroyed once.
        let _ = unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}

/// Returns the machine code of a text for a compute capability, or assembly that the driver translates if the compiler is
/// older than the device. Needs neither a device nor a driver.
///
/// # Errors
/// `NoCompiler` without NVRTC, `Compile` if the text has errors.
#[doc(hidden)]
pub fn compile(name: &str, text: &str, capability: u32) -> Result<Vec<u8>, Error> {
    if !has_compiler() {
        return Err(Error::NoCompiler);
    }
    let failed = |log: String| Error::Compile {
        kernel: name.to_owned(),
        log,
    };
    let supported = supported();
    let is_known = supported.contains(&capability);
    let architecture = match supported.iter().filter(|&&known| known < capability).max() {
        Some(older) if !is_known => format!("compute_{older}"),
        _ => format!("sm_{capability}"),
    };
    let [source, file] = [text, &format!("{name}.cu")].map(|text| CString::new(text).unwrap_or_default());
    let mut program = ptr::null_mut();
    // SAFETY: both texts end with a zero, and there are no headers.
    let created = unsafe {
        sys::nvrtcCreateProgram(
            &mut program,
            source.as_ptr(),
            file.as_ptr(),
            0,
            ptr::null(),
            ptr::null(),
        )
    };
    if created != nvrtcResult::NVRTC_SUCCESS {
        return Err(failed(format!("{created:?}")));
    }
    let program = Program(program);
    let options = std::iter::once(format!("--gpu-architecture={architecture}"));
    let options = options.chain(OPTIONS.map(str::to_owned));
    let options: Vec<CString> = options.map(|option| CString::new(option).unwrap_or_default()).collect();
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: the program exists, and the options end with zeros.
    let compiled = unsafe { sys::nvrtcCompileProgram(program.0, pointers.len() as c_int, pointers.as_ptr()) };
    if compiled != nvrtcResult::NVRTC_SUCCESS {
        let log = program.bytes(sys::nvrtcGetProgramLogSize, sys::nvrtcGetProgramLog);
        let log = log.unwrap_or_default();
        return Err(failed(format!(
            "{compiled:?}: {}",
            String::from_utf8_lossy(&log).trim_end_matches('\0')
        )));
    }
    let code = if is_known {
        program.bytes(sys::nvrtcGetCUBINSize, sys::nvrtcGetCUBIN)
    } else {
        program.bytes(sys::nvrtcGetPTXSize, sys::nvrtcGetPTX)
    };
    code.map_err(|result| failed(format!("{result:?}")))
}

/// Returns the compute capabilities for which the compiler makes machine code.
fn supported() -> Vec<u32> {
    let mut count: c_int = 0;
    // SAFETY: the compiler writes the number.
    let counted = unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) };
    if counted != nvrtcResult::NVRTC_SUCCESS {
        return Vec::new();
    }
    let mut supported = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: there is room for as many numbers.
    let found = unsafe { sys::nvrtcGetSupportedArchs(supported.as_mut_ptr()) };
    if found != nvrtcResult::NVRTC_SUCCESS {
        return Vec::new();
    }
    supported
        .into_iter()
        .filter_map(|capability: c_int| u32::try_from(capability).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::compile;
    use crate::cuda::error::Error;

    #[test]
    #[ignore = "needs NVRTC in LD_LIBRARY_PATH"]
    fn machine_code_for_known_devices_and_assembly_for_later_ones() {
        const TEXT: &str = "extern \"C\" __global__ void f(float *y) { y[threadIdx.x] = 1; }";
        assert_eq!(&compile("f", TEXT, 80).unwrap()[..4], b"\x7fELF");
        assert!(String::from_utf8_lossy(&compile("f", TEXT, 999).unwrap()).contains(".target sm_"));
        let Err(Error::Compile { kernel, log }) = compile("g", "extern \"C\" __global__ void g() { y; }", 80) else {
            panic!("an error is not reported");
        };
        assert!(kernel == "g" && log.contains("g.cu(1): error"), "{log}");
    }
}
