//! Arrays as kernels outside of this process read them.

use super::index_array::IndexArray;

/// Returns the greatest distance of two pointers.
pub(crate) fn longest(pointers: &dyn IndexArray) -> usize {
    let below = |parent: usize| pointers.at(parent + 1) - pointers.at(parent);
    let longest = (0..pointers.len().saturating_sub(1)).map(below).max();
    longest.and_then(|longest| usize::try_from(longest).ok()).unwrap_or(0)
}

/// Returns the bytes of structs whose members are the entries of these arrays of equal length. As in C, a member begins at
/// a multiple of its size, and a struct ends at a multiple of the greatest one.
pub(crate) fn interleaved(arrays: &[(Vec<u8>, usize)]) -> Vec<u8> {
    let count = arrays.iter().map(|(_, len)| *len).min().unwrap_or(0);
    if count == 0 {
        return Vec::new();
    }
    let (mut offsets, mut end, mut widest) = (Vec::new(), 0usize, 1);
    for (bytes, len) in arrays {
        let width = (bytes.len() / len).max(1);
        let offset = end.next_multiple_of(width);
        offsets.push((offset, width));
        (end, widest) = (offset + width, widest.max(width));
    }
    let stride = end.next_multiple_of(widest);
    let mut entries = vec![0; count * stride];
    for (entry, at) in entries.chunks_exact_mut(stride).zip(0..) {
        for ((bytes, _), &(offset, width)) in arrays.iter().zip(&offsets) {
            entry[offset..offset + width].copy_from_slice(&bytes[at * width..(at + 1) * width]);
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::interleaved;

    #[test]
    fn entries_are_laid_out_as_structs_of_c() {
        assert_eq!(
            interleaved(&[(vec![1, 2], 2), (vec![3, 4, 5, 6], 2)]),
            [1, 0, 3, 4, 2, 0, 5, 6]
        );
        assert_eq!(
            interleaved(&[(vec![1, 2, 3, 4], 1), (vec![5], 1)]),
            [1, 2, 3, 4, 5, 0, 0, 0]
        );
        assert_eq!(interleaved(&[(vec![], 0), (vec![], 0)]), []);
    }
}
