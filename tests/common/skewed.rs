//! Matrices of small integers whose rows differ much in length, for the tests of devices.

use unisparse::Triplets;

use super::random::Random;

/// Returns small integers.
pub fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let next = || [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0][random.below(6)];
    std::iter::repeat_with(next).take(count).collect()
}

/// Stores the given percentage of elements, and all of row 2 and of column 3, so that rows differ much in length.
pub fn elements(shape @ [rows, cols]: [usize; 2], percent: usize, seed: u64) -> Triplets<f64, 2> {
    let (mut triplets, mut random) = (Triplets::new(shape), Random::new(!seed));
    for (at, number) in numbers(rows * cols, seed).into_iter().enumerate() {
        let (row, col) = (at / cols, at % cols);
        let is_long = percent > 0 && (row == 2 || col == 3);
        if is_long || random.below(100) < percent {
            triplets.push([row, col], number).unwrap();
        }
    }
    triplets
}
