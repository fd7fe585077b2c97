//! Patterns by rule.

use super::Pattern;
use crate::harness::random::Random;

pub(super) type Offset = [i64; 3];

pub(super) fn cube() -> Vec<Offset> {
    let around = |at: i64| [at % 3 - 1, at / 3 % 3 - 1, at / 9 - 1];
    (0..27).map(around).collect()
}

pub(super) fn cross() -> Vec<Offset> {
    let mut all = cube();
    all.retain(|offset| offset.iter().filter(|&&step| step != 0).count() <= 1);
    all
}

/// The neighbours in Kuhn's triangulation: sums of some of three steps, and their negatives.
pub(super) fn tetrahedra() -> Vec<Offset> {
    let sums = (0..8i64).map(|chosen| [-(chosen & 1), -(chosen >> 1 & 1), chosen >> 2]);
    sums.flat_map(|sum| [sum, sum.map(|step| -step)]).collect()
}

/// All pairs of unknowns at two nodes.
pub(super) fn every(unknowns: u32) -> Vec<[u32; 2]> {
    (0..unknowns * unknowns)
        .map(|at| [at / unknowns, at % unknowns])
        .collect()
}

/// The nodes of a grid, the first direction the fastest, each coupled with those at `offsets`: of the `unknowns` at both,
/// the pairs in `couplings`.
pub(super) fn stencil(grid: [i64; 3], offsets: &[Offset], couplings: &[[u32; 2]], unknowns: u32) -> Pattern {
    let number = |at: [i64; 3]| (at[0] + grid[0] * (at[1] + grid[1] * at[2])) as u32;
    let nodes = grid.iter().product::<i64>();
    let mut places = Vec::with_capacity(nodes as usize * offsets.len() * couplings.len());
    for node in 0..nodes {
        let at = [node % grid[0], node / grid[0] % grid[1], node / grid[0] / grid[1]];
        for offset in offsets {
            let to: [i64; 3] = std::array::from_fn(|axis| at[axis] + offset[axis]);
            if to.iter().zip(&grid).all(|(&to, &extent)| (0..extent).contains(&to)) {
                let (row, col) = (number(at) * unknowns, number(to) * unknowns);
                places.extend(couplings.iter().map(|[r, c]| [row + r, col + c]));
            }
        }
    }
    Pattern::new([nodes as usize * unknowns as usize; 2], places)
}

/// A graph with hubs: each edge goes down a tree of quadrants of unequal odds.
pub(super) fn recursive(log: u32, edges: usize) -> Pattern {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut edge = || {
        let mut place = [0u32; 2];
        for _ in 0..log {
            let [row, col] = match random.below(100) {
                0..57 => [0, 0],
                57..76 => [0, 1],
                76..95 => [1, 0],
                _ => [1, 1],
            };
            place = [place[0] << 1 | row, place[1] << 1 | col];
        }
        place
    };
    Pattern::new([1 << log; 2], (0..edges).map(|_| edge()).collect())
}

pub(super) fn uniform(extent: usize, per_row: usize) -> Pattern {
    let mut random = Random(0x0fed_cba9_8765_4321);
    let places = (0..extent * per_row).map(|at| [(at / per_row) as u32, random.below(extent) as u32]);
    Pattern::new([extent; 2], places.collect())
}

/// Diagonals near and far, and elements anywhere besides: `per_row` of them in a thousand rows.
pub(super) fn noisy(extent: usize, per_thousand: usize) -> Pattern {
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let far = (extent as f64).sqrt() as i64;
    let mut places = Vec::with_capacity(extent * 7 + extent * per_thousand / 1000);
    for i in 0..extent as i64 {
        let band = [-far, -2, -1, 0, 1, 2, far].map(|step| i + step);
        let inside = band.into_iter().filter(|j| (0..extent as i64).contains(j));
        places.extend(inside.map(|j| [i as u32, j as u32]));
    }
    for _ in 0..extent * per_thousand / 1000 {
        places.push([random.below(extent) as u32, random.below(extent) as u32]);
    }
    Pattern::new([extent; 2], places)
}
