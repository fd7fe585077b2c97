//! Models the time of a product: the work of its loops, and the memory traffic that overlaps with them.
//!
//! The counts are exact. The costs of the operations were fitted to times that `cargo bench -p benches --bench advise` measured for all
//! stock formats on its generated matrices, in cache and larger, in `f64`, on one thread of an x86-64 server with 32 MiB of
//! shared cache. Effects that do not follow from the levels are not modelled: parts that add to the sums of others take longer.

use core::iter::Sum;

use super::profile::{Loop, Move, Profile};

/// Nanoseconds of one multiplication, by how the output moves along the innermost loop. Entry 0 is without indirectly
/// indexed inputs, entry 1 with them.
mod step {
    /// A sum in registers.
    pub(super) const SUM: [f64; 2] = [0.16, 0.41];
    /// Contiguous or strided outputs, multiversioned, if a pass fits the registers.
    pub(super) const ALONG: [f64; 2] = [0.16, 0.70];
    /// Contiguous or strided outputs whose passes do not fit the registers.
    pub(super) const FAR_ALONG: [f64; 2] = [0.25, 0.70];
    /// Scatter to an indirect index.
    pub(super) const SCATTERED: [f64; 2] = [0.46, 0.88];
    /// Scatter that repeatedly hits the same output: each addition waits for the one before.
    pub(super) const REPEATED: [f64; 2] = [1.26, 1.26];
    /// Maximum number of positions of a pass that fits the registers.
    pub(super) const NEAR: f64 = 64.0;
}

/// Nanoseconds of starting a pass of a loop whose passes differ in length.
const UNEVEN_PASS: f64 = 1.0;
/// Nanoseconds of starting a pass of a loop with passes of equal length: of the innermost loop, and of others.
const EVEN_PASS: [f64; 2] = [0.2, 0.4];
/// Nanoseconds of a mispredicted pass length.
const SURPRISE: f64 = 6.0;
/// Nanoseconds of adding a sum to an output that is invariant in the outermost loop and thus updated repeatedly.
const RETURN: f64 = 2.4;
/// Nanoseconds per byte read from memory.
const BYTE: f64 = 0.026;
/// Nanoseconds per byte of a vector read from the caches. The cached reads of a tensor's arrays are part of the steps.
const CACHED_BYTE: f64 = 0.005;
/// The bytes that stay cached from one product to the next.
const CACHES: f64 = (24 << 20) as f64;
/// The bytes of a vector that stay in the nearest cache from one pass over it to the next.
const NEAR_CACHES: f64 = (16 << 10) as f64;

/// The time of a product in nanoseconds, by cause.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    steps: f64,
    passes: f64,
    surprises: f64,
    returns: f64,
    memory: f64,
}

impl Cost {
    pub(crate) fn of(profile: &Profile) -> Self {
        let (Some(outermost), Some(inner)) = (profile.loops.first(), profile.loops.last()) else {
            return Cost::default();
        };
        let still = |along: &Loop| along.moves.first() == Some(&Move::Still);
        let positions = inner.positions as f64;
        let mut cost = Cost::default();
        let mut passes = 1.0;
        for (at, along) in profile.loops.iter().enumerate() {
            let last = at + 1 == profile.loops.len();
            if at > 0 {
                cost.passes += passes
                    * match along.variance {
                        Some(_) => UNEVEN_PASS,
                        None => EVEN_PASS[usize::from(!last)],
                    };
                cost.surprises += passes * along.variance.unwrap_or(0.0).min(1.0) * SURPRISE;
            }
            if last {
                cost.steps = positions * step(along, positions / f64::max(passes, 1.0));
            } else {
                passes = along.positions as f64;
            }
        }
        if profile.loops.len() > 1 && still(outermost) && still(inner) {
            cost.returns = passes * RETURN;
        }
        cost.memory = memory(profile, inner, positions / f64::max(passes, 1.0));
        cost
    }

    /// Returns the total time in seconds; memory traffic partly overlaps with the loops, as it is prefetched.
    pub(crate) fn seconds(&self) -> f64 {
        let loops = self.steps + self.passes + self.surprises + self.returns;
        1e-9 * loops.hypot(self.memory)
    }

    /// Names the largest cause.
    pub(crate) fn why(&self) -> &'static str {
        let terms = [
            (self.steps, "multiplies"),
            (self.passes, "starts many short loops"),
            (self.surprises, "rows of many lengths"),
            (self.returns, "adds to outputs again and again"),
        ];
        let loops = terms.iter().map(|(cost, _)| cost).sum::<f64>();
        let most = terms.into_iter().max_by(|left, right| left.0.total_cmp(&right.0));
        match most {
            Some((_, why)) if loops > self.memory => why,
            _ => "reads memory",
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Cost::default(), |sum, part| Cost {
            steps: sum.steps + part.steps,
            passes: sum.passes + part.passes,
            surprises: sum.surprises + part.surprises,
            returns: sum.returns + part.returns,
            memory: sum.memory + part.memory,
        })
    }
}

/// Returns the nanoseconds per step of the innermost loop, whose passes have `run` steps.
fn step(inner: &Loop, run: f64) -> f64 {
    let output = inner.moves.first().copied().unwrap_or(Move::Still);
    let looked_up = inner.moves.iter().skip(1).any(|&along| along == Move::LookedUp);
    let costs = match output {
        Move::Still | Move::Invariant => step::SUM,
        Move::By(_) if run <= step::NEAR => step::ALONG,
        Move::By(_) => step::FAR_ALONG,
        Move::LookedUp if inner.repeats => step::REPEATED,
        Move::LookedUp => step::SCATTERED,
    };
    costs[usize::from(looked_up)]
}

/// Returns the nanoseconds of reading the arrays and the vectors. A vector is read once, or in each pass if a pass is too
/// long for it to stay cached. The output counts twice, as it is also written.
fn memory(profile: &Profile, inner: &Loop, run: f64) -> f64 {
    let width = profile.width as f64;
    let extents = || profile.shape.iter().map(|&extent| extent as f64);
    let bytes = profile.read as f64;
    let vectors = width * extents().sum::<f64>();
    let far = run * width > NEAR_CACHES;
    let read = extents().zip(&inner.moves).enumerate().map(|(dim, (extent, along))| {
        let elements = match *along != Move::Still && far {
            true => inner.positions as f64,
            false => extent,
        };
        elements * width * if dim == 0 { 2.0 } else { 1.0 }
    });
    let price = |footprint: f64, cached: f64| if footprint > CACHES { BYTE } else { cached };
    bytes * price(bytes + vectors, 0.0) + read.sum::<f64>() * price(vectors, CACHED_BYTE)
}

/// Returns the modelled seconds of one product on one thread.
pub(crate) fn seconds(profile: &Profile) -> f64 {
    Cost::of(profile).seconds()
}
