//! The output of one core, with the list of the elements that it wrote.

use crate::element::Scalar;

/// The output of a core. It keeps what it wrote in lists, and is used for one core after another.
#[derive(Debug)]
pub(super) struct Written<T> {
    pub(super) values: Vec<T>,
    /// What the places start with.
    start: T,
    is_written: Vec<bool>,
    /// The places that were written, each once.
    pub(super) places: Vec<usize>,
}

impl<T: Scalar> Written<T> {
    pub(super) fn new(len: usize, start: T) -> Self {
        Written {
            values: vec![start; len],
            start,
            is_written: vec![false; len],
            places: Vec::new(),
        }
    }

    /// Whether the place was written.
    pub(super) fn is_written(&self, place: usize) -> bool {
        self.is_written.get(place).is_some_and(|written| *written)
    }

    pub(super) fn set(&mut self, place: usize, value: T) {
        self.values[place] = value;
        if !std::mem::replace(&mut self.is_written[place], true) {
            self.places.push(place);
        }
    }

    /// Forgets what was written.
    pub(super) fn clear(&mut self) {
        for place in self.places.drain(..) {
            self.values[place] = self.start;
            self.is_written[place] = false;
        }
    }
}
