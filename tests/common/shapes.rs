//! Shapes of matrices that are multiplied on stand-ins for devices.

/// The extents of matrices with the number of columns of dense operands, and the percentage of stored elements.
pub const SHAPES: [([usize; 2], usize, usize); 7] = [
    ([0, 0], 0, 100),
    ([1, 1], 1, 100),
    ([5, 0], 2, 100),
    ([0, 5], 3, 100),
    ([13, 17], 3, 33),
    ([6, 7], 5, 0),
    ([40, 33], 150, 4),
];
