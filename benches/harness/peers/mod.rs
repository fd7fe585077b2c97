//! The peers: libraries that users would take instead. Each file says what one of them has.

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

/// The peers, each loaded or compiled once.
pub(crate) struct Shims {
    pub c: Option<plain_c::PlainC>,
    eigen: Option<eigen::Eigen>,
    graphblas: Option<graphblas::GraphBlas>,
}

impl Shims {
    /// Loads or compiles the peers that this machine can run, and names the others.
    pub(crate) fn load() -> Self {
        quiet_threads();
        Shims {
            c: present("plain C", plain_c::PlainC::compile()),
            eigen: present("Eigen", eigen::Eigen::compile()),
            graphblas: present("GraphBLAS", graphblas::GraphBlas::open()),
        }
    }
}

/// Limits how long OpenMP's threads spin after their work, unless the user has: those of MKL to a millisecond, those of GCC to 5000
/// pauses of the 300 000 that take a processor from the next contestants. A parallel loop that follows at once finds them awake.
fn quiet_threads() {
    for (name, value) in [("KMP_BLOCKTIME", "1"), ("GOMP_SPINCOUNT", "5000")] {
        if std::env::var_os(name).is_none() {
            // SAFETY: nobody else runs yet: this is called before any thread is started.
            unsafe { std::env::set_var(name, value) };
        }
    }
}

/// The peers on this machine.
pub(crate) struct Peers<'a> {
    pub shims: &'a Shims,
    threads: usize,
    mkl: Option<mkl::Mkl>,
    scipy: Option<scipy::Scipy>,
}

/// Returns `found`, or reports why there is none.
fn present<P>(name: &str, found: Result<P, String>) -> Option<P> {
    found.map_err(|reason| println!("ABSENT {name}: {reason}")).ok()
}

impl<'s> Peers<'s> {
    /// Finds the peers on this machine, and names the others.
    pub(crate) fn load(shims: &'s Shims, settings: &Settings, threads: usize) -> Self {
        // Machines that run the tests do not have scipy, and it would take a second to start.
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

    /// Prints the code path that the libraries with several have chosen for this processor.
    pub(crate) fn describe(&self) {
        if let Some(path) = self.mkl.as_ref().and_then(mkl::Mkl::path) {
            println!("MKL, as it is, runs {path} on this processor");
        }
    }

    /// Returns all peers with this conversion. Each has been run once, with the expected result.
    pub(crate) fn convert<'a, T: Element>(&'a self, problem: &'a conversion::Problem<T>) -> Vec<Contestant<'a>> {
        let mut all = Vec::new();
        all.extend(self.scipy.as_ref().and_then(|scipy| scipy.convert(problem)));
        all.extend(self.mkl.as_ref().and_then(|mkl| mkl.convert(problem)));
        all.extend(self.shims.eigen.as_ref().and_then(|eigen| eigen.convert(problem)));
        all.extend(self.shims.c.as_ref().and_then(|c| c.convert(problem)));
        all.extend(crates::convert::contestants(problem));
        all
    }

    /// Returns MKL's product by a matrix optimised for it, checked, and the seconds of the optimisation; `None` without MKL.
    pub(crate) fn mkl_optimised<'a, T: Element>(
        &'a self,
        problem: &'a computation::Problem<T>,
    ) -> Option<(Contestant<'a>, f64)> {
        self.mkl.as_ref().map(|mkl| mkl.optimised_product(problem))
    }

    /// Returns all peers with this kernel, checked in the same way. `entries` are the elements of the problem's matrix.
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
