//! How long a product takes: what its loops do, and what has to come from memory meanwhile.
//!
//! The counts are exact. What each costs was fitted to the times that `cargo bench --bench advise` measured of all stock formats on
//! its generated matrices, in cache and large, `f64`, on one thread of an x86-64 server with 32 MiB of shared cache. What levels do
//! not tell is not known here: parts that add to others' sums take more.

use core::iter::Sum;

use super::profile::{Loop, Move, Profile};

/// Nanoseconds of one multiplication, by how the output moves along the innermost loop and whether an input is looked up.
mod step {
    /// Summed in registers.
    pub(super) const SUM: [f64; 2] = [0.16, 0.41];
    /// To neighbours, many at once, as long as these fit the registers.
    pub(super) const ALONG: [f64; 2] = [0.16, 0.70];
    /// To neighbours that do not.
    pub(super) const FAR_ALONG: [f64; 2] = [0.25, 0.70];
    /// To where an array says.
    pub(super) const SCATTERED: [f64; 2] = [0.46, 0.88];
    /// To where an array says, the same place again and again: each waits for the one before.
    pub(super) const REPEATED: [f64; 2] = [1.26, 1.26];
    /// What fits the registers: positions of one pass.
    pub(super) const NEAR: f64 = 64.0;
}

/// Nanoseconds of starting a pass of a loop whose passes differ in length.
const UNEVEN_PASS: f64 = 1.0;
/// Nanoseconds of one of a loop whose passes do not, if it is the innermost, and if not.
const EVEN_PASS: [f64; 2] = [0.2, 0.4];
/// Nanoseconds of a pass that is not as long as the processor expected.
const SURPRISE: f64 = 6.0;
/// Nanoseconds of adding a sum to an output that the outermost loop comes back to.
const RETURN: f64 = 2.4;
/// Nanoseconds of a byte that is read from beyond the caches.
const BYTE: f64 = 0.026;
/// Nanoseconds of a byte of a vector that is read from the caches. What arrays take there is part of the steps.
const CACHED_BYTE: f64 = 0.005;
/// The bytes that stay in the caches from one product to the next.
const CACHES: f64 = (24 << 20) as f64;
/// The bytes of a vector that stay near from one pass over it to the next.
const NEAR_CACHES: f64 = (16 << 10) as f64;

/// Where the nanoseconds of a product go.
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

    /// All of it: what comes from memory is fetched ahead while the loops run, in part.
    pub(crate) fn seconds(&self) -> f64 {
        let loops = self.steps + self.passes + self.surprises + self.returns;
        1e-9 * loops.hypot(self.memory)
    }

    /// What most of it is.
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

/// Nanoseconds of a step of the innermost loop, whose passes have so many.
fn step(inner: &Loop, run: f64) -> f64 {
    let output = inner.moves.first().copied().unwrap_or(Move::Still);
    let looked_up = inner.moves.iter().skip(1).any(|&along| along == Move::LookedUp);
    let costs = match output {
        Move::Still | Move::Steady => step::SUM,
        Move::By(_) if run <= step::NEAR => step::ALONG,
        Move::By(_) => step::FAR_ALONG,
        Move::LookedUp if inner.repeats => step::REPEATED,
        Move::LookedUp => step::SCATTERED,
    };
    costs[usize::from(looked_up)]
}

/// Nanoseconds of reading the arrays, and each vector: once, or in each pass if that is too long for it to stay near. The
/// output is written, too.
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

/// Seconds of one product on one thread.
pub(crate) fn seconds(profile: &Profile) -> f64 {
    Cost::of(profile).seconds()
}
