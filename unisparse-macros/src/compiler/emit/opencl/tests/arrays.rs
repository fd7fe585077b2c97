//! Computes the arrays of a tensor from its tree alone, as an oracle of storage.

use super::super::arguments::ArgumentKind;
use crate::compiler::brute::tree::{Entry, Tree};

/// Returns the numbers of an argument that belongs to a tensor, in order.
pub(super) fn of_tree(tree: &Tree, kind: ArgumentKind, values: &[i128]) -> Vec<i128> {
    match kind {
        ArgumentKind::Values(_) => {
            let mut stored = vec![0; usize::try_from(tree.positions).expect("a length")];
            for (&position, &value) in tree.stored.iter().zip(values) {
                stored[usize::try_from(position).expect("a position")] = value;
            }
            stored
        }
        ArgumentKind::Pointers(level) => {
            let lists = tree.entries.iter().filter(|((first, _), _)| *first == level.level);
            let mut lists: Vec<(i128, usize)> = lists.map(|((_, parent), list)| (*parent, list.len())).collect();
            lists.sort_unstable();
            let mut pointers = vec![0];
            for (number, (parent, length)) in lists.into_iter().enumerate() {
                assert_eq!(parent, number as i128, "a parent without a list");
                pointers.push(pointers[number] + length as i128);
            }
            pointers
        }
        ArgumentKind::Indices(level) => {
            let entries = entries_of_chain(tree, level.level);
            let coordinate = |entry: &&Entry| entry.path[level.level].expect("a stored level");
            entries.iter().map(coordinate).collect()
        }
        ArgumentKind::Count(level) => vec![entries_of_chain(tree, level.level).len() as i128],
        ArgumentKind::Dense(_) | ArgumentKind::Scalar(_) | ArgumentKind::Extent(_) | ArgumentKind::Parameter { .. } => {
            unreachable!("{kind:?} is not of a tensor")
        }
    }
}

/// Returns the entries of the chain to which a level belongs, by position.
fn entries_of_chain(tree: &Tree, level: usize) -> Vec<&Entry> {
    let first = tree
        .entries
        .keys()
        .map(|(first, _)| *first)
        .filter(|first| *first <= level)
        .max();
    let lists = tree.entries.iter().filter(|((of, _), _)| Some(*of) == first);
    let mut entries: Vec<&Entry> = lists.flat_map(|(_, list)| list).collect();
    entries.sort_unstable_by_key(|entry| entry.position);
    entries
}
