//! The packing of Serpens as its host program does it, one processing element after another.

use std::collections::HashMap;

/// The lists of a packing: the end of each window, and for each channel the words.
pub(crate) struct Reference {
    pub(crate) ptr: Vec<usize>,
    pub(crate) channels: Vec<Vec<u64>>,
}

const BUBBLE: u64 = 0x0003_FFFF_0000_0000;

/// Packs elements, given in any order, without duplicates.
pub(crate) fn pack(cols: usize, elements: &[([usize; 2], f32)], [channels, window, distance]: [usize; 3]) -> Reference {
    let pes = 8 * channels;
    let mut lists = vec![Vec::<u64>::new(); pes];
    let mut ptr = vec![0];
    for from in (0..cols).step_by(window) {
        let mut of_window: Vec<_> = elements
            .iter()
            .filter(|([_, j], _)| (from..from + window).contains(j))
            .collect();
        of_window.sort_by_key(|([i, j], _)| (*j, *i));
        let start = *ptr.last().unwrap();
        let mut last: HashMap<usize, usize> = HashMap::new();
        for ([i, j], value) in of_window {
            let list = &mut lists[i / 2 % pes];
            let mut slot = last.get(&(i / 2)).map_or(start, |last| last + distance);
            while list.get(slot).is_some_and(|word| *word != BUBBLE) {
                slot += 1;
            }
            list.resize(list.len().max(slot + 1), BUBBLE);
            last.insert(i / 2, slot);
            let row = 2 * (i / 2 / pes) + i % 2;
            list[slot] = ((j - from) as u64) << 50 | (row as u64) << 32 | u64::from(value.to_bits());
        }
        let longest = lists.iter().map(Vec::len).max().unwrap();
        lists.iter_mut().for_each(|list| list.resize(longest, BUBBLE));
        ptr.push(longest);
    }
    let mut words = vec![vec![0; 8 * ptr[ptr.len() - 1]]; channels];
    for (pe, list) in lists.iter().enumerate() {
        let within = pe % channels;
        let channel = within % 8 * (channels / 8) + within / 8;
        list.iter()
            .enumerate()
            .for_each(|(slot, word)| words[channel][8 * slot + pe / channels] = *word);
    }
    Reference { ptr, channels: words }
}

/// Returns `alpha A x + beta y`: the words in the order of slots, each lane with sums of its own.
pub(crate) fn product(packed: &Reference, window: usize, x: &[f32], y: &[f32], [alpha, beta]: [f32; 2]) -> Vec<f32> {
    let channels = packed.channels.len();
    let mut sums = vec![0f32; y.len()];
    for (channel, words) in packed.channels.iter().enumerate() {
        for (at, word) in words.iter().enumerate().filter(|(_, word)| **word != BUBBLE) {
            let (slot, lane) = (at / 8, at % 8);
            let from = packed.ptr.iter().rposition(|&start| start <= slot).unwrap() * window;
            let pe = lane * channels + channel / (channels / 8) + channel % (channels / 8) * 8;
            let (col, row) = ((word >> 50) as usize, (word >> 32 & 0x3_FFFF) as usize);
            let i = 2 * (row / 2 * 8 * channels + pe) + row % 2;
            sums[i] += f32::from_bits(*word as u32) * x[from + col];
        }
    }
    sums.iter().zip(y).map(|(sum, y)| sum * alpha + y * beta).collect()
}
