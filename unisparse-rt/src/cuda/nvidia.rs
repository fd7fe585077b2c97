//! The driver of NVIDIA, through its libraries, which are loaded when they are first needed.
//!
//! The bindings panic where a library is absent, so this looks first whether it is there.

mod compiler;

use compiler::OPTIONS;
pub use compiler::compile;

use core::ffi::{c_int, c_uint, c_void};
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUresult};

use super::driver::{Address, Driver, Function, Handle, Properties, WIDE_FROM};
use super::error::Error;
use super::launch::Arguments;

/// The least compute capability: 8.0.
const OLDEST: u32 = 80;

/// The least version of CUDA that the driver supports: 12.8, the first with all functions that are called.
const OLDEST_DRIVER: u32 = 12080;

/// A device of NVIDIA, with its primary context.
pub(super) struct Nvidia {
    device: sys::CUdevice,
    context: Context,
    properties: Properties,
}

/// The context of a device.
#[derive(Clone, Copy)]
struct Context(sys::CUcontext);

// SAFETY: a context may be current to several threads at once, and the functions of the driver are safe to call from all of
// them.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// Whether the library of the driver can be loaded.
fn has_driver() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: it loads the library, whose initialisation does nothing that the caller relies on.
    *PRESENT.get_or_init(|| unsafe { sys::is_culib_present() })
}

/// Returns what the driver reports as an error.
fn check(result: CUresult) -> Result<(), Error> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let mut text = ptr::null();
    // SAFETY: the driver sets the pointer to a constant, or to null.
    let found = unsafe { sys::cuGetErrorString(result, &mut text) };
    let text = if found == CUresult::CUDA_SUCCESS && !text.is_null() {
        // SAFETY: the constant ends with a zero.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    } else {
        format!("{result:?}")
    };
    Err(Error::Driver {
        code: result as u32,
        text,
    })
}

/// Returns an error if a driver of this version lacks functions that are called, for which the bindings would panic.
fn check_version(found: u32) -> Result<(), Error> {
    match found < OLDEST_DRIVER {
        true => Err(Error::OldDriver {
            found,
            needed: OLDEST_DRIVER,
        }),
        false => Ok(()),
    }
}

impl Nvidia {
    /// Opens a device, by its number from zero.
    pub(super) fn open(number: usize) -> Result<Self, Error> {
        if !has_driver() {
            return Err(Error::NoDriver);
        }
        let no_device = |error: Error| Error::NoDevice {
            reason: error.to_string(),
        };
        // SAFETY: the library is there.
        check(unsafe { sys::cuInit(0) }).map_err(no_device)?;
        let mut version: c_int = 0;
        // SAFETY: the driver writes the number.
        check(unsafe { sys::cuDriverGetVersion(&mut version) }).map_err(no_device)?;
        check_version(u32::try_from(version).unwrap_or(0))?;
        let mut count: c_int = 0;
        // SAFETY: the driver writes the number.
        check(unsafe { sys::cuDeviceGetCount(&mut count) }).map_err(no_device)?;
        let count = usize::try_from(count).unwrap_or(0);
        if count == 0 {
            return Err(Error::NoDevice {
                reason: "it finds none".to_owned(),
            });
        }
        let Some(ordinal) = c_int::try_from(number).ok().filter(|_| number < count) else {
            return Err(Error::NoSuchDevice { number, count });
        };
        let mut device: sys::CUdevice = 0;
        // SAFETY: there is a device of this number.
        check(unsafe { sys::cuDeviceGet(&mut device, ordinal) })?;
        let properties = properties(device)?;
        if properties.capability < OLDEST {
            return Err(Error::TooOld {
                found: properties.capability,
                needed: OLDEST,
            });
        }
        let mut context = ptr::null_mut();
        // SAFETY: the device is valid. Dropping this releases the context.
        check(unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) })?;
        Ok(Nvidia {
            device,
            context: Context(context),
            properties,
        })
    }

    /// Makes the context current to this thread.
    fn enter(&self) -> Result<(), Error> {
        // SAFETY: the context is retained.
        check(unsafe { sys::cuCtxSetCurrent(self.context.0) })
    }

    /// Waits for copies that the stream of no number does.
    fn wait_for_copies(&self) -> Result<(), Error> {
        // SAFETY: the null stream exists in every context.
        check(unsafe { sys::cuStreamSynchronize(ptr::null_mut()) })
    }
}

fn properties(device: sys::CUdevice) -> Result<Properties, Error> {
    use sys::CUdevice_attribute as Attribute;
    let attribute = |attribute: Attribute| -> Result<u32, Error> {
        let mut value: c_int = 0;
        // SAFETY: the device is valid.
        check(unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let mut name = [0u8; 256];
    // SAFETY: the driver writes at most as many bytes as there are, with a zero at the end.
    check(unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, device) })?;
    let name =
        CStr::from_bytes_until_nul(&name).map_or_else(|_| String::new(), |name| name.to_string_lossy().into_owned());
    Ok(Properties {
        name,
        capability: major * 10 + minor,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        wide_from: WIDE_FROM,
    })
}

impl Drop for Nvidia {
    fn drop(&mut self) {
        // SAFETY: it was retained once. Tensors, arrays and streams keep this alive, so nothing uses it any more.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

fn stream(handle: Handle) -> sys::CUstream {
    handle.0 as usize as sys::CUstream
}

fn event(handle: Handle) -> sys::CUevent {
    handle.0 as usize as sys::CUevent
}

impl Driver for Nvidia {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<Address, Error> {
        self.enter()?;
        let mut address: sys::CUdeviceptr = 0;
        // Whole words: atomic operations on elements of one or two bytes change the word around them.
        let room = bytes.checked_next_multiple_of(16).ok_or(Error::OutOfMemory { bytes })?;
        // SAFETY: the driver writes the address.
        match unsafe { sys::cuMemAlloc_v2(&mut address, room) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(Error::OutOfMemory { bytes }),
            result => check(result).map(|()| Address(address)),
        }
    }

    fn release(&self, address: Address, _: usize) {
        if self.enter().is_ok() {
            // SAFETY: the memory was allocated and is released once, after all work that may use it.
            let _ = unsafe { (sys::cuCtxSynchronize(), sys::cuMemFree_v2(address.0)) };
        }
    }

    fn write(&self, to: Address, bytes: &[u8]) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: the caller's memory has at least as many bytes.
        check(unsafe { sys::cuMemcpyHtoD_v2(to.0, bytes.as_ptr().cast(), bytes.len()) })?;
        self.wait_for_copies()
    }

    fn read(&self, from: Address, into: &mut [u8]) -> Result<(), Error> {
        self.synchronize(None)?;
        // SAFETY: the caller's memory has at least as many bytes. The copy is done when this returns.
        check(unsafe { sys::cuMemcpyDtoH_v2(into.as_mut_ptr().cast(), from.0, into.len()) })
    }

    fn clear(&self, at: Address, bytes: usize) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: the caller's memory has at least as many bytes.
        check(unsafe { sys::cuMemsetD8_v2(at.0, 0, bytes) })?;
        self.wait_for_copies()
    }

    fn options(&self) -> String {
        OPTIONS.join(" ")
    }

    fn compile(&self, name: &str, text: &str, _: &[&str]) -> Result<Vec<u8>, Error> {
        compile(name, text, self.properties.capability)
    }

    unsafe fn load(&self, binary: &[u8], kernels: &[&str]) -> Result<Vec<Function>, Error> {
        self.enter()?;
        // A text of assembly ends with a zero.
        let binary = [binary, &[0]].concat();
        let mut module = ptr::null_mut();
        // SAFETY: the caller passes a whole binary, in which the driver finds the end. The module stays loaded as long as the
        // context.
        check(unsafe { sys::cuModuleLoadData(&mut module, binary.as_ptr().cast()) })?;
        let function = |kernel: &&str| {
            let name = CString::new(*kernel).unwrap_or_default();
            let mut function = ptr::null_mut();
            // SAFETY: the module is loaded, and the name ends with a zero.
            check(unsafe { sys::cuModuleGetFunction(&mut function, module, name.as_ptr()) })?;
            Ok(Function(function as usize as u64))
        };
        kernels.iter().map(function).collect()
    }

    unsafe fn launch(
        &self,
        of: Handle,
        function: Function,
        blocks: u32,
        threads: u32,
        arguments: &Arguments,
    ) -> Result<(), Error> {
        self.enter()?;
        let mut pointers: Vec<*mut c_void> = arguments
            .pointers()
            .into_iter()
            .map(<*const c_void>::cast_mut)
            .collect();
        let shared: c_uint = 0;
        // SAFETY: the caller gives the arguments that the kernel takes. The driver copies them before it returns.
        check(unsafe {
            sys::cuLaunchKernel(
                function.0 as usize as sys::CUfunction,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared,
                stream(of),
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        })
    }

    fn open_stream(&self) -> Result<Handle, Error> {
        self.enter()?;
        let mut opened = ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: the driver writes the handle.
        check(unsafe { sys::cuStreamCreate(&mut opened, flags) })?;
        Ok(Handle(opened as usize as u64))
    }

    fn close_stream(&self, of: Handle) {
        if self.enter().is_ok() {
            // SAFETY: the stream was opened, and is closed once.
            let _ = unsafe { sys::cuStreamDestroy_v2(stream(of)) };
        }
    }

    fn synchronize(&self, of: Option<Handle>) -> Result<(), Error> {
        self.enter()?;
        check(match of {
            // SAFETY: the stream is open.
            Some(of) => unsafe { sys::cuStreamSynchronize(stream(of)) },
            // SAFETY: the context is current.
            None => unsafe { sys::cuCtxSynchronize() },
        })
    }

    fn record(&self, of: Handle) -> Result<Handle, Error> {
        self.enter()?;
        let mut recorded = ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DEFAULT as c_uint;
        // SAFETY: the driver writes the handle.
        check(unsafe { sys::cuEventCreate(&mut recorded, flags) })?;
        let handle = Handle(recorded as usize as u64);
        // SAFETY: the event exists, and the stream is open.
        check(unsafe { sys::cuEventRecord(recorded, stream(of)) }).inspect_err(|_| self.forget(handle))?;
        Ok(handle)
    }

    fn wait(&self, of: Handle, on: Handle) -> Result<(), Error> {
        self.enter()?;
        // SAFETY: the stream is open, and the event is recorded.
        check(unsafe { sys::cuStreamWaitEvent(stream(of), event(on), 0) })
    }

    fn elapsed(&self, from: Handle, to: Handle) -> Result<f32, Error> {
        self.enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are recorded, and the driver writes the time.
        unsafe {
            check(sys::cuEventSynchronize(event(from)))?;
            check(sys::cuEventSynchronize(event(to)))?;
            check(sys::cuEventElapsedTime_v2(&mut milliseconds, event(from), event(to)))?;
        }
        Ok(milliseconds)
    }

    fn forget(&self, of: Handle) {
        if self.enter().is_ok() {
            // SAFETY: the event was made, and is destroyed once.
            let _ = unsafe { sys::cuEventDestroy_v2(event(of)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check_version;
    use crate::cuda::error::Error;

    #[test]
    fn drivers_without_all_functions_are_refused() {
        let error = Error::OldDriver {
            found: 12070,
            needed: 12080,
        };
        assert!(error.to_string().contains("CUDA 12.7, and 12.8 is needed"), "{error}");
        assert_eq!(check_version(12070), Err(error));
        assert_eq!((check_version(12080), check_version(13000)), (Ok(()), Ok(())));
    }
}
