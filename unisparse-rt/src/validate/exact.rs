//! Checks formats with queries. The position of an element depends on all others, so the arrays are compared with the arrays
//! that the tensor's own elements assemble to.
//!
//! A zero in a format with holes can be a hole, or an explicit zero, which counts as an element. It is certainly an element if
//! the index of its node differs from that of a hole. Otherwise its node may be a hole: such tensors are assembled without and
//! then with the zeros in question, and finally with those zeros that were placed where they had been.

use std::collections::{HashMap, HashSet};

use super::checked::{Position, Rebuilt};
use crate::array::IndexArray;
use crate::error::{Error, ErrorKind};
use crate::format::{Kind, Level};

/// Checks that the elements of `tensor` assemble to its arrays.
pub(super) fn check(tensor: &dyn Rebuilt) -> Result<(), Error> {
    let held = Held::read(tensor)?;
    let compared = tensor.compare(&held.located(&held.certain), &mut |_| {});
    let Some(difference) = compared.map_err(|error| match error.kind() {
        ErrorKind::Duplicate => held.twice(tensor.levels()).unwrap_or(error),
        _ => error,
    })?
    else {
        return Ok(());
    };
    let mut known: HashSet<&[usize]> = held.certain.iter().map(|element| held.coordinate(element)).collect();
    let mut possible: Vec<&Zero> = held.possible.iter().collect();
    possible.retain(|zero| known.insert(held.coordinate(&zero.element)));
    if possible.is_empty() {
        return Err(difference);
    }
    let mut elements = held.certain.clone();
    elements.extend(possible.iter().map(|zero| zero.element));
    // The first position of a coordinate is the position of its element.
    let wanted = possible.into_iter().map(|zero| (held.coordinate(&zero.element), zero));
    let mut wanted: HashMap<&[usize], &Zero> = wanted.collect();
    let mut placed = held.certain.clone();
    let compared = tensor.compare(&held.located(&elements), &mut |rebuilt| {
        let visited = rebuilt.visit(None, &mut |position| {
            if let Some(zero) = wanted.remove(position.coordinate) {
                if held.levels(zero) == position.levels {
                    placed.push(zero.element);
                }
            }
        });
        debug_assert!(visited.is_ok());
    });
    match compared {
        Ok(None) => return Ok(()),
        Ok(Some(_)) => {}
        Err(_) => return Err(difference),
    }
    match tensor.compare(&held.located(&placed), &mut |_| {}) {
        Ok(None) => Ok(()),
        _ => Err(difference),
    }
}

/// A value and its location.
#[derive(Clone, Copy)]
struct Element {
    /// The number of its coordinate among those of [`Held`].
    number: usize,
    /// The position of the value.
    position: usize,
    /// The position of its node on the lowest level with an `idx` array.
    node: usize,
    is_zero: bool,
}

/// A zero that may be a hole.
struct Zero {
    element: Element,
    /// The number of its level coordinates among those of [`Held`].
    number: usize,
}

/// The contents of a tensor.
#[derive(Default)]
struct Held {
    certain: Vec<Element>,
    /// Zeros that may be holes: the first zero of each node without a certain element.
    possible: Vec<Zero>,
    /// Number of dims, and of levels.
    dims: usize,
    depth: usize,
    /// The coordinates of all elements and zeros, and the level coordinates of the zeros.
    coordinates: Vec<usize>,
    levels: Vec<i64>,
}

impl Held {
    fn read(tensor: &dyn Rebuilt) -> Result<Self, Error> {
        let levels = tensor.levels();
        let (holder, lowest) = (holder(levels), lowest(tensor)?);
        // Holes are below a level that holds every coordinate. The levels above belong to nodes with elements.
        let above = levels[..=holder].iter().rposition(|above| {
            matches!(
                above.kind,
                Kind::Dense | Kind::Counted { .. } | Kind::Indexed { full: true, .. }
            )
        });
        let has_coordinates = |&level: &usize| matches!(levels[level].kind, Kind::Indexed { .. } | Kind::Aligned);
        let run: Vec<usize> = (above.map_or(0, |above| above + 1)..=holder)
            .filter(|level| has_coordinates(level) && levels[*level].invariant_over.is_empty())
            .collect();
        let (mut held, mut numbers) = (Held::default(), Numbers::new(tensor));
        let (mut node, mut is_settled) = (None, false);
        tensor.visit(numbers.levels.map(|(level, _)| level), &mut |position| {
            let at = position.path[holder];
            if node.replace(at) != Some(at) {
                is_settled = false;
            }
            if !position.is_zero {
                numbers.count(position);
                held.take_back(at, &mut numbers);
                let element = held.element(position, at);
                held.certain.push(element);
                is_settled = true;
            } else if !is_settled {
                let element = held.element(position, at);
                if run.iter().any(|&level| position.levels[level] != lowest[level]) {
                    held.certain.push(element);
                } else {
                    held.add_possible(element, position.levels);
                    numbers.place(position);
                }
                is_settled = true;
            }
        })?;
        numbers.settle(&mut held, &lowest);
        Ok(held)
    }

    /// Adds the coordinate of an element, whose node is at this position.
    fn element(&mut self, position: &Position<'_>, node: usize) -> Element {
        self.dims = position.coordinate.len();
        let number = self.coordinates.len() / self.dims.max(1);
        self.coordinates.extend_from_slice(position.coordinate);
        Element {
            number,
            position: position.position,
            node,
            is_zero: position.is_zero,
        }
    }

    fn add_possible(&mut self, element: Element, levels: &[i64]) {
        self.depth = levels.len();
        let number = self.levels.len() / self.depth.max(1);
        self.levels.extend_from_slice(levels);
        self.possible.push(Zero { element, number });
    }

    /// Removes the zero recorded for a node that has an element: it need not be an element after all.
    fn take_back(&mut self, node: usize, numbers: &mut Numbers) {
        let is_of = |last: &Element| last.node == node && last.is_zero;
        if self.certain.last().is_some_and(is_of) {
            self.certain.pop();
        }
        if self.possible.last().is_some_and(|last| is_of(&last.element)) {
            self.possible.pop();
            numbers.places.pop();
        }
    }

    fn coordinate(&self, element: &Element) -> &[usize] {
        &self.coordinates[element.number * self.dims..][..self.dims]
    }

    fn levels(&self, zero: &Zero) -> &[i64] {
        &self.levels[zero.number * self.depth..][..self.depth]
    }

    /// Returns the coordinates and the positions of some elements.
    fn located(&self, elements: &[Element]) -> Vec<(&[usize], usize)> {
        let located = elements.iter();
        located
            .map(|element| (self.coordinate(element), element.position))
            .collect()
    }

    /// Returns an error for the first repeated coordinate.
    fn twice(&self, levels: &[Level]) -> Option<Error> {
        let mut seen = HashSet::new();
        let again = self
            .certain
            .iter()
            .find(|element| !seen.insert(self.coordinate(element)))?;
        Some(Error::new(
            ErrorKind::Duplicate,
            format!("`{}_idx`", levels[holder(levels)].name),
            Some(again.node),
            format!("coordinate {:?} again", self.coordinate(again)),
            "each coordinate once",
        ))
    }
}

/// The numbers of elements that differ only in a level that counts from zero, where another level is invariant over it.
///
/// Those numbers have no gaps. So a zero before an element is one, too, and so is a zero at the first number where an
/// invariant level has the coordinate of some element.
struct Numbers {
    /// An invariant level, and the one that counts.
    levels: Option<(usize, usize)>,
    /// All levels that are invariant over that one.
    invariant: Vec<usize>,
    /// The greatest number of a certain element at each position of the invariant level, or -1.
    greatest: Vec<i64>,
    /// The position of each possible zero at the invariant level.
    places: Vec<usize>,
}

impl Numbers {
    fn new(tensor: &dyn Rebuilt) -> Self {
        let all = tensor.levels();
        let counted = |level: usize| match (all[level].invariant, all[level].invariant_over) {
            (Some(number), [over]) if number == *over => Some((level, number)),
            _ => None,
        };
        let levels = (0..all.len()).rev().find_map(counted);
        let levels = levels.filter(|_| tensor.has_holes());
        let invariant =
            (0..all.len()).filter(|&level| levels.is_some_and(|(_, number)| counted(level) == Some((level, number))));
        let entries = levels
            .and_then(|(level, _)| tensor.arrays()[level].idx)
            .map_or(0, IndexArray::len);
        Numbers {
            levels,
            invariant: invariant.collect(),
            greatest: vec![-1; entries],
            places: Vec::new(),
        }
    }

    /// Takes the element at this position as certain.
    fn count(&mut self, position: &Position<'_>) {
        if let (Some((_, number)), Some(place)) = (self.levels, position.invariant) {
            self.greatest[place] = self.greatest[place].max(position.levels[number]);
        }
    }

    /// Takes the element at this position as possible.
    fn place(&mut self, position: &Position<'_>) {
        self.places.push(position.invariant.unwrap_or(0));
    }

    /// Moves the possible zeros that are certain.
    fn settle(self, held: &mut Held, lowest: &[i64]) {
        let Some((_, number)) = self.levels else { return };
        let possible = core::mem::take(&mut held.possible);
        for (zero, place) in possible.into_iter().zip(self.places) {
            let coordinates = held.levels(&zero);
            let is_of_elements = self.invariant.iter().any(|&level| coordinates[level] != lowest[level]);
            let is_first = coordinates[number] == 0 && is_of_elements;
            if is_first || coordinates[number] < self.greatest[place] {
                held.certain.push(zero.element);
            } else {
                held.possible.push(zero);
            }
        }
    }
}

/// Returns the lowest level with an `idx` array, or the last level.
fn holder(levels: &[Level]) -> usize {
    let indexed = |kind: Kind| matches!(kind, Kind::Indexed { .. } | Kind::Aligned);
    let last = levels.iter().rposition(|level| indexed(level.kind));
    last.unwrap_or(levels.len() - 1)
}

/// Returns the lowest coordinate of each level, which holes have.
fn lowest(tensor: &dyn Rebuilt) -> Result<Vec<i64>, Error> {
    let (domains, arrays) = (tensor.domains()?, tensor.arrays());
    let lowest = tensor.levels().iter().zip(domains).zip(arrays);
    let lowest = lowest.map(|((spec, domain), arrays)| match arrays.idx {
        Some(idx) if spec.measured => (0..idx.len()).map(|at| idx.at(at)).fold(0, i64::min),
        _ => domain.lo,
    });
    Ok(lowest.collect())
}
