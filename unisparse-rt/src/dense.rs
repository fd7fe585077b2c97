//! Dense operands of kernels, and the extents of their indices.

use std::borrow::Cow;

use crate::{Error, ErrorKind};

/// A dense operand that is read: a slice, `Vec` or array in row-major order, or with the feature
/// `ndarray` any array or view of that crate.
///
/// A flat slice does not know its shape; a kernel infers the one extent the sparse operand leaves open
/// from the length (`B[j, n]` with `j` rows has `len / j` columns).
pub trait Dense<T> {
    /// The extents, if the operand knows them.
    fn extents(&self) -> Option<&[usize]>;
    /// The elements in row-major order; copied only if they are not stored so.
    fn elements(&self) -> Cow<'_, [T]>
    where
        T: Clone;
    /// How many there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A dense operand that is written.
pub trait DenseMut<T>: Dense<T> {
    /// Runs `write` on the elements in row-major order.
    fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R
    where
        T: Clone;
}

macro_rules! flat {
    ($([$($generics:tt)*] $operand:ty),*) => {$(
        impl<T, $($generics)*> Dense<T> for $operand {
            fn extents(&self) -> Option<&[usize]> { None }
            fn elements(&self) -> Cow<'_, [T]> where T: Clone { Cow::Borrowed(&self[..]) }
            fn len(&self) -> usize { self[..].len() }
        }
        impl<T, $($generics)*> DenseMut<T> for $operand {
            fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R where T: Clone {
                write(&mut self[..])
            }
        }
    )*};
}

flat!([] [T], [] Vec<T>, [const L: usize] [T; L]);

impl<T, D: Dense<T> + ?Sized> Dense<T> for &D {
    fn extents(&self) -> Option<&[usize]> {
        (**self).extents()
    }
    fn elements(&self) -> Cow<'_, [T]>
    where
        T: Clone,
    {
        (**self).elements()
    }
    fn len(&self) -> usize {
        (**self).len()
    }
}

#[cfg(feature = "ndarray")]
mod arrays {
    use super::{Cow, Dense, DenseMut};
    use ndarray::{ArrayBase, Data, DataMut, Dimension};

    impl<T, S: Data<Elem = T>, D: Dimension> Dense<T> for ArrayBase<S, D> {
        fn extents(&self) -> Option<&[usize]> {
            Some(self.shape())
        }
        fn elements(&self) -> Cow<'_, [T]>
        where
            T: Clone,
        {
            match self.as_slice() {
                Some(elements) => Cow::Borrowed(elements),
                None => Cow::Owned(self.iter().cloned().collect()),
            }
        }
        fn len(&self) -> usize {
            ArrayBase::len(self)
        }
    }

    impl<T, S: DataMut<Elem = T>, D: Dimension> DenseMut<T> for ArrayBase<S, D> {
        fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R
        where
            T: Clone,
        {
            if let Some(elements) = self.as_slice_mut() {
                return write(elements);
            }
            let mut elements: Vec<T> = self.iter().cloned().collect();
            let result = write(&mut elements);
            for (place, element) in self.iter_mut().zip(elements) {
                *place = element;
            }
            result
        }
    }
}

/// What a kernel knows of an operand before it runs, for each of its reads.
pub struct Operand<'a> {
    name: &'static str,
    indices: &'a [usize],
    extents: Option<&'a [usize]>,
    len: Option<usize>,
}

impl<'a> Operand<'a> {
    /// A sparse operand, called `name` in the kernel's statement: which of the kernel's indices each of its dimensions
    /// is, and its shape.
    #[must_use]
    pub fn sparse(name: &'static str, indices: &'a [usize], shape: &'a [usize]) -> Self {
        Operand {
            name,
            indices,
            extents: Some(shape),
            len: None,
        }
    }

    /// A dense operand, with the extents if it knows them, and the number of its elements.
    #[must_use]
    pub fn dense(name: &'static str, indices: &'a [usize], extents: Option<&'a [usize]>, len: usize) -> Self {
        Operand {
            name,
            indices,
            extents,
            len: Some(len),
        }
    }
}

/// The extent of each index of a kernel. What an operand says goes before what later ones say: the sparse ones, which
/// know their shapes, are first.
///
/// # Errors
/// `Shape`, naming the operand, if one does not fit or leaves an extent open.
pub fn extents<const K: usize>(names: [&'static str; K], operands: &[Operand<'_>]) -> Result<[usize; K], Error> {
    let mut known = [None; K];
    for operand in operands {
        agree(&names, &mut known, operand)?;
    }
    while settle(&mut known, operands) {}
    for operand in operands {
        let Some(len) = operand.len else { continue };
        let extent = |&index: &usize| known[index];
        let product = operand
            .indices
            .iter()
            .map(extent)
            .try_fold(1usize, |product, extent| product.checked_mul(extent?));
        if product != Some(len) {
            return Err(misfit(&names, &known, operand, len));
        }
    }
    let mut all = [0; K];
    for (index, extent) in known.into_iter().enumerate() {
        all[index] = extent.ok_or_else(|| {
            let subject = format!("index `{}`", names[index]);
            Error::new(ErrorKind::Shape, subject, None, "no extent", "an operand that knows it")
        })?;
    }
    Ok(all)
}

/// Notes the extents of an operand that knows them.
fn agree(names: &[&'static str], known: &mut [Option<usize>], operand: &Operand<'_>) -> Result<(), Error> {
    let Some(extents) = operand.extents else {
        return Ok(());
    };
    if extents.len() != operand.indices.len() {
        let found = format!("{} dimensions", extents.len());
        return Err(shape_error(operand, found, format!("{}", operand.indices.len())));
    }
    for (&index, &extent) in operand.indices.iter().zip(extents) {
        match known[index] {
            None => known[index] = Some(extent),
            Some(known) if known == extent => {}
            Some(known) => {
                let found = format!("extent {extent} of index `{}`", names[index]);
                return Err(shape_error(operand, found, format!("{known}")));
            }
        }
    }
    Ok(())
}

/// Finds the one extent that a flat operand leaves open, which may settle another's; whether there was any.
fn settle(known: &mut [Option<usize>], operands: &[Operand<'_>]) -> bool {
    let mut settled = false;
    for operand in operands {
        let Some(len) = operand.len else { continue };
        let mut open = operand.indices.iter().copied().filter(|&index| known[index].is_none());
        // An index that is read twice, `x[i, i]`, is two open ones.
        let (Some(index), None) = (open.next(), open.next()) else {
            continue;
        };
        let others = operand.indices.iter().filter_map(|&index| known[index]);
        let extent = match others.into_iter().try_fold(1, usize::checked_mul) {
            // Any extent would do: what another operand says goes first.
            Some(0) if len == 0 => {
                let elsewhere =
                    |other: &Operand<'_>| other.len.is_some_and(|len| len > 0) && other.indices.contains(&index);
                (!operands.iter().any(elsewhere)).then_some(0)
            }
            Some(product) if product > 0 && len % product == 0 => Some(len / product),
            _ => None,
        };
        if extent.is_some() {
            known[index] = extent;
            settled = true;
        }
    }
    settled
}

#[cold]
fn shape_error(operand: &Operand<'_>, found: String, expected: String) -> Error {
    Error::new(
        ErrorKind::Shape,
        format!("operand `{}`", operand.name),
        None,
        found,
        expected,
    )
}

/// A flat operand whose length is not the product of its extents.
#[cold]
fn misfit(names: &[&'static str], known: &[Option<usize>], operand: &Operand<'_>, len: usize) -> Error {
    let extent = |&index: &usize| match known[index] {
        Some(extent) => format!("{} = {extent}", names[index]),
        None => format!("{} of unknown extent", names[index]),
    };
    let expected: Vec<String> = operand.indices.iter().map(extent).collect();
    shape_error(
        operand,
        format!("{len} elements"),
        format!("as many as [{}] has", expected.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::{Operand, extents};

    fn message<const K: usize>(names: [&'static str; K], operands: &[Operand<'_>]) -> String {
        extents(names, operands).expect_err("they do not fit").to_string()
    }

    #[test]
    fn operands_settle_the_extents_of_each_other() {
        let a = || Operand::sparse("A", &[0, 1], &[2, 3]);
        let flat = |len| Operand::dense("B", &[1, 2], None, len);
        assert_eq!(extents(["i", "k", "j"], &[a(), flat(12)]), Ok([2, 3, 4]));
        // `C` follows from `B`, wherever it stands.
        let c = Operand::dense("C", &[2, 3], None, 20);
        assert_eq!(extents(["i", "k", "j", "l"], &[c, a(), flat(12)]), Ok([2, 3, 4, 5]));
        assert_eq!(
            message(["i", "k", "j"], &[a(), flat(13)]),
            "operand `B`: found 13 elements, expected as many as [k = 3, j of unknown extent] has"
        );
    }

    #[test]
    fn a_sparse_operand_that_does_not_fit_is_named() {
        let operands = |shape| {
            [
                Operand::sparse("A", &[0, 1], &[2, 3]),
                Operand::sparse("B", &[1, 2], shape),
            ]
        };
        assert_eq!(extents(["i", "k", "j"], &operands(&[3, 7])), Ok([2, 3, 7]));
        assert_eq!(
            message(["i", "k", "j"], &operands(&[4, 7])),
            "operand `B`: found extent 4 of index `k`, expected 3"
        );
        // One operand that is read twice, and one whose two dimensions are one index.
        assert_eq!(
            message(
                ["i", "j"],
                &[
                    Operand::sparse("A", &[0, 1], &[2, 3]),
                    Operand::sparse("A", &[1, 0], &[2, 3])
                ]
            ),
            "operand `A`: found extent 2 of index `j`, expected 3"
        );
        assert_eq!(
            message(["i"], &[Operand::sparse("A", &[0, 0], &[2, 3])]),
            "operand `A`: found extent 3 of index `i`, expected 2"
        );
    }

    #[test]
    fn an_extent_that_no_operand_knows_is_an_error() {
        assert_eq!(
            message(["i", "j"], &[Operand::sparse("A", &[0], &[2])]),
            "index `j`: found no extent, expected an operand that knows it"
        );
        let square = Operand::dense("x", &[1, 1], None, 9);
        assert_eq!(
            message(["i", "j"], &[Operand::sparse("A", &[0], &[2]), square]),
            "operand `x`: found 9 elements, expected as many as [j of unknown extent, j of unknown extent] has"
        );
        // Products beyond `usize` are no extents.
        let huge = Operand::dense("x", &[0, 1], None, 0);
        assert!(
            message(["i", "j"], &[Operand::sparse("A", &[0, 1], &[usize::MAX, 2]), huge]).starts_with("operand `x`")
        );
    }
}
