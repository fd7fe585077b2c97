//! Calls of functions of one element type from kernels of any.

use core::any::{Any, TypeId, type_name};

use crate::{Error, ErrorKind};

/// Whether `function`, which a kernel calls with elements `A`, takes (or gives) these: its own are `B`.
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
        format!("elements of type `{}`", type_name::<A>()),
        format!("`{}`", type_name::<B>()),
    ))
}

/// The value as what it is, after [`same`] found the types to be one. Costs nothing: the types are constants.
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
    #[should_panic(expected = "`u32` is not `i32`")]
    fn another_type_is_refused() {
        let _ = cast::<u32, i32>(1);
    }
}
