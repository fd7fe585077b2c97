//! The common parts of the benches: matrices, peers, clocks, checks, reports.
//!
//! A comparison is a list of `Contestant`s over one problem. Each has been run and checked before; `measure` runs
//! all in turn. The results are `Record`s, from which tables, CSV and pictures are made.
// Each bench uses only a part of this.
#![allow(dead_code)]

pub(crate) mod ceilings;
pub(crate) mod computation;
pub(crate) mod conversion;
#[path = "../../tests/common/data.rs"]
pub(crate) mod data;
pub(crate) mod matrices;
pub(crate) mod measure;
pub(crate) mod memory;
pub(crate) mod peers;
pub(crate) mod python;
pub(crate) mod random;
pub(crate) mod report;
pub(crate) mod settings;
pub(crate) mod tensors;

/// Runs `session` in a `rayon` pool of each number of threads, on a thread of the pool: a call from outside
/// must wake up a thread first.
pub(crate) fn on_threads(counts: &[usize], session: impl Fn(usize) + Sync) {
    for &threads in counts {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .use_current_thread();
                let _pool = pool.build().expect("threads can be started");
                session(threads);
            });
        });
    }
}
