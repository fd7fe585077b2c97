//! The crates: with `u32` indices, as ours, where they have the choice.

pub(super) mod compute;
pub(super) mod convert;

fn wide(numbers: &[u32]) -> Vec<usize> {
    numbers.iter().map(|&number| number as usize).collect()
}
