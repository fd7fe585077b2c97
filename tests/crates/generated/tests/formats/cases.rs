//! Tensors to be stored.

use generated::generator::Random;

use super::Elements;

/// Tensors, from none to all of their elements stored. With `specials`, some of those are zero, or no numbers.
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
