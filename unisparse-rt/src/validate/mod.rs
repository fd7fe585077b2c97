//! Checks the invariants of a format's arrays that come from outside.

mod exact;

use core::ops::Range;

use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::format::{Domain, IndexArray, Kind, Level, LevelArrays, Tree};
use crate::source::Elements;
use crate::tensor::SparseTensor;

/// Checks that the arrays of `tensor` are the unique storage of some tensor in this format.
///
/// Lengths must be consistent. Without queries: entries ascend strictly below each parent, every entry of a trimmed level has
/// an element below it, every coordinate of an untrimmed level is present, and positions outside the shape are zero.
/// `O(stored)`. With queries: the tensor's elements must assemble to the same arrays.
///
/// # Errors
/// `Length`, `Order` or `Structure`, naming the array and the position; with queries also the errors of assembly.
pub fn check<F, const N: usize, const M: usize>(tensor: &F) -> Result<(), Error>
where
    F: Tree<N, M> + SparseTensor<N, Scalar = <F as Tree<N, M>>::Scalar>,
{
    lengths(tensor)?;
    if F::QUERIES > 0 {
        return exact::check(tensor);
    }
    structure(tensor)
}

/// Checks the arrays of a part by themselves. With queries, only the whole determines whether its elements belong there.
///
/// # Errors
/// As [`check`], and `OutOfBounds` if the part's node is outside the domains.
pub fn check_part<F: Tree<N, M>, const N: usize, const M: usize>(part: &F) -> Result<(), Error> {
    lengths(part)?;
    let (domains, given) = (F::domains(part.shape(), &part.sizes())?, part.given());
    let outside = |&level: &usize| F::LEVELS[level].kind == Kind::Given && !domains[level].contains(given[level]);
    if let Some(level) = (0..M).find(outside) {
        return Err(Error::new(
            ErrorKind::OutOfBounds,
            "`prefix`",
            Some(level),
            format!("coordinate {} of level `{}`", given[level], F::LEVELS[level].name),
            format!("one from {} to {}", domains[level].lo, domains[level].end() - 1),
        ));
    }
    if F::QUERIES > 0 { Ok(()) } else { structure(part) }
}

/// Checks the arrays of a format without queries against each other.
fn structure<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> Result<(), Error> {
    let mut chain = None;
    let mut holes: [Vec<bool>; M] = core::array::from_fn(|_| Vec::new());
    for level in 0..M {
        if let Kind::Indexed { copied, .. } = F::LEVELS[level].kind {
            let first = chain.unwrap_or(level);
            chain = copied.then_some(first);
            if !copied {
                holes[first..=level].fill(ascending::<F, N, M>(tensor, first, level)?);
            }
        }
    }
    positions::<F, N, M>(tensor, &holes)
}

/// Checks that every array has the length that the arrays above it determine, and that there is one value per position.
fn lengths<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> Result<(), Error> {
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
    let arrays = tensor.arrays();
    let mut count = 1u128;
    // The array that determined the count, for error messages.
    let mut because = "as the shape tells".to_owned();
    // Whether the entries of the current level are parallel to those of a level above.
    let mut in_step = false;
    for (level, spec) in F::LEVELS.iter().enumerate().take(depth) {
        let LevelArrays { ptr, idx } = arrays[level];
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
        let starts = matches!(spec.kind, Kind::Indexed { .. }) && ptr.is_none() && !in_step;
        if starts {
            count = idx.len() as u128;
            because = format!("as `{}_idx` has", spec.name);
        }
        length(&format!("{}_idx", spec.name), idx.len() as u128, count, &because)?;
        if let Kind::Indexed { copied, .. } = spec.kind {
            in_step = copied;
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

/// Checks that the entries of levels `first..=last`, which are parallel arrays, ascend strictly below each parent and include
/// every coordinate of a full level. Returns which entries may belong to nodes without children.
fn ascending<F: Tree<N, M>, const N: usize, const M: usize>(
    tensor: &F,
    first: usize,
    last: usize,
) -> Result<Vec<bool>, Error> {
    let mut chain = Chain {
        arrays: tensor.arrays(),
        domains: F::domains(tensor.shape(), &tensor.sizes())?,
        levels: &F::LEVELS,
        first,
        last,
        holes: Vec::new(),
    };
    let Some(length) = chain.arrays[last].idx.map(IndexArray::len) else {
        return Ok(Vec::new());
    };
    let full = (first..=last).any(|level| chain.is_full(level));
    chain.holes.resize(if full { length } else { 0 }, false);
    let ptr = chain.arrays[first].ptr;
    for parent in 0..ptr.map_or(1, |ptr| ptr.len() - 1) {
        let range = ptr.map_or(0..length, |ptr| ptr.at(parent) as usize..ptr.at(parent + 1) as usize);
        for position in range.start + 1..range.end {
            let before = (first..=last).map(|level| chain.at(level, position - 1));
            if !before.lt((first..=last).map(|level| chain.at(level, position))) {
                let down = |&level: &usize| chain.at(level, position) < chain.at(level, position - 1);
                let level = (first..=last).find(down).unwrap_or(last);
                return Err(Error::new(
                    ErrorKind::Order,
                    format!("`{}_idx`", F::LEVELS[level].name),
                    Some(position),
                    format!(
                        "index {} after {}",
                        chain.at(level, position),
                        chain.at(level, position - 1)
                    ),
                    "entries that ascend strictly below each parent",
                ));
            }
        }
        if full {
            chain.complete(first, range)?;
        }
    }
    Ok(chain.holes)
}

/// Levels whose entries are parallel arrays.
struct Chain<'a, const M: usize> {
    arrays: [LevelArrays<'a>; M],
    domains: [Domain; M],
    levels: &'a [Level; M],
    first: usize,
    last: usize,
    holes: Vec<bool>,
}

impl<const M: usize> Chain<'_, M> {
    fn at(&self, level: usize, position: usize) -> i64 {
        self.arrays[level].idx.map_or(0, |idx| idx.at(position))
    }

    fn is_full(&self, level: usize) -> bool {
        matches!(self.levels[level].kind, Kind::Indexed { full: true, .. })
    }

    /// Returns whether `range`, the entries below a node above `level`, may be the single entry of a node without children: it
    /// has the lowest coordinates.
    fn is_hole(&self, level: usize, range: &Range<usize>) -> bool {
        let lowest = |level: usize| {
            self.arrays[level]
                .idx
                .is_none_or(|idx| idx.at(range.start) == self.domains[level].lo)
        };
        let above = (self.first..level)
            .rev()
            .find(|&above| self.levels[above].kind != Kind::Fixed);
        above.is_some_and(|above| self.is_full(above))
            && !self.is_full(level)
            && range.len() == 1
            && (level..=self.last).all(lowest)
    }

    /// Checks, from `level` down, that every coordinate of a full level has an entry in `range`.
    fn complete(&mut self, level: usize, range: Range<usize>) -> Result<(), Error> {
        if level > self.last {
            return Ok(());
        }
        if self.is_hole(level, &range) {
            self.holes[range.start] = true;
            return Ok(());
        }
        if self.levels[level].kind == Kind::Fixed {
            return self.complete(level + 1, range);
        }
        let mut expected = self.domains[level].lo;
        let mut start = range.start;
        while start < range.end {
            let found = self.at(level, start);
            if self.is_full(level) && found != expected {
                return Err(self.missing(level, start, format!("index {found}"), expected));
            }
            let end = (start..range.end)
                .find(|&at| self.at(level, at) != found)
                .unwrap_or(range.end);
            self.complete(level + 1, start..end)?;
            (start, expected) = (end, expected + 1);
        }
        // If a level has no coordinates at all, there are no holes either.
        let possible = self.domains[level..=self.last].iter().all(|domain| domain.size > 0);
        if self.is_full(level) && possible && expected != self.domains[level].end() {
            return Err(self.missing(level, range.end, "the end of the entries".to_owned(), expected));
        }
        Ok(())
    }

    fn missing(&self, level: usize, position: usize, found: String, expected: i64) -> Error {
        Error::new(
            ErrorKind::Structure,
            format!("`{}_idx`", self.levels[level].name),
            Some(position),
            found,
            format!("{expected}: the level is not trimmed, every coordinate has an entry"),
        )
    }
}

/// Checks that every position without a coordinate inside the shape is zero, and that every entry of each level, except the
/// `holes`, has an element below it.
fn positions<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F, holes: &[Vec<bool>; M]) -> Result<(), Error> {
    let arrays = tensor.arrays();
    let mut used: [Vec<bool>; M] =
        core::array::from_fn(|level| vec![false; arrays[level].idx.map_or(0, IndexArray::len)]);
    let mut elements = Elements::new(tensor);
    while let Some((position, _, coordinate)) = elements.next_position() {
        if coordinate.is_none() {
            empty::<F, N, M>(tensor, position)?;
        }
        if coordinate.is_some() {
            for (used, &at) in used.iter_mut().zip(&elements.path()) {
                if let Some(used) = used.get_mut(at) {
                    *used = true;
                }
            }
        }
    }
    for (level, used) in used.iter().enumerate() {
        let stray = |position: usize| !used[position] && !holes[level].get(position).is_some_and(|&hole| hole);
        if let Some(position) = (0..used.len()).find(|&position| stray(position)) {
            let idx = arrays[level].idx.map_or(0, |idx| idx.at(position));
            return Err(Error::new(
                ErrorKind::Structure,
                format!("`{}_idx`", F::LEVELS[level].name),
                Some(position),
                format!("index {idx} with no coordinate of the shape below it"),
                "only indices that lead to an element: the level is trimmed",
            ));
        }
    }
    Ok(())
}

/// Checks that the value at a position without a coordinate inside the shape is zero.
fn empty<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F, position: usize) -> Result<(), Error> {
    let value = tensor.value(position);
    if value.reads_zero() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Structure,
        "`values`",
        Some(position),
        format!("{value:?}"),
        "zero: the position stands for no coordinate inside the shape",
    ))
}
