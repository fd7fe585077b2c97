//! Runs a test on several ranks: it starts itself under `mpirun`.

use std::fs::{self, File};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use unisparse_mpi::World;

/// Names the test that a rank runs.
const CASE: &str = "UNISPARSE_MPI_CASE";

/// Time after which ranks are taken to wait for each other.
const TIMEOUT: Duration = Duration::from_secs(240);

/// Runs the body of the test called `name` on each of these numbers of ranks.
pub(crate) fn on_ranks(name: &str, ranks: impl IntoIterator<Item = usize>, body: impl FnOnce(&World)) {
    if is_rank(name) {
        return body(&unisparse_mpi::initialize().expect("MPI starts"));
    }
    for ranks in ranks {
        let ended = run(name, ranks, &[]);
        assert!(
            ended.status.success(),
            "{ranks} ranks: {}\n{}",
            ended.status,
            ended.output
        );
    }
}

/// Returns whether this process is a rank that runs the test called `name`.
pub(crate) fn is_rank(name: &str) -> bool {
    std::env::var(CASE).is_ok_and(|case| case == name)
}

/// What became of a run.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
    pub(crate) took: Duration,
}

/// Runs the test called `name` on some ranks, with these variables.
pub(crate) fn run(name: &str, ranks: usize, variables: &[(&str, &str)]) -> Ended {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    let log = std::env::temp_dir().join(format!("unisparse-mpi-{}-{number}.log", std::process::id()));
    let file = File::create(&log).expect("a log is created");
    let start = Instant::now();
    let mut mpirun = Command::new("mpirun")
        .args(["-n", &ranks.to_string()])
        .arg(std::env::current_exe().expect("the test has a path"))
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(CASE, name)
        // Open MPI: more ranks than cores, which do not spin while they wait, and tests as root in containers.
        .envs([
            ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
            ("OMPI_MCA_hwloc_base_binding_policy", "none"),
            ("OMPI_MCA_mpi_yield_when_idle", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            ("RAYON_NUM_THREADS", "1"),
        ])
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(file.try_clone().expect("the log is open"))
        .stderr(file)
        .spawn()
        .expect("`mpirun` starts: these tests need an installed MPI");
    let status = loop {
        if let Some(status) = mpirun.try_wait().expect("`mpirun` is a child of this process") {
            break status;
        }
        if start.elapsed() > TIMEOUT {
            let _ = mpirun.kill();
            let output = fs::read_to_string(&log).unwrap_or_default();
            panic!("{name} on {ranks} ranks still runs after {TIMEOUT:?}:\n{output}");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let took = start.elapsed();
    let output = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
    let _ = fs::remove_file(&log);
    Ended { status, output, took }
}
