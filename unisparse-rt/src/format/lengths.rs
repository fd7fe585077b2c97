//! Checks that the arrays of a tensor have consistent lengths.

use super::invariant::{greatest_size, invariant_entries};
use super::kind::Kind;
use super::level::{Level, LevelArrays, Tree};
use crate::array::Domain;
use crate::error::{Error, ErrorKind};

/// Checks that every array has the length that the arrays above it determine, and that there is one value per position.
pub(crate) fn lengths<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> Result<(), Error> {
    let count = lengths_to(tensor, M)?;
    length(
        "values",
        tensor.stored() as u128,
        count,
        "one for each position of the last level",
    )
}

/// Checks that every array of the first `depth` levels has the length that the arrays above it determine. Returns the number
/// of positions of the last of these levels.
pub(crate) fn lengths_to<F: Tree<N, M>, const N: usize, const M: usize>(
    tensor: &F,
    depth: usize,
) -> Result<u128, Error> {
    let domains = F::domains(tensor.shape(), &tensor.sizes())?;
    lengths_of(const { &F::LEVELS }, &domains, &tensor.arrays(), depth)
}

/// Does what [`lengths_to`] does, for any format.
fn lengths_of(levels: &[Level], domains: &[Domain], arrays: &[LevelArrays], depth: usize) -> Result<u128, Error> {
    let mut count = 1u128;
    // The array that determined the count, for error messages.
    let mut because = "by the shape".to_owned();
    // Whether the entries of the current level are parallel to those of a level above.
    let mut parallel = false;
    // The number of positions above each level.
    let mut above = vec![0; levels.len()];
    for (level, spec) in levels.iter().enumerate().take(depth) {
        let LevelArrays { ptr, idx } = arrays[level];
        above[level] = count;
        if let Some(ptr) = ptr {
            let name = format!("{}_ptr", spec.pointer_name);
            let parents = format!("one more than the positions of `{}`", spec.pointer_name);
            length(&name, ptr.len() as u128, count.saturating_add(1), &parents)?;
            count = ptr.at(ptr.len() - 1) as u128;
            because = format!("as `{name}` ends at {count}");
        }
        match spec.kind {
            Kind::Dense | Kind::Counted { pointed: false } => count = count.saturating_mul(domains[level].size as u128),
            Kind::Fixed | Kind::Given | Kind::Aligned | Kind::Counted { .. } | Kind::Indexed { .. } => {}
        }
        let Some(idx) = idx else { continue };
        if let Some(first) = spec.invariant_from() {
            let size = |below: usize| greatest_size(&levels[below], &arrays[below], domains[below]) as u128;
            let entries = invariant_entries(levels, level, above[first], size);
            let because = "one for each position of the levels that determine it";
            length(&format!("{}_idx", spec.name), idx.len() as u128, entries, because)?;
            continue;
        }
        let starts = matches!(spec.kind, Kind::Indexed { .. }) && ptr.is_none() && !parallel;
        if starts {
            count = idx.len() as u128;
            because = format!("as `{}_idx` has", spec.name);
        }
        length(&format!("{}_idx", spec.name), idx.len() as u128, count, &because)?;
        if let Kind::Indexed { copied, .. } = spec.kind {
            parallel = copied;
        }
    }
    Ok(count)
}

fn length(array: &str, found: u128, expected: u128, because: &str) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Length,
        format!("`{array}`"),
        None,
        format!("{found} {}", if found == 1 { "entry" } else { "entries" }),
        format!("{expected}, {because}"),
    ))
}
