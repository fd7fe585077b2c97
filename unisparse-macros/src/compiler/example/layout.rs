//! Interleaves packed arrays.

use super::{Array, ArrayKind};
use crate::compiler::encoding::Format;

/// Interleaves the arrays of each packed range of levels that have equal length.
pub(super) fn pack(format: &Format, arrays: Vec<Array>) -> Vec<Array> {
    let last = format.levels.len();
    let range = |array: &Array| {
        let packs = || format.packs.iter().enumerate();
        let level = match array.kind {
            ArrayKind::Indices => array.level,
            ArrayKind::Values => last.checked_sub(1)?,
            ArrayKind::Size | ArrayKind::Pointers => return None,
        };
        let (at, _) = packs().find(|(_, (first, end))| (*first..=*end).contains(&level))?;
        // Arrays above a cut are not interleaved with arrays of the parts.
        Some((at, format.partition.is_some_and(|cut| level > cut)))
    };
    let lengths = |array: &Array| array.pieces.iter().map(Vec::len).collect::<Vec<_>>();
    let mut packed: Vec<Array> = Vec::new();
    // The pack to which the last arrays belong, with these arrays.
    let mut run: Option<((usize, bool), Vec<Array>)> = None;
    for array in arrays {
        let of = range(&array);
        if let (Some((pack, members)), Some(of)) = (&mut run, of) {
            if *pack == of && lengths(&members[0]) == lengths(&array) {
                members.push(array);
                continue;
            }
        }
        if let Some((_, members)) = run.take() {
            let array = interleave(&packed, &members);
            packed.push(array);
        }
        match of {
            Some(of) => run = Some((of, vec![array])),
            None => packed.push(array),
        }
    }
    if let Some((_, members)) = run {
        let array = interleave(&packed, &members);
        packed.push(array);
    }
    packed
}

/// Returns one array of tuples, cut into segments where a `ptr` array refers to it.
fn interleave(before: &[Array], members: &[Array]) -> Array {
    let first = &members[0];
    let mut array = first.clone();
    if members.len() > 1 {
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        array.name = format!("({})", names.join(", "));
        for (piece, entries) in array.pieces.iter_mut().enumerate() {
            for (at, entry) in entries.iter_mut().enumerate() {
                let tuple: Vec<&str> = members.iter().map(|member| member.pieces[piece][at].as_str()).collect();
                *entry = format!("({})", tuple.join(", "));
            }
        }
    }
    let pointers = before
        .iter()
        .find(|array| array.kind == ArrayKind::Pointers && array.level == first.level);
    if let (Some(pointers), [entries]) = (pointers, &array.pieces[..]) {
        let bounds = pointers.pieces.iter().flatten().filter_map(|bound| bound.parse().ok());
        let bounds: Vec<usize> = bounds.collect();
        array.pieces = bounds
            .windows(2)
            .map(|ends| entries[ends[0]..ends[1]].to_vec())
            .collect();
    }
    array
}
