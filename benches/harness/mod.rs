//! What the benches share: matrices, peers, clocks, checks, reports.
//!
//! A comparison is a list of `Contestant`s over one problem. Each has been run and checked when it is made; `measure` runs
//! all in turn. What comes out are `Record`s, of which tables, CSV and pictures are made.
// Each of the benches uses a part.
#![allow(dead_code)]

pub(crate) mod ceilings;
pub(crate) mod computation;
pub(crate) mod conversion;
pub(crate) mod matrices;
pub(crate) mod measure;
pub(crate) mod memory;
pub(crate) mod peers;
pub(crate) mod random;
pub(crate) mod report;
pub(crate) mod settings;
pub(crate) mod tensors;

/// Runs `session` with a `rayon` pool of each number of threads, on a thread that is a member of the pool: a pool that is
/// called from outside takes a wake-up for each call.
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
