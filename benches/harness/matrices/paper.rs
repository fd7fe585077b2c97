//! The matrices of the paper's table.

use super::Pattern;
use super::patterns::{Offset, cross, cube, every, stencil, tetrahedra};
use super::recipes::{Recipe, Set};

/// The matrices of the paper's table: by the rule that gives the pattern, or read.
pub(super) fn of_the_paper() -> Vec<Recipe> {
    let mut all = vec![
        Recipe::new("chem_master1", Set::Paper, || {
            stencil([201, 201, 1], &cross(), &[[0, 0]], 1)
        }),
        Recipe::new("baumann", Set::Paper, || {
            stencil([11, 101, 101], &cross(), &[[0, 0]], 1)
        }),
        Recipe::new("shyy161", Set::Paper, || staggered(160)),
        Recipe::new("majorbasis", Set::Paper, || blocked(200)),
        Recipe::new("crystm02", Set::Paper, || {
            stencil([19, 7, 35], &cube(), &[[0, 0], [1, 1], [2, 2]], 3)
        }),
        // The exact zeros that the original leaves out are kept.
        Recipe::new("cant", Set::Paper, || stencil([9, 9, 257], &cube(), &every(3), 3)),
        Recipe::new("transport", Set::Paper, || {
            stencil([161, 321, 31], &tetrahedra(), &[[0, 0]], 1)
        }),
    ];
    all.extend(Recipe::of_files(
        Set::Paper,
        &[
            ("wiki-vote", "paper/wiki-Vote"),
            ("bwm2000", "paper/bwm2000"),
            ("cari", "paper/cari"),
            ("gnutella31", "paper/p2p-Gnutella31"),
            ("cryg10000", "paper/cryg10000"),
        ],
    ));
    all
}

/// Flow on a staggered grid: the rule of the matrices shyy41 and shyy161.
fn staggered(n: i64) -> Pattern {
    let (inner, faces) = (n - 1, (n - 1) * n);
    let mut places = Vec::new();
    let mut put = |row: i64, offset: i64, there: bool| {
        if there {
            places.push([row as u32, (row + offset) as u32]);
        }
    };
    for i in 0..faces {
        put(i, 0, true);
        put(i, 1, i < faces - 1);
        put(i, -1, i % inner != 0);
        put(i, -inner, i >= inner);
        put(i, -(inner + 1), i > inner);
        put(i, inner, i < faces - inner);
        let row = faces + i;
        put(row, 0, true);
        put(row, -n, true);
        put(row, -1, i % n != 0);
        put(row, n, i < faces - n);
    }
    for k in 0..n * n {
        let row = 2 * faces + k;
        put(row, 1, k % n != n - 1);
        put(row, -1, k % n != 0);
        put(row, n, k < n * n - n);
    }
    Pattern::new([(2 * faces + n * n) as usize; 2], places)
}

/// Four by four blocks, nine-point operators and identities: the rule of majorbasis.
fn blocked(side: i64) -> Pattern {
    let flat: Vec<Offset> = cube().into_iter().filter(|offset| offset[2] == 0).collect();
    let (operator, nodes) = (stencil([side, side, 1], &flat, &[[0, 0]], 1), (side * side) as u32);
    let mut places = Vec::new();
    for [row, col] in [[0, 0], [1, 1], [2, 0], [3, 1]] {
        let moved = operator.places.iter().map(|[i, j]| [row * nodes + i, col * nodes + j]);
        places.extend(moved);
    }
    for row in 0..4 {
        places.extend((2..4).flat_map(|col| (0..nodes).map(move |at| [row * nodes + at, col * nodes + at])));
    }
    Pattern::new([4 * nodes as usize; 2], places)
}
