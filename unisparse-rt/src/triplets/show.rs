//! Triplets as text: their first elements.

use core::fmt::{self, Debug, Display, Formatter};

use super::Triplets;
use crate::array::First;
use crate::element::Stored;
use crate::show::display;

/// Only the first elements are shown.
impl<T: Debug, const N: usize> Debug for Triplets<T, N> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Triplets")
            .field("shape", &self.shape)
            .field("coordinates", &First(&self.coordinates))
            .field("values", &First(&self.values))
            .field("duplicates", &self.duplicates)
            .finish()
    }
}

/// As a format is displayed. Repeated elements are shown one by one.
impl<T: Stored + Display, const N: usize> Display for Triplets<T, N> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        display(self, f)
    }
}
