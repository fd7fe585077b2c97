//! Random declarations: what the compiled formats do is what the interpreter says.

use std::collections::BTreeMap;

use generated::generator::Random;
use generated::interpreter::{Arrays, Format, Plan, Stored};
use unisparse::__private::Tree;
use unisparse::formats::{Coo, Csf};
use unisparse::{Limit, Source, SparseTensor};

type Elements = BTreeMap<Vec<usize>, f64>;
type Visited = Vec<(Vec<usize>, f64)>;

/// One format, whatever its type.
struct Entry {
    dims: usize,
    text: &'static str,
    seen: fn(&[usize], &Visited) -> Result<Seen, String>,
}

/// Everything there is to see of a tensor.
struct Seen {
    stored: Stored,
    holes: bool,
    nnz: usize,
    positions: usize,
    /// By `iter`.
    iterated: Visited,
    /// Through another format.
    converted: Visited,
    /// Whether the way there and back leads to the same tensor.
    back: Result<bool, String>,
    /// The product with a vector.
    product: Option<Vec<f64>>,
}

/// A list of elements as a source: one type for all formats.
struct List<'a, const N: usize> {
    shape: [usize; N],
    elements: &'a [([usize; N], f64)],
}

impl<const N: usize> Source<N> for List<'_, N> {
    type Scalar = f64;
    fn shape(&self) -> [usize; N] {
        self.shape
    }
    fn count(&self) -> usize {
        self.elements.len()
    }
    fn for_each(&self, mut visit: impl FnMut([usize; N], f64)) {
        self.elements.iter().for_each(|&(at, value)| visit(at, value));
    }
}

/// What a format offers besides its traits.
struct Own<F, const N: usize> {
    iter: fn(&F) -> Vec<([usize; N], f64)>,
    multiply: Option<fn(&F, &mut [f64], &[f64])>,
    /// To a stock format and back to a list.
    through: fn([usize; N], &[([usize; N], f64)]) -> Vec<([usize; N], f64)>,
}

fn listed<F: Source<N, Scalar = f64>, const N: usize>(tensor: &F) -> Vec<([usize; N], f64)> {
    let mut visited = Vec::new();
    tensor.for_each(|at, value| visited.push((at, value)));
    visited
}

fn through<F: SparseTensor<N, Scalar = f64>, const N: usize>(
    shape: [usize; N],
    elements: &[([usize; N], f64)],
) -> Vec<([usize; N], f64)> {
    listed(&F::assemble(&List { shape, elements }, Limit::none()).expect("a stock format"))
}

fn erased<const N: usize>(elements: &[([usize; N], f64)]) -> Visited {
    elements.iter().map(|&(at, value)| (at.to_vec(), value)).collect()
}

fn seen<F, const N: usize, const M: usize>(shape: &[usize], elements: &Visited, own: &Own<F, N>) -> Result<Seen, String>
where
    F: SparseTensor<N, Scalar = f64> + Tree<N, M, Scalar = f64> + PartialEq,
{
    let shape: [usize; N] = shape.try_into().expect("the dims");
    let elements: Vec<([usize; N], f64)> = elements
        .iter()
        .map(|(at, value)| (at[..].try_into().expect("the dims"), *value))
        .collect();
    let assemble = |elements: &[([usize; N], f64)]| F::assemble(&List { shape, elements }, Limit::none());
    let tensor = assemble(&elements).map_err(|error| error.to_string())?;
    let arrays = tensor.arrays().into_iter().map(|level| Arrays {
        ptr: level.ptr.map(|array| (0..array.len()).map(|at| array.at(at)).collect()),
        idx: level.idx.map(|array| (0..array.len()).map(|at| array.at(at)).collect()),
    });
    let visited = listed(&tensor);
    let converted = (own.through)(shape, &visited);
    let product = own.multiply.map(|multiply| {
        let mut y = vec![0.0; shape[0]];
        multiply(&tensor, &mut y, &vector(shape[N - 1]));
        y
    });
    Ok(Seen {
        stored: Stored {
            arrays: arrays.collect(),
            sizes: tensor.sizes().iter().map(|&size| size as i64).collect(),
            values: SparseTensor::values(&tensor).collect(),
            elements: erased(&visited),
        },
        holes: F::HOLES,
        nnz: SparseTensor::nnz(&tensor),
        positions: SparseTensor::stored(&tensor),
        iterated: erased(&(own.iter)(&tensor)),
        back: assemble(&converted)
            .map(|back| back == tensor)
            .map_err(|error| error.to_string()),
        converted: erased(&converted),
        product,
    })
}

fn vector(len: usize) -> Vec<f64> {
    (0..len).map(|at| (at * 7 % 5 + 1) as f64).collect()
}

macro_rules! entry {
    ($format:ident, 1, $levels:literal, $text:literal) => {
        entry!(@ $format, 1, $levels, $text, None, |_, elements| {
            let mut elements = elements.to_vec();
            elements.sort_by_key(|element| element.0);
            elements
        })
    };
    ($format:ident, 2, $levels:literal, $text:literal) => {
        entry!(@ $format, 2, $levels, $text, Some(|tensor, y, x| unisparse::kernels::spmv(y, tensor, x).expect("the extents fit")), through::<Coo<f64>, 2>)
    };
    ($format:ident, 3, $levels:literal, $text:literal) => {
        entry!(@ $format, 3, $levels, $text, None, through::<Csf<f64>, 3>)
    };
    (@ $format:ident, $dims:literal, $levels:literal, $text:literal, $multiply:expr, $through:expr) => {
        Entry {
            dims: $dims,
            text: $text,
            seen: |shape, elements| {
                let own = Own { iter: |tensor: &$format<f64>| tensor.iter().collect(), multiply: $multiply, through: $through };
                seen::<$format<f64>, $dims, $levels>(shape, elements, &own)
            },
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/formats.rs"));

/// Shapes, and how full they are: from none to all.
fn cases(dims: usize, seed: u64) -> Vec<(Vec<usize>, Elements)> {
    let shapes: &[(&[usize], usize)] = match dims {
        1 => &[(&[0], 0), (&[1], 100), (&[7], 0), (&[9], 100), (&[14], 50), (&[40], 10)],
        2 => &[
            (&[5, 4], 0),
            (&[1, 9], 60),
            (&[8, 1], 60),
            (&[0, 5], 0),
            (&[4, 0], 0),
            (&[5, 6], 100),
            (&[13, 4], 30),
            (&[4, 12], 35),
            (&[9, 8], 12),
            (&[1, 1], 100),
        ],
        _ => &[
            (&[2, 3, 2], 0),
            (&[0, 2, 3], 0),
            (&[3, 4, 2], 100),
            (&[4, 3, 5], 25),
            (&[1, 6, 4], 40),
            (&[6, 1, 1], 60),
            (&[3, 5, 6], 8),
        ],
    };
    let mut random = Random::new(seed);
    let case = |&(shape, percent): &(&[usize], usize)| {
        let count: usize = shape.iter().product();
        let mut elements = Elements::new();
        for number in 0..count {
            if random.below(100) < percent {
                let (mut at, mut rest) = (vec![0; dims], number);
                for dim in (0..dims).rev() {
                    at[dim] = rest % shape[dim];
                    rest /= shape[dim];
                }
                let value = [-2.0, -1.0, 1.0, 1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 9.0][random.below(10)];
                elements.insert(at, value);
            }
        }
        (shape.to_vec(), elements)
    };
    shapes.iter().map(case).collect()
}

/// What differs between what is seen and what is right.
fn difference(seen: &Seen, right: &Stored, plan: &Plan, shape: &[usize], elements: &Elements) -> Option<String> {
    macro_rules! same {
        ($what:literal, $seen:expr, $right:expr) => {
            if $seen != $right {
                return Some(format!("{}\n   found {:?}\nexpected {:?}", $what, $seen, $right));
            }
        };
    }
    same!("holes", seen.holes, plan.holes);
    for (level, (seen, right)) in seen.stored.arrays.iter().zip(&right.arrays).enumerate() {
        if seen != right {
            return Some(format!(
                "level {level}, a {:?} one\n   found {seen:?}\nexpected {right:?}",
                plan.statuses[level]
            ));
        }
    }
    same!("sizes", seen.stored.sizes, right.sizes);
    same!("values", seen.stored.values, right.values);
    let read: Visited = right
        .elements
        .iter()
        .filter(|element| !seen.holes || element.1 != 0.0)
        .cloned()
        .collect();
    same!("for_each", seen.stored.elements, read);
    same!("iter", seen.iterated, read);
    same!(
        "nnz and stored",
        (seen.nnz, seen.positions),
        (read.len(), right.values.len())
    );
    let mut logical = read;
    logical.sort_by(|left, right| left.0.cmp(&right.0));
    same!("converted", seen.converted, logical);
    // Where zeros were dropped the way back may lead to another tensor.
    if logical.len() == elements.len() {
        same!("there and back", seen.back, Ok::<bool, String>(true));
    }
    if let Some(product) = &seen.product {
        let mut y = vec![0.0; shape[0]];
        let x = vector(shape[1]);
        elements.iter().for_each(|(at, value)| y[at[0]] += value * x[at[1]]);
        same!("spmv", product, &y);
    }
    None
}

#[test]
fn compiled_formats_are_as_interpreted() {
    let (mut failures, mut checked, mut skipped) = (Vec::new(), 0, 0);
    for (number, entry) in TABLE.iter().enumerate() {
        let format = Format::parse(entry.text);
        let plan = format.plan();
        let mut random = Random::new(number as u64);
        for (shape, elements) in cases(entry.dims, number as u64) {
            let Some(right) = format.storage(&plan, &shape, &elements, 60_000) else {
                skipped += 1;
                continue;
            };
            checked += 1;
            let mut list: Visited = elements.clone().into_iter().collect();
            for at in (1..list.len()).rev() {
                list.swap(at, random.below(at + 1));
            }
            let what = (entry.seen)(&shape, &list)
                .map_or_else(Some, |seen| difference(&seen, &right, &plan, &shape, &elements));
            if let Some(what) = what {
                failures.push(format!("{}\nof {shape:?}: {elements:?}\n{what}\n", entry.text));
                break;
            }
        }
    }
    println!("{checked} tensors checked, {skipped} too large");
    assert!(
        failures.is_empty(),
        "{} of {} formats fail\n\n{}",
        failures.len(),
        TABLE.len(),
        failures.join("\n")
    );
}
