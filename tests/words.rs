//! Elements as words: the layout of each format below, field by field, and what is refused.

mod common;

use unisparse::prelude::*;
use unisparse::{Bits, Error, ErrorKind, Triplets, WordParts};

sparse_format! {
    /// Windows of columns, slots, lanes: one stream for each channel.
    pub format Streamed<const GROUPS: usize = 2, const WINDOW: usize = 4> =
        |i, j| (channel: i / 2 % GROUPS, window: j / WINDOW, slot, lane: i / 2 / GROUPS % 2, pair: i / 4 / GROUPS, half: i % 2, col: j % WINDOW)
        where {
            slot = slot(3).group_by(j / WINDOW, i / 2 % GROUPS, i / 2 / GROUPS % 2).key(i / 4 / GROUPS).traverse_by(j, i);
        } {
            merge(channel, window, slot); pad(slot); partition(channel);
            word(64) { col: 14 @ 50, pair: 17 @ 33, half: 1 @ 32, value: 32 @ 0 } filler 0x0003_FFFF_0000_0000;
        }
}

#[test]
fn a_stream() {
    let a: Streamed<f32> = Triplets::try_from_triplets([9, 9], [([0, 1], 1.0f32), ([8, 8], -0.0)]).unwrap().convert().unwrap();
    println!("{}", Streamed::<f32>::describe());
    for part in a.parts() {
        println!("{:x?} {:?}", part.words().unwrap(), part.prefix());
    }
    let _ = Streamed::<f32>::WORD;
}
