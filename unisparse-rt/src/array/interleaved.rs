//! Arrays as kernels outside of this process read them.

#[cfg(any(feature = "cuda", feature = "hls"))]
use super::index_array::IndexArray;

/// Returns the greatest distance of two pointers.
#[cfg(any(feature = "cuda", feature = "hls"))]
pub(crate) fn longest(pointers: &dyn IndexArray) -> usize {
    let below = |parent: usize| pointers.at(parent + 1) - pointers.at(parent);
    let longest = (0..pointers.len().saturating_sub(1)).map(below).max();
    longest.and_then(|longest| usize::try_from(longest).ok()).unwrap_or(0)
}

/// Returns where members of these widths begin in a struct, and its size. As in C, a member begins at a multiple of its size, and a
/// struct ends at a multiple of the greatest one.
pub(crate) fn members(widths: &[usize]) -> (Vec<usize>, usize) {
    let (mut offsets, mut end, mut widest) = (Vec::with_capacity(widths.len()), 0usize, 1);
    for &width in widths {
        let width = width.max(1);
        let offset = end.next_multiple_of(width);
        offsets.push(offset);
        (end, widest) = (offset + width, widest.max(width));
    }
    (offsets, end.next_multiple_of(widest))
}

/// Returns the bytes of structs whose members are the entries of these arrays of equal length, laid out by [`members`].
#[cfg(any(feature = "cuda", feature = "hls"))]
pub(crate) fn interleaved(arrays: &[(Vec<u8>, usize)]) -> Vec<u8> {
    let count = arrays.iter().map(|(_, len)| *len).min().unwrap_or(0);
    if count == 0 {
        return Vec::new();
    }
    let widths: Vec<usize> = arrays.iter().map(|(bytes, len)| (bytes.len() / len).max(1)).collect();
    let (offsets, stride) = members(&widths);
    let mut entries = vec![0; count * stride];
    for (entry, at) in entries.chunks_exact_mut(stride).zip(0..) {
        for (((bytes, _), &offset), &width) in arrays.iter().zip(&offsets).zip(&widths) {
            entry[offset..offset + width].copy_from_slice(&bytes[at * width..(at + 1) * width]);
        }
    }
    entries
}

#[cfg(all(test, any(feature = "cuda", feature = "hls")))]
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
