//! The first array entry in which two tensors of a format differ.

use crate::array::IndexArray;
use crate::error::{Error, ErrorKind};
use crate::format::{Level, LevelArrays};

/// The size and the arrays of each level.
pub(super) type Contents<'a> = (&'a [usize], &'a [LevelArrays<'a>]);

/// Returns an error for the first entry of a `ptr` or `idx` array, or the first size, in which `found` differs from `expected`.
pub(super) fn differing_array(levels: &[Level], found: Contents<'_>, expected: Contents<'_>) -> Option<Error> {
    let ((sizes, arrays), (expected_sizes, expected_arrays)) = (found, expected);
    for (level, spec) in levels.iter().enumerate() {
        if sizes[level] != expected_sizes[level] {
            let name = format!("`{}_size`", spec.name);
            let (found, expected) = (sizes[level].to_string(), expected_sizes[level].to_string());
            return Some(differs(&name, None, found, expected));
        }
        let (LevelArrays { ptr, idx }, expected) = (arrays[level], expected_arrays[level]);
        for (name, what, found, expected) in [
            (spec.pointer_name, "ptr", ptr, expected.ptr),
            (spec.name, "idx", idx, expected.idx),
        ] {
            let (Some(found), Some(expected)) = (found, expected) else {
                continue;
            };
            let entry = |array: &dyn IndexArray, at: usize| (at < array.len()).then(|| array.at(at));
            let text = |entry: Option<i64>| entry.map_or("no entry".to_owned(), |entry| entry.to_string());
            let is_other = |&at: &usize| entry(found, at) != entry(expected, at);
            if let Some(at) = (0..found.len().max(expected.len())).find(is_other) {
                let (found, expected) = (text(entry(found, at)), text(entry(expected, at)));
                return Some(differs(&format!("`{name}_{what}`"), Some(at), found, expected));
            }
        }
    }
    None
}

/// Returns the error for an entry that is not `expected`.
#[cold]
pub(super) fn differs(array: &str, position: Option<usize>, found: String, expected: String) -> Error {
    Error::new(
        ErrorKind::Structure,
        array,
        position,
        found,
        format!("{expected}: where the elements belong"),
    )
}
