//! Times the search and the products.

use std::hint::black_box;
use std::time::Instant;

use super::linear_operator::LinearOperator;
use super::wanted::Use;
use crate::element::Scalar;
use crate::error::Error;

/// Measures a time from its start on: on one thread the processor time of that thread, which other programs hardly disturb.
#[derive(Clone, Copy)]
pub(super) enum Clock {
    /// The processor time at the start, in seconds.
    Thread(f64),
    Wall(Instant),
}

impl Clock {
    /// Starts a clock for work on the current `rayon` pool.
    pub(super) fn start() -> Self {
        let alone = (rayon::current_num_threads() == 1).then(processor_time).flatten();
        alone.map_or_else(|| Clock::Wall(Instant::now()), Clock::Thread)
    }

    /// Returns the seconds since the start.
    pub(super) fn seconds(self) -> f64 {
        match self {
            Clock::Thread(start) => processor_time().map_or(0.0, |now| now - start),
            Clock::Wall(start) => start.elapsed().as_secs_f64(),
        }
    }
}

/// Returns the processor time of this thread in seconds, if the system measures it.
#[cfg(target_os = "linux")]
fn processor_time() -> Option<f64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the function writes to the structure that the pointer is of, and to nothing else.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    (status == 0).then_some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> Option<f64> {
    None
}

/// The dense operands of a use.
pub(super) struct Stopwatch<T> {
    columns: usize,
    input: Vec<T>,
    output: Vec<T>,
}

impl<T: Scalar> Stopwatch<T> {
    /// Returns `None` if the operands are empty or too large to be made.
    pub(super) fn new(shape: [usize; 2], wanted: Use) -> Option<Self> {
        let columns = wanted.columns();
        if columns == 0 {
            return None;
        }
        let dense = |extent: usize, value: T| {
            let mut elements = Vec::new();
            elements.try_reserve_exact(extent.checked_mul(columns)?).ok()?;
            elements.resize(extent * columns, value);
            Some(elements)
        };
        Some(Stopwatch {
            columns,
            input: dense(shape[1], T::ONE)?,
            output: dense(shape[0], T::ZERO)?,
        })
    }

    /// Returns the seconds of one product.
    fn once(&mut self, operator: &dyn LinearOperator<T>) -> Result<f64, Error> {
        let clock = Clock::start();
        match self.columns {
            1 => operator.spmv(&mut self.output, &self.input)?,
            _ => operator.spmm(&mut self.output, &self.input)?,
        }
        black_box(&mut self.output);
        Ok(clock.seconds())
    }

    /// Returns the least seconds of a product by each operator, of some rounds in which each runs once, after one that does
    /// not count: interruptions only add time.
    ///
    /// # Errors
    /// Those of the operators.
    pub(super) fn least<const N: usize>(
        &mut self,
        operators: [&dyn LinearOperator<T>; N],
        rounds: usize,
    ) -> Result<[f64; N], Error> {
        let mut least = [f64::INFINITY; N];
        for operator in operators {
            self.once(operator)?;
        }
        for _ in 0..rounds {
            for (least, operator) in least.iter_mut().zip(operators) {
                *least = least.min(self.once(operator)?);
            }
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_advance_with_work() {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let clock = Clock::start();
                let mut last = clock.seconds();
                assert!(last >= 0.0);
                // Ends only if the clock advances.
                while clock.seconds() <= 1e-3 {
                    let now = black_box(clock.seconds());
                    assert!(now >= last);
                    last = now;
                }
            });
        }
    }
}
