//! The arguments of a C function as bytes, and its expected result.

use std::collections::BTreeMap;
use std::convert::identity;

use unisparse::__private::Tree;
use unisparse::__private::c::{Function, Member, MemberKind, ParameterKind};
use unisparse::{Scalar, SparseTensor};

/// An element type of both languages.
pub(crate) trait Element: Scalar {
    /// The type in C.
    const TEXT: &'static str;
    /// The C type of results.
    type Result: Element;
    fn of_result(result: Self::Result) -> Self;
    fn to_result(self) -> Self::Result;
    fn to_bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
}

/// Implements `Element`: the types in Rust and in C, the type of results and its rounding, conversions to and from bytes.
macro_rules! element {
    ($element:ty, $text:literal, $result:ty, $of_result:expr, $to_bytes:expr, $from_bytes:expr) => {
        impl Element for $element {
            const TEXT: &'static str = $text;
            type Result = $result;
            fn of_result(result: $result) -> Self {
                $of_result(result)
            }
            fn to_result(self) -> $result {
                self.into()
            }
            fn to_bytes(self) -> Vec<u8> {
                $to_bytes(self)
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                $from_bytes(bytes)
            }
        }
    };
}

macro_rules! real {
    ($element:ty, $text:literal, $result:ty, $of_result:expr) => {
        element! {
            $element, $text, $result, $of_result,
            |element: $element| element.to_ne_bytes().to_vec(),
            |bytes: &[u8]| <$element>::from_ne_bytes(bytes.try_into().unwrap())
        }
    };
}

macro_rules! complex {
    ($element:ty, $text:literal, $part:ty) => {
        element! {
            $element, $text, $element, identity,
            |element: $element| [element.re.to_ne_bytes(), element.im.to_ne_bytes()].concat(),
            |bytes: &[u8]| {
                let (re, im) = bytes.split_at(size_of::<$part>());
                let part = |bytes: &[u8]| <$part>::from_ne_bytes(bytes.try_into().unwrap());
                Self::new(part(re), part(im))
            }
        }
    };
}

real!(f64, "double", f64, identity);
real!(f32, "float", f32, identity);
real!(i32, "int32_t", i32, identity);
real!(i8, "int8_t", i8, identity);
real!(i16, "int16_t", i16, identity);
real!(i64, "int64_t", i64, identity);
real!(u8, "uint8_t", u8, identity);
real!(u16, "uint16_t", u16, identity);
real!(u32, "uint32_t", u32, identity);
real!(u64, "uint64_t", u64, identity);
complex!(unisparse::Complex64, "double _Complex", f64);
complex!(unisparse::Complex32, "float _Complex", f32);
element!(
    bool,
    "bool",
    bool,
    identity,
    |element| vec![u8::from(element)],
    |bytes: &[u8]| bytes[0] != 0
);
#[cfg(feature = "half")]
real!(unisparse::f16, "unisparse_f16", f32, unisparse::f16::from_f32);
#[cfg(feature = "half")]
real!(unisparse::bf16, "unisparse_bf16", f32, unisparse::bf16::from_f32);

fn bytes<T: Element>(elements: &[T]) -> Vec<u8> {
    elements.iter().flat_map(|element| element.to_bytes()).collect()
}

/// An operand.
pub(crate) enum Input {
    /// An array with its number of elements.
    Dense(usize, Vec<u8>),
    Scalar(Vec<u8>),
    /// A tensor, or its parts.
    Tensor(Vec<Arrays>),
}

pub(crate) fn dense<T: Element>(elements: &[T]) -> Input {
    Input::Dense(elements.len(), bytes(elements))
}

pub(crate) fn scalar<T: Element>(element: T) -> Input {
    Input::Scalar(element.to_bytes())
}

/// The arrays of a tensor.
pub(crate) struct Arrays {
    levels: Vec<Level>,
    stored: usize,
    values: Vec<u8>,
}

struct Level {
    pointers: Vec<i64>,
    indices: Vec<i64>,
    size: usize,
    given: i64,
}

pub(crate) fn arrays<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> Arrays
where
    <F as Tree<N, M>>::Scalar: Element,
{
    arrays_as(tensor, identity)
}

/// The arrays of a tensor, with other elements.
pub(crate) fn arrays_as<F: Tree<N, M>, T: Element, const N: usize, const M: usize>(
    tensor: &F,
    of: impl Fn(<F as Tree<N, M>>::Scalar) -> T,
) -> Arrays {
    let (sizes, given) = (tensor.sizes(), tensor.given());
    let levels = tensor.arrays().into_iter().enumerate().map(|(level, arrays)| {
        let [pointers, indices] = [arrays.ptr, arrays.idx].map(|array| {
            let entries = array.map(|array| (0..array.len()).map(|at| array.at(at)).collect::<Vec<_>>());
            entries.unwrap_or_default()
        });
        Level {
            pointers,
            indices,
            size: sizes[level],
            given: given[level],
        }
    });
    let values: Vec<T> = (0..tensor.stored()).map(|at| of(tensor.value(at))).collect();
    Arrays {
        levels: levels.collect(),
        stored: values.len(),
        values: bytes(&values),
    }
}

/// The expected result.
pub(crate) enum Expected {
    /// The elements of the dense output, or a scalar.
    Dense(Vec<u8>),
    /// The elements by coordinate.
    Sparse(BTreeMap<Vec<usize>, Vec<u8>>),
}

/// One call of a function.
pub(crate) struct Case {
    pub(crate) function: Function,
    pub(crate) element: &'static str,
    /// The C type of results, and its size in bytes.
    pub(crate) result: &'static str,
    pub(crate) width: usize,
    /// Converts a result to an element.
    pub(crate) rounded: fn(&[u8]) -> Vec<u8>,
    pub(crate) input: Vec<u8>,
    pub(crate) expected: Expected,
    /// Adds two results.
    pub(crate) plus: fn(&[u8], &[u8]) -> Vec<u8>,
}

/// The extents of the kernel's indices in order of appearance, and the const parameters of the formats.
pub(crate) type Numbers<'a> = (&'a [usize], &'a [usize]);

/// A call whose output is dense or a scalar, with the contents before and after.
pub(crate) fn to_dense<T: Element>(
    function: Function,
    inputs: Vec<Input>,
    numbers: Numbers<'_>,
    before: &[T],
    after: &[T],
) -> Case {
    let before: Vec<T::Result> = before.iter().map(|element| element.to_result()).collect();
    let inputs = std::iter::once(dense(&before)).chain(inputs).collect();
    case::<T>(function, inputs, numbers, Expected::Dense(bytes(after)))
}

/// A call whose output is sparse.
pub(crate) fn to_sparse<T: Element, F: SparseTensor<N, Scalar = T>, const N: usize>(
    function: Function,
    inputs: Vec<Input>,
    numbers: Numbers<'_>,
    expected: &F,
) -> Case {
    let mut elements = BTreeMap::new();
    expected.for_each(|coordinate, value| {
        elements.insert(coordinate.to_vec(), value.to_bytes());
    });
    case::<T>(function, inputs, numbers, Expected::Sparse(elements))
}

fn case<T: Element>(function: Function, inputs: Vec<Input>, numbers: Numbers<'_>, expected: Expected) -> Case {
    Case {
        function,
        element: T::TEXT,
        result: T::Result::TEXT,
        width: size_of::<T::Result>(),
        rounded: |result| T::of_result(T::Result::from_bytes(result)).to_bytes(),
        input: written(&function, inputs, numbers),
        expected,
        plus: |left, right| {
            T::Result::from_bytes(left)
                .plus(T::Result::from_bytes(right))
                .to_bytes()
        },
    }
}

/// The arguments in the order of the parameters.
fn written(function: &Function, inputs: Vec<Input>, (extents, constants): Numbers<'_>) -> Vec<u8> {
    let (mut into, name) = (Vec::new(), function.name);
    let (mut inputs, mut extents, mut constants) = (inputs.into_iter(), extents.iter(), constants.iter());
    for parameter in function.parameters {
        match parameter.kind {
            ParameterKind::Output { .. }
            | ParameterKind::Partials
            | ParameterKind::Count
            | ParameterKind::Carries
            | ParameterKind::Workers
            | ParameterKind::Starts
            | ParameterKind::Keys
            | ParameterKind::Sums => {}
            ParameterKind::Extent => number(*extents.next().unwrap(), &mut into),
            ParameterKind::Constant => number(*constants.next().unwrap(), &mut into),
            kind => match (kind, inputs.next().unwrap()) {
                (ParameterKind::Dense, Input::Dense(count, elements)) => {
                    number(count, &mut into);
                    into.extend(elements);
                }
                (ParameterKind::Scalar, Input::Scalar(element)) => into.extend(element),
                (ParameterKind::Tensor { is_cut, members, .. }, Input::Tensor(parts)) => {
                    if is_cut {
                        number(parts.len(), &mut into);
                    }
                    assert!(is_cut || parts.len() == 1, "{name}");
                    for part in &parts {
                        members.iter().for_each(|member| write_member(member, part, &mut into));
                    }
                }
                _ => panic!("{name}: the operand for `{}` is of another kind", parameter.name),
            },
        }
    }
    assert!(
        inputs.next().is_none() && extents.next().is_none() && constants.next().is_none(),
        "{name}"
    );
    into
}

fn number(number: usize, into: &mut Vec<u8>) {
    into.extend((number as u64).to_ne_bytes());
}

fn write_member(member: &Member, arrays: &Arrays, into: &mut Vec<u8>) {
    let level = &arrays.levels[member.level];
    match member.kind {
        MemberKind::Given => into.extend(level.given.to_ne_bytes()),
        MemberKind::Size => number(level.size, into),
        MemberKind::Count => number(level.indices.len(), into),
        MemberKind::Pointers => write_integers(&level.pointers, member.entry, into),
        MemberKind::Indices => write_integers(&level.indices, member.entry, into),
        MemberKind::Values => {
            number(arrays.stored, into);
            into.extend(&arrays.values);
        }
        MemberKind::Entries(columns) => columns.iter().for_each(|column| write_member(column, arrays, into)),
    }
}

fn write_integers(integers: &[i64], entry: &str, into: &mut Vec<u8>) {
    number(integers.len(), into);
    for &integer in integers {
        match entry {
            "uint8_t" | "int8_t" => into.extend((integer as u8).to_ne_bytes()),
            "uint16_t" | "int16_t" => into.extend((integer as u16).to_ne_bytes()),
            "uint32_t" | "int32_t" => into.extend((integer as u32).to_ne_bytes()),
            "uint64_t" | "int64_t" | "size_t" | "ptrdiff_t" => into.extend(integer.to_ne_bytes()),
            _ => panic!("no integer type: `{entry}`"),
        }
    }
}
