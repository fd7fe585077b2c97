//! Compiles the cases in `ui/` against the library that the tests were built with, and compares what a user would read.
//!
//! A case is one crate, which the compiler compiles without cargo: cargo would compile the library once more, in a project of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// Checks that each case below a folder of this package is refused with the text in its `.stderr` file, which `BLESS=1` writes.
///
/// # Panics
/// If a case compiles, is refused with another text, or has no `.stderr` file; or if there is no case.
pub fn are_refused(folder: &str) {
    let failures = over_cases(folder, |case, output| {
        if output.succeeded {
            return Some("it compiles".to_owned());
        }
        let expected = package().join(case).with_extension("stderr");
        if env::var_os("BLESS").is_some() {
            fs::write(expected, &output.text).unwrap();
            return None;
        }
        let expected = fs::read_to_string(expected).unwrap_or_default();
        let differs = normal(&output.text) != normal(&expected);
        differs.then(|| format!("expected:\n{expected}\nfound:\n{}", output.text))
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Checks that each case below a folder of this package compiles.
///
/// # Panics
/// If a case does not compile, or if there is none.
pub fn compile(folder: &str) {
    let failures = over_cases(folder, |_, output| (!output.succeeded).then_some(output.text));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns the lines of a message without what says where the library's own lines are, and how many types implement a trait.
fn normal(text: &str) -> Vec<String> {
    let mut is_library = false;
    let normal = |line: &str| {
        let line = line.trim_start();
        if line.is_empty() || line.starts_with("--> ") || line.starts_with("::: ") {
            is_library = !line.is_empty() && !line.contains(" ui/");
            let path = line.split_inclusive(".rs").next().filter(|_| is_library);
            return path.unwrap_or(line).to_owned();
        }
        let number_of_types = line.strip_prefix("and ").and_then(|rest| rest.strip_suffix(" others"));
        match number_of_types {
            Some(_) => "and $N others".to_owned(),
            None if is_library => line
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .trim_start()
                .to_owned(),
            None => line.to_owned(),
        }
    };
    text.trim_end().lines().map(normal).collect()
}

struct Compiled {
    succeeded: bool,
    /// What the compiler says.
    text: String,
}

/// Compiles all cases below a folder, as many at a time as there are cores. Returns what `failure` says of them, with their names.
fn over_cases(folder: &str, failure: impl Fn(&Path, Compiled) -> Option<String> + Sync) -> Vec<String> {
    let mut cases = Vec::new();
    collect(Path::new(folder), &mut cases);
    assert!(!cases.is_empty(), "no case in `{folder}`");
    let library = Library::find();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let failure = failure(case, library.compile(case));
            failures.extend(failure.map(|text| format!("{}: {text}", case.display())));
        }
        failures
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let failures = workers.into_iter().map(|worker| worker.join().unwrap());
        failures.flatten().collect()
    })
}

/// Adds the paths of the cases below a folder, from the package on.
fn collect(folder: &Path, cases: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(package().join(folder)).expect("the folder of the cases");
    let mut paths: Vec<_> = entries.map(|entry| folder.join(entry.unwrap().file_name())).collect();
    paths.sort();
    for path in paths {
        if package().join(&path).is_dir() {
            collect(&path, cases);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            cases.push(path);
        }
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `unisparse`, as it was compiled for the test that runs.
struct Library {
    compiler: PathBuf,
    /// The folder of compiled crates.
    crates: PathBuf,
    file: PathBuf,
    workspace: PathBuf,
}

impl Library {
    /// Finds the newest library that is not newer than the test: those of earlier builds, or with other features, may lie beside it.
    fn find() -> Self {
        let test = env::current_exe().expect("the path of the test");
        let crates = test.parent().expect("tests lie in a folder").to_owned();
        let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
        let is_library = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libunisparse-") && name.ends_with(".rlib") && modified(path) <= modified(&test)
        };
        let files = fs::read_dir(&crates)
            .expect("the folder of the test")
            .map(|entry| entry.unwrap().path());
        let newest = files.filter(is_library).max_by_key(|path| modified(path));
        // Cargo runs tests with its own path in the environment, and the compiler lies beside it.
        let compiler = env::var_os("CARGO").map(|cargo| Path::new(&cargo).with_file_name("rustc"));
        let workspace = package().ancestors().nth(3).expect("the package is in the workspace");
        Self {
            compiler: compiler.filter(|path| path.exists()).unwrap_or_else(|| "rustc".into()),
            file: newest.expect("the library lies beside the test"),
            crates,
            workspace: workspace.to_owned(),
        }
    }

    fn compile(&self, case: &Path) -> Compiled {
        let folder = self.crates.with_file_name("messages").join(case);
        fs::create_dir_all(&folder).unwrap();
        let output = Command::new(&self.compiler)
            // Where the library was compiled, to find its sources.
            .current_dir(&self.workspace)
            .env("CARGO_CRATE_NAME", "case")
            .args([
                "--edition=2024",
                "--crate-type=bin",
                "--emit=metadata",
                "-Adead_code",
                "--color=never",
            ])
            .arg("--extern")
            .arg(format!("unisparse={}", self.file.display()))
            .arg("-L")
            .arg(format!("dependency={}", self.crates.display()))
            .arg("--out-dir")
            .args([&folder, &package().join(case)])
            .output()
            .expect("the compiler starts");
        let text = String::from_utf8_lossy(&output.stderr);
        // How many errors there were, and where to read of their codes.
        let summaries = ["error: aborting", "Some errors have", "For more information about"];
        let is_summary = |line: &&str| summaries.iter().any(|start| line.starts_with(start));
        let lines: Vec<_> = text
            .lines()
            .filter(|line| !is_summary(line))
            .map(str::trim_end)
            .collect();
        let package = format!("{}/", package().display());
        let text = lines.join("\n").trim_end().replace(&package, "") + "\n";
        Compiled {
            succeeded: output.status.success(),
            text,
        }
    }
}
