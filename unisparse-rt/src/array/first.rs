//! `Debug` of a long array: only its first entries.

use core::fmt::{self, Debug, Formatter};

/// Number of entries that are shown.
const SHOWN: usize = 8;

/// Formats the first entries of an array as `Debug` formats all, and says how many more there are.
pub struct First<'a, T>(pub &'a [T]);

impl<T: Debug> Debug for First<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        debug_list(f, self.0.iter())
    }
}

/// Formats the first entries as a list, and says how many more there are.
pub(super) fn debug_list(f: &mut Formatter<'_>, mut entries: impl ExactSizeIterator<Item: Debug>) -> fmt::Result {
    let mut list = f.debug_list();
    list.entries(entries.by_ref().take(SHOWN));
    if entries.len() > 0 {
        list.entry(&format_args!(".. {} more", entries.len()));
    }
    list.finish()
}
