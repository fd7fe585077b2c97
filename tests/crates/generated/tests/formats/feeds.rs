//! Conversions of the same elements from triplets in every order, and from tensors of other formats.

use std::collections::BTreeMap;

use specification::generator::Random;
use specification::interpreter::{Part, Stored};
use unisparse::__private::Tree;
use unisparse::{Error, Limit, Source, SparseTensor, Triplets, TripletsView};

use super::seen::{Visited, stored};

/// Makes a tensor of a format from these elements, and returns its storage.
type Feed = fn(&[usize], &Visited) -> Result<Part, Error>;

/// The conversions to a format.
pub(super) struct Feeds {
    pub(super) triplets: Feed,
    /// From coordinates in arrays, for some formats.
    pub(super) view: Option<Feed>,
    /// Conversions from tensors of other formats, by their name, of elements that are not zero.
    pub(super) sources: &'static [(&'static str, Feed)],
    /// The estimate for triplets, and the actual size.
    pub(super) estimate: fn(&[usize], &Visited) -> Result<[Size; 2], Error>,
    /// Whether values that are zero can be holes.
    pub(super) holes: bool,
}

/// Positions and bytes.
type Size = (u128, u128);

/// The number of tensors that were made, by their source.
#[derive(Default)]
pub(super) struct Fed(BTreeMap<&'static str, usize>);

fn array<const N: usize>(at: &[usize]) -> [usize; N] {
    at.try_into().expect("the dims")
}

fn triplets<const N: usize>(shape: &[usize], elements: &Visited) -> Triplets<f64, N> {
    let elements = elements.iter().map(|(at, value)| (array(at), *value));
    Triplets::try_from_triplets(array(shape), elements).expect("inside the shape")
}

/// From triplets.
pub(super) fn of_triplets<F, const N: usize, const M: usize>(shape: &[usize], elements: &Visited) -> Result<Part, Error>
where
    F: SparseTensor<N, Scalar = f64> + Tree<N, M, Scalar = f64>,
{
    Ok(stored(&F::assemble(&triplets(shape, elements), Limit::none())?))
}

/// From coordinates in arrays.
pub(super) fn of_view<F, const N: usize, const M: usize>(shape: &[usize], elements: &Visited) -> Result<Part, Error>
where
    F: SparseTensor<N, Scalar = f64> + Tree<N, M, Scalar = f64>,
{
    let along = |dim: usize| elements.iter().map(|(at, _)| at[dim] as u32).collect::<Vec<u32>>();
    let coordinates: [Vec<u32>; N] = std::array::from_fn(along);
    let values: Vec<f64> = elements.iter().map(|element| element.1).collect();
    let view = TripletsView::try_new(array(shape), coordinates.each_ref().map(Vec::as_slice), &values)?;
    Ok(stored(&F::assemble(&view, Limit::none())?))
}

/// Returns the estimated and the actual size.
pub(super) fn estimated<F, const N: usize>(shape: &[usize], elements: &Visited) -> Result<[Size; 2], Error>
where
    F: SparseTensor<N, Scalar = f64>,
{
    let triplets = triplets(shape, elements);
    let (estimate, made) = (F::estimate_of(&triplets)?, F::assemble(&triplets, Limit::none())?);
    Ok([
        (estimate.stored(), estimate.bytes()),
        (made.stored() as u128, made.bytes() as u128),
    ])
}

/// From a tensor of the format `S`, whose arrays may become those of `F`.
pub(super) fn of_given<S, F, const N: usize, const M: usize>(shape: &[usize], elements: &Visited) -> Result<Part, Error>
where
    S: SparseTensor<N, Scalar = f64> + Source<N, Scalar = f64>,
    F: SparseTensor<N, Scalar = f64> + Tree<N, M, Scalar = f64>,
{
    let source = S::assemble(&triplets(shape, elements), SOURCE)?;
    Ok(stored(&SparseTensor::convert_into_within::<F>(source, Limit::none())?))
}

/// From a tensor of the format `S`.
pub(super) fn of_source<S, F, const N: usize, const M: usize>(
    shape: &[usize],
    elements: &Visited,
) -> Result<Part, Error>
where
    S: SparseTensor<N, Scalar = f64> + Source<N, Scalar = f64>,
    F: SparseTensor<N, Scalar = f64> + Tree<N, M, Scalar = f64>,
{
    let source = S::assemble(&triplets(shape, elements), SOURCE)?;
    Ok(stored(&F::assemble(&source, Limit::none())?))
}

/// The memory limit for the source tensors.
const SOURCE: Limit = Limit::bytes(1 << 24);

/// Returns the elements in many orders: by the dims, reversed, by permuted dims, in the storage order of the
/// format, that reversed, nearly sorted, and shuffled.
fn orders(dims: usize, elements: &Visited, by_storage: &Visited, random: &mut Random) -> Vec<(&'static str, Visited)> {
    let by = |order: &[usize]| {
        let mut elements = elements.clone();
        elements.sort_by_key(|(at, _)| order.iter().map(|&dim| at[dim]).collect::<Vec<_>>());
        elements
    };
    let logical = by(&(0..dims).collect::<Vec<_>>());
    let reversed = |elements: &Visited| elements.iter().rev().cloned().collect::<Visited>();
    let mut nearly = logical.clone();
    if nearly.len() > 1 {
        let at = random.below(nearly.len() - 1);
        nearly.swap(at, at + 1);
    }
    let mut orders = vec![
        ("triplets in logical order", logical.clone()),
        ("triplets backwards", reversed(&logical)),
        ("triplets in the order of storage", by_storage.clone()),
        ("triplets against the order of storage", reversed(by_storage)),
        ("triplets nearly in order", nearly),
    ];
    let mut permutations = permutations(dims);
    // The first is the logical order.
    let others = permutations.split_off(1);
    let drawn: Vec<Vec<usize>> = match others.len() {
        ..=5 => others,
        _ => (0..6)
            .map(|_| random.any(&others))
            .chain(others.last().cloned())
            .collect(),
    };
    orders.extend(drawn.iter().map(|order| ("triplets by other dims first", by(order))));
    for _ in 0..2 {
        let mut shuffled = logical.clone();
        shuffle(&mut shuffled, random);
        orders.push(("shuffled triplets", shuffled));
    }
    orders
}

/// Some of the elements in two halves.
fn with_duplicates(elements: &Visited, random: &mut Random) -> Visited {
    let mut halves = Visited::new();
    for (at, value) in elements {
        if random.one_in(3) {
            halves.extend([(at.clone(), value / 2.0), (at.clone(), value / 2.0)]);
        } else {
            halves.push((at.clone(), *value));
        }
    }
    halves
}

pub(super) fn shuffle(elements: &mut Visited, random: &mut Random) {
    for at in (1..elements.len()).rev() {
        elements.swap(at, random.below(at + 1));
    }
}

/// All permutations of the dims, in lexicographic order.
fn permutations(dims: usize) -> Vec<Vec<usize>> {
    (0..dims).fold(vec![Vec::new()], |orders, _| {
        let longer = |order: Vec<usize>| {
            let rest = (0..dims).filter(|dim| !order.contains(dim)).collect::<Vec<_>>();
            rest.into_iter().map(move |dim| [&order[..], &[dim]].concat())
        };
        orders.into_iter().flat_map(longer).collect()
    })
}

/// Returns the storage of a tensor as text, in which NaN equals itself.
fn text(part: &Part) -> String {
    format!("{part:?}")
}

impl Feeds {
    /// Returns the expected storage of these elements, by the interpreter.
    fn expected(&self, right: &Stored) -> String {
        let mut elements = right.elements.clone();
        elements.retain(|element| !self.holes || element.1 != 0.0);
        text(&Part {
            arrays: right.arrays.clone(),
            sizes: right.sizes.clone(),
            values: right.values.clone(),
            elements,
        })
    }

    /// Makes the tensor from triplets in many orders. The error is the difference from `right`.
    pub(super) fn make_of_triplets(
        &self,
        shape: &[usize],
        elements: &Visited,
        right: &Stored,
        random: &mut Random,
        fed: &mut Fed,
    ) -> Result<(), String> {
        let expected = self.expected(right);
        let mut orders = orders(shape.len(), elements, &right.elements, random);
        let [estimate, made] = (self.estimate)(shape, elements).map_err(|error| error.to_string())?;
        if estimate != made {
            return Err(format!("estimated {estimate:?} of {made:?} positions and bytes"));
        }
        let mut twice = with_duplicates(elements, random);
        orders.push(("triplets with duplicates in logical order", twice.clone()));
        shuffle(&mut twice, random);
        orders.push(("shuffled triplets with duplicates", twice));
        for (order, elements) in &orders {
            let view = self.view.map(|view| (view, "a view of triplets"));
            for (feed, way) in [(self.triplets, "triplets")].into_iter().chain(view) {
                let found = feed(shape, elements).map_or_else(|error| error.to_string(), |part| text(&part));
                if found != expected {
                    return Err(format!(
                        "{way}, {order}: {elements:?}\n   found {found}\nexpected {expected}"
                    ));
                }
                fed.count(if way == "triplets" { order } else { way });
            }
        }
        Ok(())
    }

    /// Makes the tensor from tensors in other formats, of elements that are not zero.
    pub(super) fn make_of_sources(
        &self,
        shape: &[usize],
        elements: &Visited,
        right: &Stored,
        fed: &mut Fed,
    ) -> Result<(), String> {
        let expected = self.expected(right);
        for &(name, feed) in self.sources {
            let found = match feed(shape, elements) {
                Ok(part) => text(&part),
                // The source would be too large.
                Err(error) if error.kind() == unisparse::ErrorKind::Limit => continue,
                Err(error) => error.to_string(),
            };
            if found != expected {
                return Err(format!("from {name}\n   found {found}\nexpected {expected}"));
            }
            fed.count(name);
        }
        Ok(())
    }
}

impl Fed {
    fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    pub(super) fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// Returns the counts as text, with all generated sources as one.
    pub(super) fn text(&self) -> String {
        let is_generated = |name: &str| name.starts_with('G') && name[1..].starts_with(|c: char| c.is_ascii_digit());
        let (generated, others): (Vec<_>, Vec<_>) = self.0.iter().partition(|(name, _)| is_generated(name));
        let generated: usize = generated.iter().map(|(_, count)| **count).sum();
        let others = others.iter().map(|(name, count)| format!("  {count:7} {name}"));
        let lines: Vec<String> = others.chain([format!("  {generated:7} generated formats")]).collect();
        lines.join("\n")
    }
}
