//! The iterations of PageRank, on one machine or on several.

use super::vector::Vector;

pub(crate) const DAMPING: f64 = 0.85;
const MOST_ITERATIONS: usize = 200;

/// Iterates until the ranks change by less than `10^-10` in sum, and returns them with the number of iterations. `degree` has the
/// number of links on each of `pages` pages. `follow` sets its first argument to `DAMPING` times the sums of the second over the links to each
/// page, plus the third over the number of pages.
pub(crate) fn pagerank<V: Vector>(
    pages: usize,
    degree: &V,
    mut follow: impl FnMut(&mut V, &V, f64) -> Result<(), V::Error>,
) -> Result<(V, usize), V::Error> {
    let mut rank = degree.clone();
    rank.elements_mut().fill(1.0 / pages as f64);
    let (mut next, mut share) = (rank.clone(), rank.clone());
    for iteration in 1..=MOST_ITERATIONS {
        let stuck = rank.total(shares(share.elements_mut(), rank.elements(), degree.elements()));
        follow(&mut next, &share, 1.0 - DAMPING + DAMPING * stuck)?;
        let both = rank.elements().iter().zip(next.elements());
        let change = rank.total(both.map(|(before, after)| (before - after).abs()).sum());
        std::mem::swap(&mut rank, &mut next);
        if change < 1e-10 {
            return Ok((rank, iteration));
        }
    }
    Ok((rank, MOST_ITERATIONS))
}

/// Computes what each link of a page carries, and returns the rank of the pages without links: from these, a reader continues
/// anywhere.
pub(crate) fn shares(share: &mut [f64], rank: &[f64], degree: &[f64]) -> f64 {
    let mut stuck = 0.0;
    for ((share, rank), degree) in share.iter_mut().zip(rank).zip(degree) {
        *share = if *degree > 0.0 { rank / degree } else { 0.0 };
        stuck += if *degree == 0.0 { *rank } else { 0.0 };
    }
    stuck
}
