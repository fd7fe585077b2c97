//! Parts of a kernel that not all element types support: functions of one element type, and literals.

use core::any::{Any, TypeId, type_name};

use crate::element::{FromFloat, FromInteger, Scalar};
use crate::error::{Error, ErrorKind};
use crate::names::short_type_name;

/// Checks that `function`, whose type is `B`, takes or returns the elements `A` that a kernel calls it with.
///
/// # Errors
/// `Type`, naming the function and both types, if they differ.
pub fn same<A: 'static, B: 'static>(function: &str) -> Result<(), Error> {
    if TypeId::of::<A>() == TypeId::of::<B>() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Type,
        format!("function `{function}`"),
        None,
        format!("elements of type `{}`", short_type_name::<A>()),
        format!("`{}`", short_type_name::<B>()),
    ))
}

/// Returns the value as `B`, after [`same`] found the types to be equal. Costs nothing: the types are constants.
///
/// # Panics
/// If the types differ.
#[inline(always)]
pub fn cast<A: Copy + 'static, B: Copy + 'static>(value: A) -> B {
    match (&value as &dyn Any).downcast_ref() {
        Some(value) => *value,
        None => panic!("`{}` is not `{}`", type_name::<A>(), type_name::<B>()),
    }
}

/// Checks that the literals of a kernel are numbers of the type that elements `T` are summed in.
///
/// # Errors
/// `Type`, naming the first literal that is no such number, and `T`.
pub fn integers<T: Scalar<Sum: FromInteger>>(literals: &[i64]) -> Result<(), Error> {
    match literals.iter().find(|&&literal| !T::Sum::holds_integer(literal)) {
        Some(literal) => Err(no_literal::<T>(literal.to_string())),
        None => Ok(()),
    }
}

/// Like [`integers`], for literals with a decimal point.
///
/// # Errors
/// The errors of [`integers`].
pub fn floats<T: Scalar<Sum: FromFloat>>(literals: &[f64]) -> Result<(), Error> {
    match literals.iter().find(|&&literal| !T::Sum::holds_float(literal)) {
        Some(literal) => Err(no_literal::<T>(format!("{literal:?}"))),
        None => Ok(()),
    }
}

#[cold]
fn no_literal<T>(literal: String) -> Error {
    Error::new(
        ErrorKind::Type,
        format!("literal `{literal}`"),
        None,
        format!("elements of type `{}`", short_type_name::<T>()),
        "a type that holds this number",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_type_is_itself_and_no_other() {
        assert!(same::<f64, f64>("relu").is_ok());
        assert_eq!(cast::<f64, f64>(-0.5).to_bits(), (-0.5f64).to_bits());
        let error = same::<f32, f64>("relu").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Type);
        assert_eq!(
            error.to_string(),
            "function `relu`: found elements of type `f32`, expected `f64`"
        );
    }

    #[test]
    fn literals_are_numbers_of_the_type() {
        assert!(integers::<u8>(&[0, 255]).is_ok() && integers::<f64>(&[i64::MAX, i64::MIN]).is_ok());
        assert_eq!(
            integers::<u8>(&[1, 256]).unwrap_err().to_string(),
            "literal `256`: found elements of type `u8`, expected a type that holds this number"
        );
        assert!(floats::<f32>(&[3.4e38, 1e-300]).is_ok() && floats::<f64>(&[1e308]).is_ok());
        let error = floats::<f32>(&[0.5, 1e39]).unwrap_err();
        assert_eq!((error.kind(), error.subject()), (ErrorKind::Type, "literal `1e39`"));
    }

    #[test]
    #[should_panic(expected = "`u32` is not `i32`")]
    fn another_type_is_refused() {
        let _ = cast::<u32, i32>(1);
    }
}
