//! Infers the extents of a kernel's indices, and reports operands that disagree about them.

use crate::error::{Error, ErrorKind};

/// What is known about one read of an operand before the kernel runs.
pub struct Operand<'a> {
    name: &'static str,
    indices: &'a [usize],
    extents: Option<&'a [usize]>,
    len: Option<usize>,
}

impl<'a> Operand<'a> {
    /// Creates a sparse operand: its name in the kernel's statement, the kernel index that each of its dims uses, and its
    /// shape.
    #[must_use]
    #[inline]
    pub fn sparse(name: &'static str, indices: &'a [usize], shape: &'a [usize]) -> Self {
        Operand {
            name,
            indices,
            extents: Some(shape),
            len: None,
        }
    }

    /// Creates a dense operand, with its extents if it knows them, and its number of elements.
    #[must_use]
    #[inline]
    pub fn dense(name: &'static str, indices: &'a [usize], extents: Option<&'a [usize]>, len: usize) -> Self {
        Operand {
            name,
            indices,
            extents,
            len: Some(len),
        }
    }

    /// Names an extent of this operand: `4 columns`.
    fn part(&self, dim: usize, extent: usize) -> String {
        let s = if extent == 1 { "" } else { "s" };
        match (self.indices.len(), dim) {
            (1, _) => format!("{extent} element{s}"),
            (2, 0) => format!("{extent} row{s}"),
            (2, _) => format!("{extent} column{s}"),
            _ => format!("extent {extent} in dim {dim}"),
        }
    }
}

/// The extent of an index, and the dim of the operand that determined it.
#[derive(Clone, Copy)]
struct Known<'a> {
    extent: usize,
    operand: &'a Operand<'a>,
    dim: usize,
}

impl Known<'_> {
    /// `` `A` has 4 columns ``
    fn reason(&self) -> String {
        format!(
            "`{}` has {}",
            self.operand.name,
            self.operand.part(self.dim, self.extent)
        )
    }
}

/// Returns the extent of each index of a kernel. An operand that determines an extent takes precedence over later ones;
/// sparse operands, which know their shapes, come first.
///
/// # Errors
/// `Shape`, naming the operand, if an operand does not fit or leaves an extent undetermined.
#[inline]
pub fn extents<const K: usize, const O: usize>(
    names: [&'static str; K],
    operands: &[Operand<'_>; O],
) -> Result<[usize; K], Error> {
    let mut all = [OPEN; K];
    match fit(&mut all, operands) {
        true => Ok(all),
        false => settled(&names, operands, &mut all).map(|()| all),
    }
}

/// The extent of an index that no operand has determined yet.
const OPEN: usize = usize::MAX;

/// Finds the extents if operands fit each other when each is looked at once, in order, and returns whether they do. That is so in nearly
/// all calls, and a large share of the time of a small one. If it returns false, [`settled`] finds another order, or the error.
///
/// Inlined, so that nothing is left of it but the comparisons: which indices an operand has is known when it is compiled.
#[inline(always)]
fn fit<const K: usize>(extents: &mut [usize; K], operands: &[Operand<'_>]) -> bool {
    for operand in operands {
        let Some(shape) = operand.extents else { continue };
        if shape.len() != operand.indices.len() {
            return false;
        }
        for (&index, &extent) in operand.indices.iter().zip(shape) {
            if extents[index] == OPEN && extent != OPEN {
                extents[index] = extent;
            } else if extents[index] != extent || extent == OPEN {
                return false;
            }
        }
    }
    for operand in operands {
        let Some(len) = operand.len else { continue };
        let (mut product, mut open) = (1usize, None);
        for &index in operand.indices {
            match extents[index] {
                OPEN if open.is_some() => return false,
                OPEN => open = Some(index),
                extent => match product.checked_mul(extent) {
                    Some(multiple) => product = multiple,
                    None => return false,
                },
            }
        }
        match open {
            None if product == len => {}
            Some(index) if product > 0 && len % product == 0 => extents[index] = len / product,
            _ => return false,
        }
    }
    !extents.contains(&OPEN)
}

/// Finds the extents as [`extents`] does, from operands in any order.
///
/// # Errors
/// As [`extents`].
#[cold]
#[inline(never)]
pub(crate) fn settled(names: &[&'static str], operands: &[Operand<'_>], all: &mut [usize]) -> Result<(), Error> {
    let mut known = vec![None; names.len()];
    for operand in operands {
        agree(names, &mut known, operand)?;
    }
    while infer(&mut known, operands) {}
    for operand in operands {
        let Some(len) = operand.len else { continue };
        let extent = |&index: &usize| known[index].map(|known| known.extent);
        let product = operand
            .indices
            .iter()
            .map(extent)
            .try_fold(1usize, |product, extent| product.checked_mul(extent?));
        if product != Some(len) {
            return Err(misfit(names, &known, operand, len));
        }
    }
    for (index, known) in known.into_iter().enumerate() {
        let Some(known) = known else {
            let subject = format!("index `{}`", names[index]);
            let error = Error::new(ErrorKind::Shape, subject, None, "no extent", "an operand that has it");
            return Err(error.saying(format!("no operand gives the extent of index `{}`", names[index])));
        };
        all[index] = known.extent;
    }
    Ok(())
}

/// Records the extents of an operand that knows them.
fn agree<'a>(names: &[&'static str], known: &mut [Option<Known<'a>>], operand: &'a Operand<'a>) -> Result<(), Error> {
    let Some(extents) = operand.extents else {
        return Ok(());
    };
    if extents.len() != operand.indices.len() {
        return Err(another_rank(names, operand, extents.len()));
    }
    for (dim, (&index, &extent)) in operand.indices.iter().zip(extents).enumerate() {
        match known[index] {
            None => known[index] = Some(Known { extent, operand, dim }),
            Some(known) if known.extent == extent => {}
            Some(known) => return Err(disagreement(names[index], &known, operand, dim, extent)),
        }
    }
    Ok(())
}

/// Infers extents from flat operands that leave exactly one open. Returns whether it found any; if so, others may follow.
fn infer<'a>(known: &mut [Option<Known<'a>>], operands: &'a [Operand<'a>]) -> bool {
    let mut settled = false;
    for operand in operands {
        let Some(len) = operand.len else { continue };
        let dims = operand.indices.iter().copied().enumerate();
        let mut open = dims.filter(|&(_, index)| known[index].is_none());
        // An index that is read twice, `x[i, i]`, counts as two open ones.
        let (Some((dim, index)), None) = (open.next(), open.next()) else {
            continue;
        };
        let others = operand.indices.iter().filter_map(|&index| known[index]);
        let product = others.map(|known| known.extent).try_fold(1, usize::checked_mul);
        let extent = match product {
            // Any extent would fit, so another operand may determine it first.
            Some(0) if len == 0 => {
                let elsewhere =
                    |other: &Operand<'_>| other.len.is_some_and(|len| len > 0) && other.indices.contains(&index);
                (!operands.iter().any(elsewhere)).then_some(0)
            }
            Some(product) if product > 0 && len % product == 0 => Some(len / product),
            _ => None,
        };
        if let Some(extent) = extent {
            known[index] = Some(Known { extent, operand, dim });
            settled = true;
        }
    }
    settled
}

fn refused(operand: &Operand<'_>, found: String, expected: String, because: &str) -> Error {
    let sentence = format!("`{}` has {found}, but {because}", operand.name);
    Error::new(
        ErrorKind::Shape,
        format!("operand `{}`", operand.name),
        None,
        found,
        expected,
    )
    .saying(sentence)
}

/// The error for an operand whose number of dims differs from the number of indices in the kernel.
#[cold]
fn another_rank(names: &[&'static str], operand: &Operand<'_>, rank: usize) -> Error {
    let indices: Vec<&str> = operand.indices.iter().map(|&index| names[index]).collect();
    let because = format!("the kernel reads it as `{}[{}]`", operand.name, indices.join(", "));
    let s = if rank == 1 { "" } else { "s" };
    refused(
        operand,
        format!("{rank} dim{s}"),
        format!("{}", indices.len()),
        &because,
    )
}

/// The error for two different extents of one index.
#[cold]
fn disagreement(index: &str, known: &Known<'_>, operand: &Operand<'_>, dim: usize, extent: usize) -> Error {
    let because = format!("{} (index `{index}`)", known.reason());
    refused(
        operand,
        operand.part(dim, extent),
        format!("{}", known.extent),
        &because,
    )
}

/// The error for a flat operand whose length is not the product of its extents.
#[cold]
fn misfit(names: &[&'static str], known: &[Option<Known<'_>>], operand: &Operand<'_>, len: usize) -> Error {
    let s = if len == 1 { "" } else { "s" };
    let found = format!("{len} element{s}");
    let given: Vec<(&str, Known<'_>)> = operand
        .indices
        .iter()
        .filter_map(|&index| Some((names[index], known[index]?)))
        .collect();
    let mut open: Vec<usize> = operand
        .indices
        .iter()
        .copied()
        .filter(|&index| known[index].is_none())
        .collect();
    if let ([(index, known)], []) = (&given[..], &open[..]) {
        return refused(
            operand,
            found,
            format!("{}", known.extent),
            &format!("{} (index `{index}`)", known.reason()),
        );
    }
    let product = given
        .iter()
        .map(|(_, known)| known.extent)
        .try_fold(1, usize::checked_mul);
    let expected = match (open.len(), product) {
        (0, product) => {
            let factors: Vec<String> = given.iter().map(|(_, known)| known.extent.to_string()).collect();
            let equals = product.map_or_else(String::new, |product| format!(" = {product}"));
            format!("{}{equals}", factors.join(" x "))
        }
        (1, Some(product @ 1..)) => format!("a multiple of {product}"),
        (1, Some(0)) => "0".to_owned(),
        _ => {
            open.dedup();
            let open: Vec<String> = open.iter().map(|&index| format!("`{}`", names[index])).collect();
            let because = format!("no operand gives the extent of {}", open.join(" or of "));
            return refused(operand, found, "extents that are known".to_owned(), &because);
        }
    };
    let reasons: Vec<String> = given
        .iter()
        .map(|(index, known)| format!("{} (index `{index}`)", known.reason()))
        .collect();
    let because = format!("needs {expected}: {}", reasons.join(", "));
    refused(operand, found, expected, &because)
}

#[cfg(test)]
mod tests {
    use super::{Operand, extents};

    fn message<const K: usize, const O: usize>(names: [&'static str; K], operands: &[Operand<'_>; O]) -> String {
        extents(names, operands).expect_err("they do not fit").to_string()
    }

    #[test]
    fn operands_settle_the_extents_of_each_other() {
        let a = || Operand::sparse("A", &[0, 1], &[2, 3]);
        let flat = |len| Operand::dense("B", &[1, 2], None, len);
        assert_eq!(extents(["i", "k", "j"], &[a(), flat(12)]), Ok([2, 3, 4]));
        // `C` follows from `B`, whatever their order.
        let c = Operand::dense("C", &[2, 3], None, 20);
        assert_eq!(extents(["i", "k", "j", "l"], &[c, a(), flat(12)]), Ok([2, 3, 4, 5]));
        assert_eq!(
            message(["i", "k", "j"], &[a(), flat(13)]),
            "`B` has 13 elements, but needs a multiple of 3: `A` has 3 columns (index `k`)"
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
            "`B` has 4 rows, but `A` has 3 columns (index `k`)"
        );
        // One operand read twice, and one whose two dims use one index.
        assert_eq!(
            message(
                ["i", "j"],
                &[
                    Operand::sparse("A", &[0, 1], &[2, 3]),
                    Operand::sparse("A", &[1, 0], &[2, 3])
                ]
            ),
            "`A` has 2 rows, but `A` has 3 columns (index `j`)"
        );
        assert_eq!(
            message(["i"], &[Operand::sparse("A", &[0, 0], &[2, 3])]),
            "`A` has 3 columns, but `A` has 2 rows (index `i`)"
        );
    }

    #[test]
    fn an_extent_that_no_operand_knows_is_an_error() {
        assert_eq!(
            message(["i", "j"], &[Operand::sparse("A", &[0], &[2])]),
            "no operand gives the extent of index `j`"
        );
        let square = Operand::dense("x", &[1, 1], None, 9);
        assert_eq!(
            message(["i", "j"], &[Operand::sparse("A", &[0], &[2]), square]),
            "`x` has 9 elements, but no operand gives the extent of `j`"
        );
        // Products that overflow `usize` are not extents.
        let huge = Operand::dense("x", &[0, 1], None, 0);
        assert_eq!(
            message(["i", "j"], &[Operand::sparse("A", &[0, 1], &[1 << 63, 2]), huge]),
            "`x` has 0 elements, but needs 9223372036854775808 x 2: `A` has 9223372036854775808 rows (index `i`), `A` has 2 columns (index `j`)"
        );
    }

    #[test]
    fn the_sentence_names_who_expects_what() {
        let x = |len| Operand::dense("x", &[1], None, len);
        let matrix = |rows, columns| [rows, columns];
        let of = |shape: &[usize], len| message(["i", "j"], &[Operand::sparse("A", &[0, 1], shape), x(len)]);
        assert_eq!(
            of(&matrix(3, 4), 3),
            "`x` has 3 elements, but `A` has 4 columns (index `j`)"
        );
        assert_eq!(
            of(&matrix(3, 1), 0),
            "`x` has 0 elements, but `A` has 1 column (index `j`)"
        );
        let tensor = |operand| {
            message(
                ["i", "j", "k"],
                &[Operand::sparse("T", &[0, 1, 2], &[3, 4, 5]), operand],
            )
        };
        assert_eq!(
            tensor(x(5)),
            "`x` has 5 elements, but `T` has extent 4 in dim 1 (index `j`)"
        );
        let output = Operand::dense("Y", &[0, 1], None, 11);
        assert_eq!(
            tensor(output),
            "`Y` has 11 elements, but needs 3 x 4 = 12: `T` has extent 3 in dim 0 (index `i`), `T` has extent 4 in dim 1 (index `j`)"
        );
        let view = Operand::dense("x", &[1], Some(&[4, 1]), 4);
        assert_eq!(tensor(view), "`x` has 2 dims, but the kernel reads it as `x[j]`");
    }
}
