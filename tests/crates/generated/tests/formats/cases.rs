//! The tensors of the tests.

use specification::generator::Random;

use super::Elements;

/// Tensors with none to all of their elements stored. With `specials`, some values are zero or NaN.
pub(super) fn cases(dims: usize, seed: u64, specials: bool) -> Vec<(Vec<usize>, Elements)> {
    let shapes: &[(&[usize], usize)] = match dims {
        1 => &[(&[0], 0), (&[1], 100), (&[7], 0), (&[9], 100), (&[14], 50), (&[40], 10)],
        2 => &[
            (&[5, 4], 0),
            (&[1, 9], 60),
            (&[8, 1], 60),
            (&[0, 5], 0),
            (&[4, 0], 0),
            (&[5, 6], 100),
            (&[13, 4], 30),
            (&[4, 12], 35),
            (&[9, 8], 12),
            (&[1, 1], 100),
        ],
        4 => &[
            (&[2, 1, 3, 2], 0),
            (&[2, 0, 1, 2], 0),
            (&[2, 3, 2, 2], 100),
            (&[3, 2, 4, 3], 20),
            (&[1, 5, 1, 4], 50),
        ],
        5 => &[
            (&[2, 1, 1, 2, 2], 0),
            (&[2, 3, 1, 2, 2], 100),
            (&[3, 2, 2, 1, 4], 25),
            (&[2, 3, 2, 3, 2], 12),
        ],
        _ => &[
            (&[2, 3, 2], 0),
            (&[0, 2, 3], 0),
            (&[3, 4, 2], 100),
            (&[4, 3, 5], 25),
            (&[1, 6, 4], 40),
            (&[6, 1, 1], 60),
            (&[3, 5, 6], 8),
        ],
    };
    let mut random = Random::new(seed);
    let case = |&(shape, percent): &(&[usize], usize)| {
        let count: usize = shape.iter().product();
        let mut elements = Elements::new();
        for number in 0..count {
            if random.below(100) < percent {
                let (mut at, mut rest) = (vec![0; dims], number);
                for dim in (0..dims).rev() {
                    at[dim] = rest % shape[dim];
                    rest /= shape[dim];
                }
                let plain = [-2.0, -1.0, 1.0, 1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 9.0][random.below(10)];
                let special = [0.0, 0.0, 0.0, f64::NAN][random.below(4)];
                let value = if specials && random.below(3) == 0 {
                    special
                } else {
                    plain
                };
                elements.insert(at, value);
            }
        }
        (shape.to_vec(), elements)
    };
    shapes.iter().map(case).collect()
}

/// A few elements of a tensor whose coordinates take many bits, some of which are equal in some dims.
pub(super) fn wide(dims: usize, seed: u64) -> (Vec<usize>, Elements) {
    let bits = [24, 22, 22, 18, 14][dims - 1];
    let mut random = Random::new(!seed);
    let shape: Vec<usize> = (0..dims).map(|_| (1 << bits) - random.below(1000)).collect();
    let drawn: Vec<Vec<usize>> = shape
        .iter()
        .map(|&extent| (0..6).map(|_| random.below(extent)).chain([0, extent - 1]).collect())
        .collect();
    let elements = (0..30).map(|at| (drawn.iter().map(|along| random.any(along)).collect(), at as f64 + 1.0));
    let elements = elements.collect();
    (shape, elements)
}
