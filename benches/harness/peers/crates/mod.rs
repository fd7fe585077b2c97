//! The crates, with `u32` indices like ours if they allow it.

pub(super) mod compute;
pub(super) mod convert;

fn wide(numbers: &[u32]) -> Vec<usize> {
    numbers.iter().map(|&number| number as usize).collect()
}
