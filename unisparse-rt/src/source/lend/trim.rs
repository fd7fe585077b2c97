//! `Trim` and `Fill` (the paper's rules 6 to 9): storing only coordinates that lead to an element, or the whole domain.

use crate::element::Index;
use crate::machine::pages;

/// The result of trimming a dense level.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Trimmed {
    /// The coordinates that lead to an entry, relative to the lowest of the domain.
    pub(crate) offsets: Vec<u32>,
    /// The start of each parent's coordinates in `offsets`, and the end.
    pub(crate) ptr: Vec<u32>,
    /// The `ptr` array of the next level that has an `idx`, without the pointers of dropped coordinates.
    pub(crate) below: Vec<u32>,
}

/// `Trim` of a dense level of `size` coordinates, each of which has `stride` pointers in `below`.
pub(crate) fn trim(below: &[u32], size: usize, stride: usize) -> Trimmed {
    let positions = (below.len() - 1) / stride;
    let leads = |position: usize| below[position * stride] != below[(position + 1) * stride];
    let kept = (0..positions).filter(|&position| leads(position)).count();
    let mut trimmed = Trimmed {
        offsets: pages::with_capacity(kept),
        ptr: pages::with_capacity(positions / size + 1),
        below: pages::with_capacity(kept * stride + 1),
    };
    trimmed.ptr.push(0);
    for parent in 0..positions / size {
        for offset in 0..size {
            let position = parent * size + offset;
            if leads(position) {
                trimmed.offsets.push(offset as u32);
                extend(&mut trimmed.below, &below[position * stride..(position + 1) * stride]);
            }
        }
        trimmed.ptr.push(trimmed.offsets.len() as u32);
    }
    trimmed.below.push(below[below.len() - 1]);
    trimmed
}

/// Appends pointers; the stride is nearly always 1, where pushing avoids the call of a copy.
#[inline]
fn extend(pointers: &mut Vec<u32>, more: &[u32]) {
    match more {
        &[one] => pointers.push(one),
        more => pointers.extend_from_slice(more),
    }
}

/// `Fill` of a level with coordinates `idx`, split by parent in `ptr`, over the `size` coordinates from `lowest` on. Returns
/// the `ptr` array of the next level that has an `idx`, with `stride` pointers per coordinate; it was `below` before.
pub(crate) fn fill<I: Index>(
    idx: &[I],
    ptr: &[u32],
    below: &[u32],
    (lowest, size): (i64, usize),
    stride: usize,
) -> Vec<u32> {
    let mut filled = pages::with_capacity((ptr.len() - 1) * size * stride + 1);
    for (parent, range) in ptr.windows(2).enumerate() {
        for entry in range[0] as usize..range[1] as usize {
            let position = parent * size + (idx[entry].to_i64() - lowest) as usize;
            let pointers = &below[entry * stride..(entry + 1) * stride];
            if filled.len() < position * stride {
                filled.resize(position * stride, pointers[0]);
            }
            extend(&mut filled, pointers);
        }
    }
    filled.resize((ptr.len() - 1) * size * stride + 1, below[below.len() - 1]);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::lend::tests::numbers;

    #[test]
    fn trimming_drops_what_leads_nowhere_and_filling_undoes_it() {
        for seed in 0..400 {
            let mut draw = numbers(seed);
            let (parents, size, stride) = (1 + draw(5), 1 + draw(9), 1 + draw(3));
            // Number of entries per pointer; most pointers have none.
            let counts: Vec<u32> = (0..parents * size * stride)
                .map(|_| draw(9).saturating_sub(6) as u32)
                .collect();
            let sums = |counts: &[u32]| {
                let sum = counts.iter().scan(0, |sum, count| {
                    *sum += count;
                    Some(*sum)
                });
                core::iter::once(0).chain(sum).collect::<Vec<u32>>()
            };
            let below = sums(&counts);
            let (mut offsets, mut ptr, mut kept) = (Vec::new(), vec![0], Vec::new());
            for (position, counts) in counts.chunks(stride).enumerate() {
                if counts.iter().sum::<u32>() > 0 {
                    offsets.push((position % size) as u32);
                    kept.extend_from_slice(counts);
                }
                if (position + 1) % size == 0 {
                    ptr.push(offsets.len() as u32);
                }
            }
            let expected = Trimmed {
                offsets,
                ptr,
                below: sums(&kept),
            };
            assert_eq!(trim(&below, size, stride), expected);
            let idx: Vec<i16> = expected.offsets.iter().map(|&offset| offset as i16 - 4).collect();
            assert_eq!(fill(&idx, &expected.ptr, &expected.below, (-4, size), stride), below);
        }
    }
}
