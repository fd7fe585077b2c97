//! Accelerators that are derived from declared formats: Serpens, variants of it, and streams of rows.

mod golden;
mod host;
mod mutations;
mod products;
mod reference;
mod refusals;
mod rtl;

use unisparse::prelude::*;
use unisparse::{Limit, Triplets};

sparse_format! {
    /// Serpens: pairs of rows on 64 processing elements for each of `EIGHTHS`, of eight lanes in each channel. The two levels of the
    /// channel are the map of the published host program.
    pub format SerpensStreams<const EIGHTHS: usize = 2, const WINDOW: usize = 8192, const DISTANCE: usize = 10> = |i, j| (
            arbiter: i / 2 % 8, bank: i / 16 % EIGHTHS, window: j / WINDOW, slot, lane: i / 16 / EIGHTHS % 8,
            pair: i / 128 / EIGHTHS, half: i % 2, col: j % WINDOW
        ) where {
            slot = slot(DISTANCE).group_by(j / WINDOW, i / 2 % 8, i / 16 % EIGHTHS, i / 16 / EIGHTHS % 8)
                .key(i / 128 / EIGHTHS).traverse_by(j, i);
        } {
            merge(arbiter, bank, window, slot); pad(slot); partition(bank);
            word(64) { col: 14 @ 50, pair: 17 @ 33, half: 1 @ 32, value: 32 @ 0 } filler 0x0003_FFFF_0000_0000;
        }
    /// The same, slots by row in place of pair.
    pub format ByRow<const EIGHTHS: usize = 2, const WINDOW: usize = 8192, const DISTANCE: usize = 10> = |i, j| (
            arbiter: i / 2 % 8, bank: i / 16 % EIGHTHS, window: j / WINDOW, slot, lane: i / 16 / EIGHTHS % 8,
            pair: i / 128 / EIGHTHS, half: i % 2, col: j % WINDOW
        ) where {
            slot = slot(DISTANCE).group_by(j / WINDOW, i / 2 % 8, i / 16 % EIGHTHS, i / 16 / EIGHTHS % 8)
                .key(i).traverse_by(j, i);
        } {
            merge(arbiter, bank, window, slot); pad(slot); partition(bank);
            word(64) { col: 14 @ 50, pair: 17 @ 33, half: 1 @ 32, value: 32 @ 0 } filler 0x0003_FFFF_0000_0000;
        }
    /// The same with another map of pairs to channels and lanes.
    pub format OtherLanes<const EIGHTHS: usize = 2, const WINDOW: usize = 8192, const DISTANCE: usize = 10> = |i, j| (
            arbiter: i / 16 % 8, bank: i / 128 % EIGHTHS, window: j / WINDOW, slot, lane: i / 2 % 8,
            pair: i / 128 / EIGHTHS, half: i % 2, col: j % WINDOW
        ) where {
            slot = slot(DISTANCE).group_by(j / WINDOW, i / 16 % 8, i / 128 % EIGHTHS, i / 2 % 8)
                .key(i / 128 / EIGHTHS).traverse_by(j, i);
        } {
            merge(arbiter, bank, window, slot); pad(slot); partition(bank);
            word(64) { col: 14 @ 50, pair: 17 @ 33, half: 1 @ 32, value: 32 @ 0 } filler 0x0003_FFFF_0000_0000;
        }
    /// As HiSpMV: single rows, whose elements are five slots apart, and other fields.
    pub format SingleRows<const C: usize = 4, const WINDOW: usize = 16> = |i, j| (
            channel: i % C, window: j / WINDOW, slot, lane: i / C % 4, row: i / C / 4, col: j % WINDOW
        ) where {
            slot = slot(5).group_by(j / WINDOW, i % C, i / C % 4).key(i).traverse_by(i, j);
        } {
            merge(channel, window, slot); pad(slot); partition(channel);
            word(64) { row: 16 @ 48, col: 13 @ 32, value: 32 @ 0 } filler 0xFFFF_0000_0000_0000;
        }
    /// The same with the window in a field too. Windows without elements are left out.
    pub format FieldOfWindow<const C: usize = 4, const WINDOW: usize = 16> = |i, j| (
            channel: i % C, window: j / WINDOW, slot, lane: i / C % 4, row: i / C / 4, col: j % WINDOW
        ) where {
            slot = slot(5).group_by(j / WINDOW, i % C, i / C % 4).key(i).traverse_by(i, j);
        } {
            merge(channel, window, slot); trim(window); pad(slot); partition(channel);
            word(64) { row: 16 @ 48, window: 8 @ 40, col: 8 @ 32, value: 32 @ 0 } filler 0xFFFF_0000_0000_0000;
        }
    /// As the packets of CPSR: the rows of a lane one after another, in words of 128 bits.
    pub format Packets<const C: usize = 2> = |i, j| (channel: i / 4 % C, slot, lane: i % 4, row: i / 4 / C, col: j)
        where { slot = enumerate(_ => 0).group_by(i / 4 % C, i % 4).traverse_by(i, j); } {
            merge(channel, slot); pad(slot); partition(channel);
            word(128) { value: 64 @ 0, row: 20 @ 64, col: 20 @ 100 } filler 0xFFFF_FFFF_FFFF_FFFF_0000_0000_0000_0000;
        }
    /// Slots of four rows: the elements of a column of these share one. They count from `FIRST - 1`.
    pub format SharedSlots<const C: usize = 2, const FIRST: usize = 1> = |i, j| (
            channel: i / 4 % C, slot, lane: i % 4, row: i / 4 / C, col: j
        ) where {
            slot = enumerate(_ => FIRST - 1).group_by(i / 4 % C).traverse_by(i / 4, j);
        } {
            merge(channel, slot); pad(slot); partition(channel);
            word(64) { row: 16 @ 48, col: 13 @ 32, value: 32 @ 0 } filler 0xFFFF_0000_0000_0000;
        }
    /// C2SR as streams of rows, each element with its row.
    pub format RowStreams<const C: usize = 3> = |i, j| (bank: i % C, local: i / C, col: j) {
            merge(bank, local); trim(col); partition(bank);
            word(64) { local: 16 @ 48, col: 16 @ 32, value: 32 @ 0 };
        }
    /// CISR as streams of rows: which channel has a row depends on the lengths of all.
    pub format Scheduled<const C: usize = 3> = |i, j| (bank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            bank = schedule(len, C).traverse_by(i);
        } {
            merge(bank, row); trim(row..=col); partition(bank);
            word(64) { row: 16 @ 48, col: 16 @ 32, value: 32 @ 0 };
        }
}

/// Returns a matrix in a format, however much it is padded.
fn padded<F: SparseTensor<2, Scalar = T>, T: Scalar>(triplets: &Triplets<T, 2>) -> F {
    triplets.convert_within(Limit::none()).unwrap()
}
