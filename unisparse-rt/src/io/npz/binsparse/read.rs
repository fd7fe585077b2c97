//! Reads the arrays of a file as triplets.

use super::descriptor::{Descriptor, Mirrored, ValueType};
use super::format::BinsparseLevel;
use super::levels::unpack;
use super::{Binsparse, NAME};
use crate::element::Stored;
use crate::io::npz::archive::Archive;
use crate::io::npz::npy::{Array, fault};
use crate::io::npz::number::Number;
use crate::io::npz::values::{Numbers, value_of};
use crate::io::{InFile, ReadError, ReadErrorKind};
use crate::triplets::Triplets;

/// Reads an archive with a descriptor.
///
/// # Errors
/// Those of the descriptor and of the arrays.
pub(in crate::io) fn parse<T: InFile + Stored, A: Numbers<T::Number>, const N: usize>(
    archive: &Archive,
) -> Result<Binsparse<T, N>, ReadError> {
    let descriptor = Descriptor::read(&archive.array(NAME)?.text()?)?;
    let found = format!("a tensor of {} dims", descriptor.shape.len());
    let shape: [usize; N] = descriptor.shape[..]
        .try_into()
        .map_err(|_| fault(ReadErrorKind::Arity, found, format!("{N}")))?;
    let order = descriptor.format.order();
    let extents: Vec<usize> = order.iter().map(|&dim| shape[dim]).collect();
    if descriptor.values.is_iso && !matches!(descriptor.format.levels().last(), Some(BinsparseLevel::Sparse(_))) {
        check_listed(descriptor.stored, N)?;
    }
    let count = if descriptor.values.is_iso { 1 } else { descriptor.stored };
    let numbers = of_array(
        &archive.array("values")?.of_dims(1)?,
        "values",
        descriptor.values,
        count,
    )?;
    let integers = |name: &str| {
        let mut integers = archive.array(name)?.of_dims(1)?.integers()?;
        for integer in &mut integers {
            *integer = integer.saturating_sub(descriptor.index_base);
        }
        Ok(integers)
    };
    let coordinates = unpack(descriptor.format.levels(), &extents, descriptor.stored, &integers)?;
    let mut elements = Triplets::new(shape);
    for element in 0..descriptor.stored {
        let mut at = [0; N];
        for (&dim, &coordinate) in order.iter().zip(&coordinates[element * N..]) {
            at[dim] = coordinate;
        }
        let number = numbers[if descriptor.values.is_iso { 0 } else { element }];
        elements.add(at, value_of::<T, A>(number, element, "values")?);
        if let Some(structure) = descriptor.structure {
            let [row, col] = [at[0], at[N - 1]];
            if row == col {
                continue;
            }
            if (row > col) != structure.is_lower {
                let expected = "one in the other triangle of the matrix";
                let found = format!("the element in row {row}, column {col}");
                return Err(fault(ReadErrorKind::Index, found, expected));
            }
            at.reverse();
            let number = mirrored(number, structure.mirrored).ok_or_else(|| {
                let found = format!("{number} in position {element} of the array `values`");
                fault(ReadErrorKind::Range, found, "a number that has a negative")
            })?;
            elements.add(at, value_of::<T, A>(number, element, "values")?);
        }
    }
    let fill = if descriptor.has_fill {
        let kind = ValueType {
            is_iso: true,
            ..descriptor.values
        };
        let number = of_array(&archive.array("fill_value")?, "fill_value", kind, 1)?[0];
        // A pattern has no element that reads as zero.
        (T::HAS_NUMBER || !number.is_zero())
            .then(|| value_of::<T, A>(number, 0, "fill_value"))
            .transpose()?
    } else {
        None
    };
    Ok(Binsparse {
        elements,
        format: descriptor.format,
        fill,
    })
}

/// Checks the number of elements of dense levels with one value for all: no array is as long.
fn check_listed(stored: usize, dims: usize) -> Result<(), ReadError> {
    const MOST_BYTES: usize = 1 << 30;
    let most = MOST_BYTES / (dims.max(1) * size_of::<usize>());
    if stored <= most {
        return Ok(());
    }
    let found = format!("{stored} elements of one value in dense levels");
    Err(fault(ReadErrorKind::Size, found, format!("at most {most}")))
}

/// Returns the numbers of an array.
fn of_array(array: &Array, name: &str, kind: ValueType, count: usize) -> Result<Vec<Number>, ReadError> {
    let width = if kind.is_complex { 2 } else { 1 };
    if array.len() != count.saturating_mul(width) {
        let found = format!("{} entries in the array `{name}`", array.len());
        return Err(fault(ReadErrorKind::Size, found, format!("{count} times {width}")));
    }
    let mut numbers = array.numbers()?;
    let mut one = || match (numbers.next()?, kind.is_complex) {
        (Number::Real(real), true) => match numbers.next()? {
            Number::Real(imaginary) => Some(Number::Complex(real, imaginary)),
            _ => None,
        },
        (_, true) => None,
        (number @ (Number::Unsigned(_) | Number::Signed(_)), false) if kind.is_bool => {
            Some(Number::Bool(!number.is_zero()))
        }
        (number, false) => Some(number),
    };
    let all = (0..count).map(|_| one()).collect::<Option<_>>();
    all.ok_or_else(|| {
        let found = format!("the array `{name}` of another type");
        fault(ReadErrorKind::Unsupported, found, "pairs of real numbers")
    })
}

/// Returns the number in the other triangle, if there is one.
fn mirrored(number: Number, mirrored: Mirrored) -> Option<Number> {
    Some(match (mirrored, number) {
        (Mirrored::Conjugate, Number::Complex(real, imaginary)) => Number::Complex(real, -imaginary),
        (Mirrored::Same | Mirrored::Conjugate, number) => number,
        (Mirrored::Negative, Number::Signed(integer)) => Number::Signed(integer.checked_neg()?),
        (Mirrored::Negative, Number::Real(real)) => Number::Real(-real),
        (Mirrored::Negative, Number::Complex(real, imaginary)) => Number::Complex(-real, -imaginary),
        (Mirrored::Negative, Number::Unsigned(0) | Number::Bool(false)) => number,
        (Mirrored::Negative, Number::Unsigned(_) | Number::Bool(true)) => return None,
    })
}
