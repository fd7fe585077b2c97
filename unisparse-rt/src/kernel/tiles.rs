//! Loops in steps of constant length, so that their sums stay in registers.

use core::ops::Range;

use crate::machine::simd::Registers;

/// Maximum number of sums in a tile.
pub const TILE: usize = 128;

/// Maximum number of sums of a row of known length.
const ROW: usize = 64;

/// Cuts a range into tiles: `body` gets the first number of each tile, and its length.
///
/// The range is one tile if its length is `whole` and `rows` rows of it are at most 64 sums. Otherwise, tiles
/// have the length for which `rows` rows fill `registers.sums` bytes, of at most `registers.row` bytes each, or smaller powers of two
/// at the end. Each length is a constant where `body` is inlined, which `#[inline(always)]` ensures, unless nothing is optimised.
#[inline(always)]
pub fn tiles<S>(registers: Registers, range: Range<usize>, whole: usize, rows: usize, body: impl FnMut(usize, usize)) {
    if cfg!(optimised) {
        tiles_of_constant_length::<S>(registers, range, whole, rows, body);
    } else {
        tiles_of_any_length::<S>(registers, range, whole, rows, body);
    }
}

/// Cuts a range as [`tiles`] does, with a copy of `body` for each length.
#[inline(always)]
fn tiles_of_constant_length<S>(
    registers: Registers,
    range: Range<usize>,
    whole: usize,
    rows: usize,
    mut body: impl FnMut(usize, usize),
) {
    let Range { start: mut at, end } = range;
    if whole != 0 && whole.saturating_mul(rows) <= ROW && end.wrapping_sub(at) == whole {
        return body(at, whole);
    }
    let most = longest::<S>(registers, rows);
    if most != 8 && most > 2 {
        while end.saturating_sub(at) >= most {
            body(at, most);
            at += most;
        }
    }
    // A second pass over all entries costs more than unused registers.
    if most > 32 && end.saturating_sub(at) >= 32 {
        body(at, 32);
        at += 32;
    }
    if most > 16 && end.saturating_sub(at) >= 16 {
        body(at, 16);
        at += 16;
    }
    if most >= 8 {
        while end.saturating_sub(at) >= 8 {
            body(at, 8);
            at += 8;
        }
    }
    if most >= 2 {
        while end.saturating_sub(at) >= 2 {
            body(at, 2);
            at += 2;
        }
    }
    while at < end {
        body(at, 1);
        at += 1;
    }
}

/// Cuts a range as [`tiles`] does, with one copy of `body`.
#[inline(always)]
fn tiles_of_any_length<S>(
    registers: Registers,
    range: Range<usize>,
    mut whole: usize,
    rows: usize,
    mut body: impl FnMut(usize, usize),
) {
    let Range { start: mut at, end } = range;
    while at < end {
        let length = first_tile::<S>(registers, end - at, whole, rows);
        body(at, length);
        (at, whole) = (at + length, 0);
    }
}

/// Returns the length of the first tile that [`tiles`] cuts from a range of this length.
fn first_tile<S>(registers: Registers, length: usize, whole: usize, rows: usize) -> usize {
    if length == whole && whole.saturating_mul(rows) <= ROW {
        return whole;
    }
    match longest::<S>(registers, rows) {
        most @ 3.. if length >= most => most,
        33.. if length >= 32 => 32,
        17.. if length >= 16 => 16,
        8.. if length >= 8 => 8,
        2.. if length >= 2 => 2,
        _ => 1,
    }
}

/// Returns the power of two of which `rows` rows fill the registers for sums, of at most 64 sums and `registers.row` bytes.
#[inline(always)]
const fn longest<S>(registers: Registers, rows: usize) -> usize {
    let size = if size_of::<S>() < 4 { 4 } else { size_of::<S>() };
    let all = if registers.sums / size < TILE {
        registers.sums / size
    } else {
        TILE
    };
    let (row, most) = (all / rows, registers.row / size);
    match if row < most { row } else { most } {
        0 | 1 => 1,
        2..=3 => 2,
        4..=7 => 4,
        8..=15 => 8,
        16..=31 => 16,
        32..=63 => 32,
        _ => ROW,
    }
}

/// Calls `body` with `count`, as a constant if it equals `whole`.
#[inline(always)]
pub fn steps(count: usize, whole: usize, mut body: impl FnMut(usize)) {
    if cfg!(optimised) && count == whole {
        body(whole);
    } else {
        body(count);
    }
}

/// Sums that begin with a cache line. A function that has them aligns its stack, and with it the vector registers that it spills.
///
/// Otherwise, it depends on its caller whether these cross a line: then `Bdia<64>` times a vector takes 1.5 times as long (Zen 3).
#[repr(align(64))]
struct Aligned<S>([S; TILE]);

/// Calls `body` with the sums of a tile that are in `range`.
///
/// Most often, these are all sums: then their number is a constant, if it is one where this is inlined. Fewer sums are
/// accumulated in another array that holds `start`, which is neutral to `combine`: sums that are accessed only by constant
/// indices stay in registers.
///
/// # Panics
/// If the range is not empty and not inside the tile.
#[inline(always)]
pub fn tile_part<S: Copy>(
    sums: &mut [S],
    range: Range<usize>,
    start: S,
    combine: impl Fn(S, S) -> S,
    mut body: impl FnMut(&mut [S]),
) {
    if range.len() == sums.len() {
        body(sums);
    } else if !range.is_empty() {
        let mut part = Aligned([start; TILE]);
        body(&mut part.0[range]);
        sums.iter_mut()
            .zip(&part.0)
            .for_each(|(sum, &part)| *sum = combine(*sum, part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut<S>(registers: Registers, range: Range<usize>, whole: usize, rows: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        tiles_of_constant_length::<S>(registers, range.clone(), whole, rows, |at, width| {
            found.push((at, width));
        });
        let mut again = Vec::new();
        tiles_of_any_length::<S>(registers, range, whole, rows, |at, width| again.push((at, width)));
        assert_eq!(found, again);
        found
    }

    #[test]
    fn tiles_are_all_of_a_range_in_order() {
        for (start, end, whole) in [
            (0, 0, 0),
            (3, 2, 3),
            (5, 8, 3),
            (0, 64, 64),
            (0, 1000, 1000),
            (7, 290, 0),
        ] {
            let kinds = [cut::<f32>, cut::<f64>, cut::<[f64; 2]>, cut::<()>];
            let registers = [Registers::SMALLEST, Registers::USUAL, Registers::WIDEST];
            for (cut, (rows, registers)) in kinds.into_iter().flat_map(|kind| {
                let rows = [1, 2, 3, 7, 64].into_iter();
                rows.flat_map(move |rows| registers.map(|registers| (kind, (rows, registers))))
            }) {
                let tiles = cut(registers, start..end, whole, rows);
                let mut next = start;
                for &(at, width) in &tiles {
                    assert_eq!(at, next);
                    assert!(0 < width && width * rows <= TILE);
                    next += width;
                }
                assert_eq!(next, end.max(start));
            }
        }
        let usual = Registers::USUAL;
        assert_eq!(cut::<f64>(usual, 5..8, 3, 1), [(5, 3)]);
        assert_eq!(cut::<f64>(usual, 5..8, 4, 1), [(5, 2), (7, 1)]);
        assert_eq!(cut::<f64>(usual, 0..19, 0, 3), [(0, 8), (8, 8), (16, 2), (18, 1)]);
        assert_eq!(
            cut::<f64>(usual, 0..75, 0, 1),
            [(0, 32), (32, 32), (64, 8), (72, 2), (74, 1)]
        );
        assert_eq!(cut::<f32>(usual, 0..32, 0, 1), [(0, 32)]);
        assert_eq!(cut::<f64>(usual, 3..29, 0, 1), [(3, 16), (19, 8), (27, 2)]);
        assert_eq!(
            cut::<f64>(Registers::SMALLEST, 0..19, 0, 1),
            [(0, 8), (8, 8), (16, 2), (18, 1)]
        );
        let widest = Registers::WIDEST;
        assert_eq!(cut::<f64>(widest, 0..129, 0, 1), [(0, 64), (64, 64), (128, 1)]);
        assert_eq!(
            cut::<f64>(widest, 0..123, 0, 1),
            [(0, 64), (64, 32), (96, 16), (112, 8), (120, 2), (122, 1)]
        );
        assert_eq!(cut::<f64>(widest, 0..58, 0, 3), [(0, 32), (32, 16), (48, 8), (56, 2)]);
        assert_eq!(
            cut::<f32>(widest, 0..19, 0, 64),
            (0..9).map(|at| (2 * at, 2)).chain([(18, 1)]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_part_of_a_tile_is_added_to() {
        let mut sums = [1, 2, 3, 4];
        let add_ten = |sums: &mut [i32]| sums.iter_mut().for_each(|sum| *sum += 10);
        tile_part(&mut sums, 1..3, 0, |a, b| a + b, add_ten);
        tile_part(&mut sums, 9..9, 0, |a, b| a + b, add_ten);
        tile_part(&mut sums, 0..4, 0, |a, b| a + b, add_ten);
        assert_eq!(sums, [11, 22, 23, 14]);
    }

    #[test]
    fn steps_are_as_many_as_there_are() {
        let mut found = Vec::new();
        for count in 0..4 {
            steps(count, 2, |count| found.push(count));
        }
        assert_eq!(found, [0, 1, 2, 3]);
    }
}
