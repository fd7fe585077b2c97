//! Everything that is observable about a tensor in a generated format.

use specification::interpreter::{Arrays, Part, Stored};
use unisparse::__private::Tree;
use unisparse::{Error, Limit, Source, SparseTensor, Triplets};

/// Elements in the order of a visit.
pub(super) type Visited = Vec<(Vec<usize>, f64)>;
type List<const N: usize> = Vec<([usize; N], f64)>;

/// The observations of a tensor.
pub(super) struct Seen {
    pub(super) stored: Stored,
    pub(super) holes: bool,
    pub(super) nnz: usize,
    pub(super) positions: usize,
    /// By `iter`.
    pub(super) iterated: Visited,
    /// Through another format.
    pub(super) converted: Visited,
    /// Whether the conversion there and back gives the same tensor.
    pub(super) back: Result<bool, String>,
    /// Whether rebuilding the tensor from its parts gives it again.
    pub(super) again: Result<bool, String>,
    /// The product with a vector.
    pub(super) product: Option<Vec<f64>>,
    /// The same, summed over parts.
    pub(super) product_of_parts: Option<Vec<f64>>,
}

/// A list of elements as a source: the type that validation uses, so that each format is compiled for one source type.
fn source<const N: usize>(shape: [usize; N], elements: &[([usize; N], f64)]) -> Triplets<f64, N> {
    Triplets::try_from_triplets(shape, elements.iter().copied()).expect("inside the shape")
}

type Multiply<F> = fn(&F, &mut [f64], &[f64]);
type Through<const N: usize> = fn([usize; N], &[([usize; N], f64)]) -> List<N>;

/// The methods of a format that are in no trait.
#[allow(clippy::type_complexity)] // Each type is written once, here.
pub(super) struct Own<F, const N: usize> {
    pub(super) iter: fn(&F) -> List<N>,
    pub(super) multiply: Option<Multiply<F>>,
    /// To a stock format and back to a list.
    pub(super) through: Through<N>,
    pub(super) again: fn(F) -> Result<F, Error>,
    pub(super) parts: Option<fn(&F) -> Vec<Part>>,
    pub(super) multiply_parts: Option<Multiply<F>>,
}

/// Calls a function with the elements of a tuple.
pub(super) trait Apply<A, R> {
    fn apply(self, arguments: A) -> R;
}

macro_rules! apply {
    ($($name:ident)*) => {
        impl<Function: FnOnce($($name),*) -> R, R, $($name),*> Apply<($($name,)*), R> for Function {
            #[allow(non_snake_case)]
            fn apply(self, ($($name,)*): ($($name,)*)) -> R {
                self($($name),*)
            }
        }
    };
    ($($name:ident)* , $next:ident $($rest:ident)*) => {
        apply!($($name)*);
        apply!($($name)* $next , $($rest)*);
    };
    ($($name:ident)* ,) => {
        apply!($($name)*);
    };
}

apply!(A , B C D E F G H I J K L M N O P Q S T U V W X Y Z);

fn listed<F: Source<N, Scalar = f64>, const N: usize>(tensor: &F) -> List<N> {
    let mut visited = Vec::new();
    tensor.for_each(|at, value| visited.push((at, value)));
    visited
}

pub(super) fn through<F: SparseTensor<N, Scalar = f64>, const N: usize>(
    shape: [usize; N],
    elements: &[([usize; N], f64)],
) -> List<N> {
    listed(&F::assemble(&source(shape, elements), Limit::none()).expect("a stock format"))
}

fn erased<const N: usize>(elements: &[([usize; N], f64)]) -> Visited {
    elements.iter().map(|&(at, value)| (at.to_vec(), value)).collect()
}

/// Returns the storage of a tensor, or of a part.
pub(super) fn stored<F, const N: usize, const M: usize>(tensor: &F) -> Part
where
    F: Tree<N, M, Scalar = f64> + Source<N, Scalar = f64>,
{
    let arrays = tensor.arrays().into_iter().map(|level| Arrays {
        ptr: level.ptr.map(|array| (0..array.len()).map(|at| array.at(at)).collect()),
        idx: level.idx.map(|array| (0..array.len()).map(|at| array.at(at)).collect()),
    });
    Part {
        arrays: arrays.collect(),
        sizes: tensor.sizes().iter().map(|&size| size as i64).collect(),
        values: (0..Tree::stored(tensor)).map(|at| tensor.value(at)).collect(),
        elements: erased(&listed(tensor)),
    }
}

/// `F` is the format, `U` what it would be if it were not cut into parts.
pub(super) fn seen<F, U, const N: usize, const M: usize>(
    shape: &[usize],
    elements: &Visited,
    own: &Own<F, N>,
) -> Result<Seen, String>
where
    F: SparseTensor<N, Scalar = f64> + PartialEq + Clone,
    U: SparseTensor<N, Scalar = f64> + Tree<N, M, Scalar = f64>,
{
    let shape: [usize; N] = shape.try_into().expect("the dims");
    let elements: List<N> = elements
        .iter()
        .map(|(at, value)| (at[..].try_into().expect("the dims"), *value))
        .collect();
    let elements = &elements[..];
    let said = |error: Error| error.to_string();
    let assemble = |elements: &[([usize; N], f64)]| F::assemble(&source(shape, elements), Limit::none());
    let tensor = assemble(elements).map_err(said)?;
    let uncut = stored(&U::assemble(&source(shape, elements), Limit::none()).map_err(said)?);
    let visited = listed(&tensor);
    let converted = (own.through)(shape, &visited);
    let iterated = erased(&(own.iter)(&tensor));
    // A tensor that stores NaN is not equal to itself.
    let is_number = elements.iter().all(|element| !element.1.is_nan());
    let same = |other: F| {
        let others = erased(&(own.iter)(&other));
        (other == tensor) == is_number && format!("{others:?}") == format!("{iterated:?}")
    };
    let product = |multiply: Multiply<F>| {
        let mut y = vec![0.0; shape[0]];
        multiply(&tensor, &mut y, &vector(shape[N - 1]));
        y
    };
    Ok(Seen {
        stored: Stored {
            arrays: uncut.arrays,
            sizes: uncut.sizes,
            values: SparseTensor::values(&tensor).collect(),
            elements: erased(&visited),
            parts: own.parts.map(|parts| parts(&tensor)).unwrap_or_default(),
        },
        holes: U::HOLES,
        nnz: SparseTensor::nnz(&tensor),
        positions: SparseTensor::stored(&tensor),
        back: assemble(&converted).map(same).map_err(said),
        again: (own.again)(tensor.clone()).map(same).map_err(said),
        product: own.multiply.map(product),
        product_of_parts: own.multiply_parts.map(product),
        converted: erased(&converted),
        iterated,
    })
}

pub(super) fn vector(len: usize) -> Vec<f64> {
    (0..len).map(|at| (at * 7 % 5 + 1) as f64).collect()
}
