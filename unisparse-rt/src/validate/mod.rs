//! Checks the invariants of a format's arrays that come from outside.

mod checked;
mod difference;
mod exact;
mod structure;

use checked::Of;

use crate::error::{Error, ErrorKind};
use crate::format::{Kind, Tree, lengths};
use crate::tensor::SparseTensor;

/// Checks that the arrays of `tensor` are the unique storage of some tensor in this format.
///
/// Lengths must be consistent. Without queries: entries ascend strictly below each parent, every entry of a trimmed level has
/// an element below it, every coordinate of an untrimmed level is present, and positions outside the shape are zero.
/// `O(stored)`. With queries: the tensor's elements must assemble to the same arrays.
///
/// # Errors
/// `Length`, `Order` or `Structure`, naming the array and the position; with queries also the errors of assembly.
pub fn check<F, const N: usize, const M: usize>(tensor: &F) -> Result<(), Error>
where
    F: Tree<N, M> + SparseTensor<N, Scalar = <F as Tree<N, M>>::Scalar>,
{
    lengths(tensor)?;
    if F::QUERIES > 0 {
        return exact::check(&Of(tensor));
    }
    structure::check(&Of(tensor))
}

/// Checks the arrays of a part by themselves. With queries, only the whole determines whether its elements belong there.
///
/// # Errors
/// As [`check`], and `OutOfBounds` if the part's node is outside the domains.
pub fn check_part<F: Tree<N, M>, const N: usize, const M: usize>(part: &F) -> Result<(), Error> {
    lengths(part)?;
    let (domains, given) = (F::domains(part.shape(), &part.sizes())?, part.given());
    let outside = |&level: &usize| F::LEVELS[level].kind == Kind::Given && !domains[level].contains(given[level]);
    if let Some(level) = (0..M).find(outside) {
        return Err(Error::new(
            ErrorKind::OutOfBounds,
            "`prefix`",
            Some(level),
            format!("coordinate {} of level `{}`", given[level], F::LEVELS[level].name),
            format!("one from {} to {}", domains[level].lo, domains[level].end() - 1),
        ));
    }
    if F::QUERIES > 0 {
        Ok(())
    } else {
        structure::check(&Of(part))
    }
}
