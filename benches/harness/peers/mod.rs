//! Those who do it too: what a user would take instead. Each file says what one of them has.

mod by_hand;
mod crates;
mod eigen;
mod graphblas;
mod mkl;
mod native;
mod plain_c;
mod scipy;

use super::matrices::{Element, Entries};
use super::measure::Contestant;
use super::settings::Settings;
use super::{computation, conversion};

/// What is loaded or compiled once.
pub(crate) struct Shims {
    pub c: Option<plain_c::PlainC>,
    eigen: Option<eigen::Eigen>,
    graphblas: Option<graphblas::GraphBlas>,
}

impl Shims {
    /// Those that this machine has or can compile; the others are named.
    pub(crate) fn load() -> Self {
        quiet_threads();
        Shims {
            c: present("plain C", plain_c::PlainC::compile()),
            eigen: present("Eigen", eigen::Eigen::compile()),
            graphblas: present("GraphBLAS", graphblas::GraphBlas::open()),
        }
    }
}

/// OpenMP's threads go on spinning for a while when their work is done, at the cost of whoever is next. From now on it is
/// a millisecond at most, unless the user has said otherwise.
fn quiet_threads() {
    if std::env::var_os("KMP_BLOCKTIME").is_none() {
        // SAFETY: nobody else runs yet: this is called before any thread is started.
        unsafe { std::env::set_var("KMP_BLOCKTIME", "1") };
    }
}

/// All that are here.
pub(crate) struct Peers<'a> {
    pub shims: &'a Shims,
    threads: usize,
    mkl: Option<mkl::Mkl>,
    scipy: Option<scipy::Scipy>,
}

/// `found`, or none and why.
fn present<P>(name: &str, found: Result<P, String>) -> Option<P> {
    found.map_err(|reason| println!("ABSENT {name}: {reason}")).ok()
}

impl<'s> Peers<'s> {
    /// Those found on this machine; the others are named.
    pub(crate) fn load(shims: &'s Shims, settings: &Settings, threads: usize) -> Self {
        // Where tests run, it is neither there nor worth the second it takes to start.
        let scipy = !settings.quick || std::env::var_os("UNISPARSE_PYTHON").is_some();
        if let Some(eigen) = &shims.eigen {
            eigen.set_threads(threads);
        }
        if let Some(graphblas) = &shims.graphblas {
            graphblas.set_threads(threads);
        }
        Peers {
            shims,
            threads,
            mkl: present("MKL", mkl::Mkl::open(threads)),
            scipy: scipy.then(|| present("scipy", scipy::Scipy::start())).flatten(),
        }
    }

    /// Which code the libraries that choose have chosen for this processor.
    pub(crate) fn describe(&self) {
        if let Some(path) = self.mkl.as_ref().and_then(mkl::Mkl::path) {
            println!("MKL, as it is, runs {path} on this processor");
        }
    }

    /// All that have this conversion. Each has been run once, and what came out was right.
    pub(crate) fn convert<'a, T: Element>(&'a self, problem: &'a conversion::Problem<T>) -> Vec<Contestant<'a>> {
        let mut all = Vec::new();
        all.extend(self.scipy.as_ref().and_then(|scipy| scipy.convert(problem)));
        all.extend(self.mkl.as_ref().and_then(|mkl| mkl.convert(problem)));
        all.extend(self.shims.eigen.as_ref().and_then(|eigen| eigen.convert(problem)));
        all.extend(self.shims.c.as_ref().and_then(|c| c.convert(problem)));
        all.extend(crates::convert::contestants(problem));
        all
    }

    /// All that have this kernel, likewise. `entries` are the elements of the problem's matrix.
    pub(crate) fn compute<'a, T: Element>(
        &'a self,
        problem: &'a computation::Problem<T>,
        entries: &Entries<T>,
    ) -> Vec<Contestant<'a>> {
        let mut all = Vec::new();
        all.extend(by_hand::contestant(problem));
        all.extend(self.mkl.iter().flat_map(|mkl| mkl.compute(problem, entries)));
        all.extend(self.shims.eigen.as_ref().and_then(|eigen| eigen.compute(problem)));
        all.extend(
            self.shims
                .graphblas
                .as_ref()
                .and_then(|graphblas| graphblas.compute(problem)),
        );
        all.extend(self.scipy.as_ref().and_then(|scipy| scipy.compute(problem)));
        all.extend(self.shims.c.as_ref().and_then(|c| c.compute(problem)));
        all.extend(crates::compute::contestants(problem, self.threads));
        all
    }
}
