//! A stand-in for the driver of a device: it compiles kernels as C++ with `stand_in.h`, loads them into this process, and
//! runs each launch when somebody waits for it. Copies to the device wait for nothing, as on a device.
//!
//! Arrays end at a page that cannot be accessed and begin as NaN. A fault ends the process with a message.

use std::ffi::{CString, c_void};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use unisparse::__private::cuda::{Address, Arguments, Driver, Function, Handle, Properties, WIDE_FROM, compile};
use unisparse::cuda::{Error, Gpu};

use super::queues::Queues;

/// What a test sets and counts.
#[derive(Default)]
pub(crate) struct Counters {
    /// Whether this is a real device, of which nothing is counted.
    is_real: bool,
    /// The order in which threads run.
    pub(crate) schedule: AtomicU32,
    /// The number of texts that were compiled.
    pub(crate) compiled: AtomicU32,
    launches: AtomicU32,
    /// Whether copies to the device fail.
    pub(crate) refuses: AtomicBool,
    /// The bytes that are allocated now.
    pub(crate) bytes: AtomicU64,
}

impl Counters {
    /// Returns the number of launches, if they are counted.
    pub(crate) fn launches(&self) -> Option<u32> {
        (!self.is_real).then(|| self.launches.load(Ordering::Relaxed))
    }
}

struct StandIn {
    properties: Properties,
    counters: Arc<Counters>,
    queues: Mutex<Queues>,
}

/// Takes the arguments, the numbers of blocks and of threads, the schedule, and the stacks of an earlier launch. Returns the stacks.
type Launcher = unsafe extern "C" fn(*const *const c_void, u32, u32, u32, *mut c_void) -> *mut c_void;

/// The address of the stacks of threads, if there was a launch: to map them takes longer than most launches.
///
/// One launch runs at a time, as launches use static memory of the kernels' library.
static STACKS: Mutex<usize> = Mutex::new(0);

/// The options of `g++`.
const OPTIONS: [&str; 7] = [
    "-std=c++17",
    "-O0",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-w",
];

/// What stands before a text.
const HEADER: &str = concat!(
    "#define UNISPARSE_CPU_LIBRARY\n#define UNISPARSE_THREADS 256\n",
    include_str!("../cuda_kernels/stand_in.h"),
    // Texts include `math.h`, too.
    "#include <math.h>\n#include <type_traits>\n#include <utility>\n"
);

/// Returns the path of a file of [`HEADER`], which is precompiled once for all runs: to read it takes longer than the kernels, in each of 160 texts.
fn header() -> Result<&'static Path, Error> {
    static PATH: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let compile = || -> Result<PathBuf, Error> {
        let mut hasher = DefaultHasher::new();
        (OPTIONS, HEADER).hash(&mut hasher);
        let folder = common_folder();
        let path = folder.join(format!("header-{:016x}.h", hasher.finish()));
        let compiled = path.with_extension("h.gch");
        if !compiled.exists() {
            fs::create_dir_all(&folder).map_err(failed)?;
            fs::write(&path, HEADER).map_err(failed)?;
            let unfinished = folder.join(format!("header-{}.gch", std::process::id()));
            run(Command::new("g++")
                .args(OPTIONS)
                .args(["-x", "c++-header", "-o"])
                .args([&unfinished, &path]))
            .map_err(failed)?;
            fs::rename(unfinished, compiled).map_err(failed)?;
        }
        Ok(path)
    };
    let path = PATH.get_or_init(|| compile().map_err(|error| error.to_string()));
    path.as_deref().map_err(failed)
}

/// Runs a compiler. Returns what it says if it fails.
fn run(compiler: &mut Command) -> Result<(), String> {
    let output = compiler.output().map_err(|error| error.to_string())?;
    let errors = || String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(errors()) }
}

/// Whether each text must compile for real devices, too.
fn requires_nvrtc() -> bool {
    std::env::var_os("UNISPARSE_REQUIRE_NVRTC").is_some_and(|value| value == "1")
}

/// Functions at the end of a text, by which it is called: they unpack the arguments from an array of pointers.
const CALLS: &str = r#"
template <class... Given, size_t... at>
static void unisparse_unpacked(void (*kernel)(Given...), void *const *given, std::index_sequence<at...>) {
    kernel(*(std::remove_const_t<Given> *)given[at]...);
}

template <class... Given>
static void unisparse_called(void (*kernel)(Given...), void *const *given) {
    unisparse_unpacked(kernel, given, std::index_sequence_for<Given...>());
}
"#;

/// Returns a stand-in for a device, with a folder for compiled kernels. `None` without a compiler, which is an error if
/// `UNISPARSE_REQUIRE_CC=1`.
pub(crate) fn open_in(folder: PathBuf) -> Option<(Gpu, Arc<Counters>)> {
    open_with(folder, WIDE_FROM)
}

/// Returns a stand-in that compiles kernels with positions of 64 bits from this extent or length.
fn open_with(folder: PathBuf, wide_from: u64) -> Option<(Gpu, Arc<Counters>)> {
    if let Err(error) = Command::new("g++").arg("--version").output() {
        let required = std::env::var_os("UNISPARSE_REQUIRE_CC").is_some_and(|value| value == "1");
        assert!(!required, "no C++ compiler: `g++`: {error}");
        // Writes to the stream itself, because the output of a passing test is captured.
        let _ = writeln!(std::io::stderr(), "SKIPPED: no C++ compiler: `g++`: {error}");
        return None;
    }
    let counters = Arc::new(Counters::default());
    let driver = StandIn {
        properties: Properties {
            name: "stand-in".to_owned(),
            capability: 80,
            multiprocessors: 1,
            wide_from,
        },
        counters: Arc::clone(&counters),
        queues: Mutex::default(),
    };
    Some((Gpu::with_driver(Box::new(driver), Some(folder)).unwrap(), counters))
}

/// Returns a stand-in for a device whose kernels are compiled once for all runs of the tests, or with `UNISPARSE_GPU=1` the
/// first device.
pub(crate) fn open() -> Option<(Gpu, Arc<Counters>)> {
    if std::env::var_os("UNISPARSE_GPU").is_some_and(|value| value == "1") {
        let counters = Counters {
            is_real: true,
            ..Counters::default()
        };
        return Some((Gpu::open(0).unwrap(), Arc::new(counters)));
    }
    open_in(common_folder())
}

/// Returns a stand-in as [`open`], all of whose kernels have positions of 64 bits. `None` for a real device, too, whose kernels
/// have them for great tensors only.
pub(crate) fn open_wide() -> Option<(Gpu, Arc<Counters>)> {
    let is_real = std::env::var_os("UNISPARSE_GPU").is_some_and(|value| value == "1");
    if is_real { None } else { open_with(common_folder(), 0) }
}

fn common_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda")
}

const PAGE: usize = 4096;

/// Returns the bytes that an array occupies up to the page that ends it, and the bytes of its own.
fn room(bytes: usize) -> (usize, usize) {
    let own = bytes.next_multiple_of(16);
    (own.next_multiple_of(PAGE), own)
}

fn failed(text: impl ToString) -> Error {
    Error::Driver {
        code: 1,
        text: text.to_string(),
    }
}

impl StandIn {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap()
    }

    fn folder() -> Result<PathBuf, Error> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("unisparse-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).map_err(failed)?;
        Ok(folder)
    }
}

impl Driver for StandIn {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<Address, Error> {
        assert!(bytes > 0);
        let (all, own) = room(bytes);
        // SAFETY: the pages are new.
        unsafe {
            let (readable, kind) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            );
            let first = libc::mmap(std::ptr::null_mut(), all + PAGE, readable, kind, -1, 0);
            if first == libc::MAP_FAILED {
                return Err(Error::OutOfMemory { bytes });
            }
            libc::mprotect(first.byte_add(all), PAGE, libc::PROT_NONE);
            first.cast::<u8>().write_bytes(0xff, all);
            self.counters.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
            Ok(Address(first.byte_add(all - own) as u64))
        }
    }

    fn release(&self, address: Address, bytes: usize) {
        self.queues().finish_all();
        let (all, own) = room(bytes);
        self.counters.bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
        // SAFETY: the pages were allocated, and nothing uses them any more.
        unsafe { libc::munmap((address.0 as usize + own - all) as *mut c_void, all + PAGE) };
    }

    fn write(&self, to: Address, bytes: &[u8]) -> Result<(), Error> {
        if self.counters.refuses.load(Ordering::Relaxed) {
            return Err(failed("copies are refused"));
        }
        // SAFETY: an array that is too short ends at a page that cannot be accessed.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.0 as *mut u8, bytes.len()) };
        Ok(())
    }

    fn read(&self, from: Address, into: &mut [u8]) -> Result<(), Error> {
        self.queues().finish_all();
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(from.0 as *const u8, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    fn clear(&self, at: Address, bytes: usize) -> Result<(), Error> {
        // SAFETY: as above.
        unsafe { (at.0 as *mut u8).write_bytes(0, bytes) };
        Ok(())
    }

    fn options(&self) -> String {
        format!("{} {}\n{HEADER}\n{CALLS}", OPTIONS.join(" "), requires_nvrtc())
    }

    fn compile(&self, name: &str, text: &str, kernels: &[&str]) -> Result<Vec<u8>, Error> {
        self.counters.compiled.fetch_add(1, Ordering::Relaxed);
        // The text compiles for real devices, too.
        for capability in [80, 90] {
            match compile(name, text, capability) {
                Err(Error::NoCompiler) if !requires_nvrtc() => {}
                code => assert_eq!(code?[..4], *b"\x7fELF"),
            }
        }
        let folder = Self::folder()?;
        let [source, library] = ["kernels.cpp", "kernels.so"].map(|file| folder.join(file));
        let calls = kernels.iter().map(|kernel| {
            format!(
                "extern \"C\" __attribute__((visibility(\"default\"))) void *{kernel}_launch(void *const *given, unsigned blocks, unsigned threads, unsigned schedule, void *stacks) {{\n\
                 return unisparse_cpu::launch_with(stacks, \"{kernel}\", blocks, threads, schedule, [=] {{ unisparse_called(unisparse::{kernel}, given); }});\n}}\n"
            )
        });
        let calls: String = calls.collect();
        fs::write(
            &source,
            format!("#include \"{}\"\n{text}\n{CALLS}{calls}", header()?.display()),
        )
        .map_err(failed)?;
        let compiled = run(Command::new("g++").args(OPTIONS).arg("-o").args([&library, &source]));
        let binary = match compiled {
            Ok(()) => fs::read(&library).map_err(failed),
            Err(log) => Err(Error::Compile {
                kernel: name.to_owned(),
                log,
            }),
        };
        let _ = fs::remove_dir_all(&folder);
        binary
    }

    unsafe fn load(&self, binary: &[u8], kernels: &[&str]) -> Result<Vec<Function>, Error> {
        let folder = Self::folder()?;
        let library = folder.join("kernels.so");
        fs::write(&library, binary).map_err(failed)?;
        let path = CString::new(library.to_string_lossy().into_owned()).map_err(failed)?;
        // SAFETY: the library has no code that runs when it is loaded.
        let loaded = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let _ = fs::remove_dir_all(&folder);
        if loaded.is_null() {
            // SAFETY: the last call on this thread failed, so there is a message that ends with a zero.
            let reason = unsafe { std::ffi::CStr::from_ptr(libc::dlerror()) };
            return Err(failed(reason.to_string_lossy()));
        }
        let find = |kernel: &&str| {
            let name = CString::new(format!("{kernel}_launch")).map_err(failed)?;
            // SAFETY: the library is loaded, and stays so.
            let function = unsafe { libc::dlsym(loaded, name.as_ptr()) };
            if function.is_null() {
                return Err(failed(format!("there is no kernel `{kernel}`")));
            }
            Ok(Function(function as u64))
        };
        kernels.iter().map(find).collect()
    }

    unsafe fn launch(
        &self,
        stream: Handle,
        function: Function,
        blocks: u32,
        threads: u32,
        arguments: &Arguments,
    ) -> Result<(), Error> {
        self.counters.launches.fetch_add(1, Ordering::Relaxed);
        let (arguments, schedule) = (arguments.clone(), self.counters.schedule.load(Ordering::Relaxed));
        let launch = move || {
            let mut stacks = STACKS.lock().unwrap();
            let pointers = arguments.pointers();
            // SAFETY: `load` found the function, whose arguments the caller gives.
            unsafe {
                let launch: Launcher = std::mem::transmute::<usize, Launcher>(function.0 as usize);
                *stacks = launch(pointers.as_ptr(), blocks, threads, schedule, *stacks as *mut c_void) as usize;
            }
        };
        self.queues().launch(stream.0, launch);
        Ok(())
    }

    fn open_stream(&self) -> Result<Handle, Error> {
        Ok(Handle(self.queues().open()))
    }

    /// The work of the stream goes on.
    fn close_stream(&self, _: Handle) {}

    fn synchronize(&self, stream: Option<Handle>) -> Result<(), Error> {
        match stream {
            Some(stream) => self.queues().finish(stream.0),
            None => self.queues().finish_all(),
        }
        Ok(())
    }

    fn record(&self, stream: Handle) -> Result<Handle, Error> {
        Ok(Handle(self.queues().record(stream.0)))
    }

    fn wait(&self, stream: Handle, event: Handle) -> Result<(), Error> {
        self.queues().wait(stream.0, event.0);
        Ok(())
    }

    fn elapsed(&self, from: Handle, to: Handle) -> Result<f32, Error> {
        let mut queues = self.queues();
        [from, to].into_iter().for_each(|event| queues.reach(event.0));
        Ok(to.0.wrapping_sub(from.0) as f32)
    }

    fn forget(&self, _: Handle) {}
}
