//! The expected result of each conversion, computed from the declaration by hand and without the library.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use unisparse::SparseTensor;

use crate::harness::matrices::{Element, Entries};

/// The places of a matrix's elements in a format.
pub(crate) struct Layout {
    /// The level coordinates of each element, which define the storage order.
    pub keys: Vec<[u32; 4]>,
    /// The number of positions, including holes.
    pub stored: usize,
}

fn layout<T: Element>(entries: &Entries<T>, stored: usize, key: impl Fn(u32, u32) -> [u32; 4]) -> Layout {
    let places = entries.rows.iter().zip(&entries.cols);
    Layout {
        keys: places.map(|(&i, &j)| key(i, j)).collect(),
        stored,
    }
}

/// Returns the number of distinct numbers, all below `bound`.
fn distinct(numbers: impl Iterator<Item = usize>, bound: usize) -> usize {
    let mut seen = vec![false; bound];
    numbers.for_each(|number| seen[number] = true);
    seen.into_iter().filter(|&seen| seen).count()
}

pub(crate) fn by_rows<T: Element>(entries: &Entries<T>) -> Layout {
    layout(entries, entries.len(), |i, j| [i, j, 0, 0])
}

pub(crate) fn by_columns<T: Element>(entries: &Entries<T>) -> Layout {
    layout(entries, entries.len(), |i, j| [j, i, 0, 0])
}

/// Diagonals; on one diagonal, the orders of rows and of columns are the same.
pub(crate) fn diagonals<T: Element>(entries: &Entries<T>, along: usize) -> Layout {
    let [rows, cols] = entries.shape;
    let diag = |i: u32, j: u32| j + (rows as u32 - 1) - i;
    let places = entries.rows.iter().zip(&entries.cols);
    let count = distinct(places.map(|(&i, &j)| diag(i, j) as usize), rows + cols);
    layout(entries, count * along, |i, j| [diag(i, j), i, 0, 0])
}

pub(crate) fn ellpack<T: Element>(entries: &Entries<T>) -> Layout {
    let mut lengths = vec![0; entries.shape[0]];
    let mut keys = Vec::with_capacity(entries.len());
    // The elements are in row order.
    for &row in &entries.rows {
        let slot = &mut lengths[row as usize];
        keys.push([*slot, row, 0, 0]);
        *slot += 1;
    }
    let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
    let stored = longest * entries.shape[0];
    Layout { keys, stored }
}

pub(crate) fn blocks<T: Element>(entries: &Entries<T>, size: u32) -> Layout {
    let key = |i: u32, j: u32| [i / size, j / size, i % size, j % size];
    let places = entries.rows.iter().zip(&entries.cols);
    let mut numbers: Vec<u64> = places
        .map(|(&i, &j)| u64::from(i / size) << 32 | u64::from(j / size))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    layout(entries, numbers.len() * (size * size) as usize, key)
}

pub(crate) fn dealt<T: Element>(entries: &Entries<T>, banks: u32) -> Layout {
    layout(entries, entries.len(), |i, j| [i % banks, i / banks, j, 0])
}

/// Rows in turn, or longest first, each in the bank with the fewest elements.
pub(crate) fn scheduled<T: Element>(entries: &Entries<T>, banks: usize, longest_first: bool) -> Layout {
    let mut lengths = vec![0u32; entries.shape[0]];
    entries.rows.iter().for_each(|&row| lengths[row as usize] += 1);
    let mut rows: Vec<usize> = (0..entries.shape[0]).filter(|&row| lengths[row] > 0).collect();
    if longest_first {
        rows.sort_by_key(|&row| Reverse(lengths[row]));
    }
    let mut loads: BTreeSet<(u32, u32)> = (0..banks as u32).map(|bank| (0, bank)).collect();
    let mut bank_of = vec![0; entries.shape[0]];
    for row in rows {
        let (load, bank) = loads.pop_first().expect("there is a bank");
        bank_of[row] = bank;
        loads.insert((load + lengths[row], bank));
    }
    layout(entries, entries.len(), |i, j| [bank_of[i as usize], i, j, 0])
}

/// Windows of columns, and slots in which each processing element has one element of a pair of rows, a distance apart.
pub(crate) fn serpens<T: Element>(entries: &Entries<T>, pes: usize, window: usize, distance: usize) -> Layout {
    let group = |at: usize| (entries.cols[at] as usize / window, entries.rows[at] as usize / 2 % pes);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&at| (group(at), entries.cols[at], entries.rows[at]));
    let mut keys = vec![[0; 4]; entries.len()];
    let mut slots = vec![0; entries.shape[1].div_ceil(window)];
    let mut last_of_pair: HashMap<usize, usize> = HashMap::new();
    for members in order.chunk_by(|&left, &right| group(left) == group(right)) {
        let (window, pe) = group(members[0]);
        // The slot from which to search for a free one: the slot itself if it is free.
        let mut next: Vec<usize> = Vec::new();
        last_of_pair.clear();
        for &at in members {
            let pair = entries.rows[at] as usize / 2 / pes;
            let mut slot = last_of_pair.get(&pair).map_or(0, |last| last + distance);
            loop {
                while next.len() <= slot {
                    next.push(next.len());
                }
                if next[slot] == slot {
                    break;
                }
                if next[slot] < next.len() {
                    next[slot] = next[next[slot]];
                }
                slot = next[slot];
            }
            next[slot] = slot + 1;
            last_of_pair.insert(pair, slot);
            keys[at] = [window as u32, slot as u32, pe as u32, 0];
            slots[window] = slots[window].max(slot + 1);
        }
    }
    Layout {
        keys,
        stored: slots.iter().sum::<usize>() * pes,
    }
}

/// Checks that a tensor holds exactly the elements, in the order and the number of positions of the layout.
///
/// # Errors
/// A description of the difference.
pub(crate) fn check<T: Element, F: SparseTensor<2, Scalar = T>>(
    tensor: &F,
    entries: &Entries<T>,
    layout: &Layout,
) -> Result<(), String> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by_key(|&at| layout.keys[at]);
    let (mut visited, mut wrong) = (0, None);
    tensor.for_each(|[i, j], value| {
        let right = order.get(visited).is_some_and(|&at| {
            (entries.rows[at] as usize, entries.cols[at] as usize, entries.values[at]) == (i, j, value)
        });
        if !right {
            wrong = wrong.or(Some((visited, i, j)));
        }
        visited += 1;
    });
    if let Some((number, i, j)) = wrong {
        return Err(format!("element {number} is at ({i}, {j}), or has another value"));
    }
    if (visited, tensor.stored(), tensor.shape()) != (entries.len(), layout.stored, entries.shape) {
        let (stored, expected) = (tensor.stored(), layout.stored);
        return Err(format!(
            "{visited} elements in {stored} positions, expected {} in {expected}",
            entries.len()
        ));
    }
    Ok(())
}
