//! Checks formats with queries. The position of an element depends on all others, so the arrays are compared with the arrays
//! that the tensor's own elements assemble to.
//!
//! A zero in a format with holes can be a hole, or an explicit zero, which counts as an element. It is certainly an element if
//! the index of its node differs from that of a hole. Otherwise its node may be a hole: such tensors are assembled without and
//! then with the zeros in question, and finally with those zeros that were placed where they had been.

use std::collections::{HashMap, HashSet};

use super::structure::empty;
use crate::array::IndexArray;
use crate::element::Stored;
use crate::error::{Error, ErrorKind};
use crate::format::{Kind, LevelArrays, Tree};
use crate::limit::Limit;
use crate::source::{Duplicates, Elements};
use crate::tensor::SparseTensor;
use crate::triplets::Triplets;

/// Checks that the elements of `tensor` assemble to its arrays.
pub(super) fn check<F, const N: usize, const M: usize>(tensor: &F) -> Result<(), Error>
where
    F: Tree<N, M> + SparseTensor<N, Scalar = <F as Tree<N, M>>::Scalar>,
{
    let held = Held::read(tensor)?;
    let rebuilt: F = rebuild(tensor, &held.certain).map_err(|error| match error.kind() {
        ErrorKind::Duplicate => held.twice::<F>().unwrap_or(error),
        _ => error,
    })?;
    let Some(difference) = difference(tensor, &rebuilt) else {
        return Ok(());
    };
    let mut known: HashSet<[usize; N]> = held.certain.iter().map(|element| element.coordinate).collect();
    let mut possible = held.possible;
    possible.retain(|(element, _)| known.insert(element.coordinate));
    if possible.is_empty() {
        return Err(difference);
    }
    let mut elements = held.certain;
    let certain = elements.len();
    elements.extend(possible.iter().map(|&(element, _)| element));
    let Ok(rebuilt) = rebuild(tensor, &elements) else {
        return Err(difference);
    };
    if self::difference(tensor, &rebuilt).is_none() {
        return Ok(());
    }
    elements.truncate(certain);
    // The first position of a coordinate is the position of its element.
    let mut wanted: HashMap<_, _> = possible.into_iter().map(|zero| (zero.0.coordinate, zero)).collect();
    let mut visit = Elements::new(&rebuilt);
    while let Some((_, levels, coordinate)) = visit.next_position() {
        if let Some((element, wanted)) = coordinate.and_then(|at| wanted.remove(&at)) {
            if levels == wanted {
                elements.push(element);
            }
        }
    }
    match rebuild(tensor, &elements) {
        Ok(rebuilt) if self::difference(tensor, &rebuilt).is_none() => Ok(()),
        _ => Err(difference),
    }
}

/// A value and its location.
#[derive(Clone, Copy)]
struct Element<T, const N: usize> {
    coordinate: [usize; N],
    value: T,
    /// The position of its node on the lowest level with an `idx` array.
    node: usize,
}

/// The contents of a tensor.
struct Held<T, const N: usize, const M: usize> {
    certain: Vec<Element<T, N>>,
    /// Zeros that may be holes, and their level coordinates: the first zero of each node without a certain element.
    possible: Vec<(Element<T, N>, [i64; M])>,
}

impl<T: Stored, const N: usize, const M: usize> Held<T, N, M> {
    fn read<F: Tree<N, M, Scalar = T>>(tensor: &F) -> Result<Self, Error> {
        let mut held: Held<T, N, M> = Held {
            certain: Vec::with_capacity(tensor.stored()),
            possible: Vec::new(),
        };
        let (holder, lowest) = (holder::<F, N, M>(), lowest(tensor)?);
        // Holes are below a level that holds every coordinate. The levels above belong to nodes with elements.
        let above = F::LEVELS[..=holder].iter().rposition(|above| {
            matches!(
                above.kind,
                Kind::Dense | Kind::Counted { .. } | Kind::Indexed { full: true, .. }
            )
        });
        let has_coordinates = |&level: &usize| matches!(F::LEVELS[level].kind, Kind::Indexed { .. } | Kind::Aligned);
        let run: Vec<usize> = (above.map_or(0, |above| above + 1)..=holder)
            .filter(|level| has_coordinates(level) && F::LEVELS[*level].invariant_over.is_empty())
            .collect();
        let mut numbers = Numbers::new(tensor);
        let (mut node, mut settled) = (None, false);
        let mut elements = Elements::new(tensor);
        while let Some((position, levels, coordinate)) = elements.next_position() {
            let Some(coordinate) = coordinate else {
                empty::<F, N, M>(tensor, position)?;
                continue;
            };
            let at = elements.path()[holder];
            if node.replace(at) != Some(at) {
                settled = false;
            }
            let element = Element {
                coordinate,
                value: tensor.value(position),
                node: at,
            };
            if !F::HOLES || !element.value.reads_zero() {
                numbers.count(&elements, &levels);
                // The zero recorded for this node need not be an element after all.
                let taken = |last: &Element<T, N>| F::HOLES && last.node == at && last.value.reads_zero();
                if held.certain.last().is_some_and(taken) {
                    held.certain.pop();
                }
                if held.possible.last().is_some_and(|(last, _)| taken(last)) {
                    held.possible.pop();
                    numbers.places.pop();
                }
                held.certain.push(element);
                settled = true;
            } else if !settled {
                if run.iter().any(|&level| levels[level] != lowest[level]) {
                    held.certain.push(element);
                } else {
                    held.possible.push((element, levels));
                    numbers.place(&elements);
                }
                settled = true;
            }
        }
        numbers.settle(&mut held, &lowest);
        Ok(held)
    }

    /// Returns an error for the first repeated coordinate.
    fn twice<F: Tree<N, M>>(&self) -> Option<Error> {
        let mut seen = HashSet::new();
        let again = self.certain.iter().find(|element| !seen.insert(element.coordinate))?;
        Some(Error::new(
            ErrorKind::Duplicate,
            format!("`{}_idx`", F::LEVELS[holder::<F, N, M>()].name),
            Some(again.node),
            format!("coordinate {:?} again", again.coordinate),
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
    fn new<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> Self {
        let counted = |level: usize| match (F::LEVELS[level].invariant, F::LEVELS[level].invariant_over) {
            (Some(number), [over]) if number == *over => Some((level, number)),
            _ => None,
        };
        let levels = (0..M).rev().find_map(counted).filter(|_| F::HOLES);
        let invariant =
            (0..M).filter(|&level| levels.is_some_and(|(_, number)| counted(level) == Some((level, number))));
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

    /// Takes the current element as certain.
    fn count<F: Tree<N, M>, const N: usize, const M: usize>(
        &mut self,
        elements: &Elements<'_, F, N, M>,
        coordinates: &[i64; M],
    ) {
        let place = self.levels.and_then(|(level, _)| elements.invariant_position(level));
        if let (Some((_, number)), Some(place)) = (self.levels, place) {
            self.greatest[place] = self.greatest[place].max(coordinates[number]);
        }
    }

    /// Takes the current element as possible.
    fn place<F: Tree<N, M>, const N: usize, const M: usize>(&mut self, elements: &Elements<'_, F, N, M>) {
        let place = self.levels.and_then(|(level, _)| elements.invariant_position(level));
        self.places.push(place.unwrap_or(0));
    }

    /// Moves the possible zeros that are certain.
    fn settle<T: Copy, const N: usize, const M: usize>(self, held: &mut Held<T, N, M>, lowest: &[i64; M]) {
        let Some((_, number)) = self.levels else { return };
        let mut places = self.places.into_iter();
        let certain = &mut held.certain;
        held.possible.retain(|(element, coordinates)| {
            let greatest = places.next().map_or(-1, |place| self.greatest[place]);
            let is_of_elements = self.invariant.iter().any(|&level| coordinates[level] != lowest[level]);
            let is_first = coordinates[number] == 0 && is_of_elements;
            let is_certain = is_first || coordinates[number] < greatest;
            if is_certain {
                certain.push(*element);
            }
            !is_certain
        });
    }
}

/// Returns the lowest level with an `idx` array, or the last level.
fn holder<F: Tree<N, M>, const N: usize, const M: usize>() -> usize {
    let indexed = |kind: Kind| matches!(kind, Kind::Indexed { .. } | Kind::Aligned);
    let last = F::LEVELS.iter().rposition(|level| indexed(level.kind));
    last.unwrap_or(M - 1)
}

/// Returns the lowest coordinate of each level, which holes have.
fn lowest<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> Result<[i64; M], Error> {
    let (domains, arrays) = (F::domains(tensor.shape(), &tensor.sizes())?, tensor.arrays());
    Ok(core::array::from_fn(|level| match arrays[level].idx {
        Some(idx) if F::LEVELS[level].measured => (0..idx.len()).map(|at| idx.at(at)).fold(0, i64::min),
        _ => domains[level].lo,
    }))
}

/// Assembles a tensor of the shape of `tensor` with these elements.
fn rebuild<F, const N: usize>(tensor: &F, elements: &[Element<F::Scalar, N>]) -> Result<F, Error>
where
    F: SparseTensor<N>,
{
    let shape = tensor.shape();
    let triplets = elements.iter().map(|element| (element.coordinate, element.value));
    let triplets = Triplets::try_from_triplets(shape, triplets)?.duplicates(Duplicates::Reject);
    // The tensor's own size is allowed, as its arrays exist already; a large shape alone cannot raise the limit further.
    let allowed = Limit::default().allowed(elements.len(), size_of::<F::Scalar>(), &shape);
    F::assemble(&triplets, Limit::bytes(allowed.max(tensor.bytes() as u128)))
}

/// Returns an error for the first array entry in which `found` differs from `expected`.
fn difference<F: Tree<N, M>, const N: usize, const M: usize>(found: &F, expected: &F) -> Option<Error> {
    let structure = |array: &str, position: Option<usize>, found: String, expected: String| {
        Some(Error::new(
            ErrorKind::Structure,
            array,
            position,
            found,
            format!("{expected}: where the elements belong"),
        ))
    };
    let (sizes, expected_sizes) = (found.sizes(), expected.sizes());
    let (arrays, expected_arrays) = (found.arrays(), expected.arrays());
    for (level, spec) in F::LEVELS.iter().enumerate() {
        if sizes[level] != expected_sizes[level] {
            let name = format!("`{}_size`", spec.name);
            return structure(&name, None, sizes[level].to_string(), expected_sizes[level].to_string());
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
            let differs = |&at: &usize| entry(found, at) != entry(expected, at);
            if let Some(at) = (0..found.len().max(expected.len())).find(differs) {
                let (found, expected) = (text(entry(found, at)), text(entry(expected, at)));
                return structure(&format!("`{name}_{what}`"), Some(at), found, expected);
            }
        }
    }
    // NaN is not equal to itself, but counts as the same value here.
    let same = |left: F::Scalar, right: F::Scalar| left == right || (left.ne(&left) && right.ne(&right));
    let at = (0..found.stored()).find(|&at| !same(found.value(at), expected.value(at)))?;
    let (found, expected) = (found.value(at), expected.value(at));
    structure("`values`", Some(at), format!("{found:?}"), format!("{expected:?}"))
}
