//! Splits a statement's right side into terms, each of which is evaluated where a set of reads is stored.

use super::Planner;
use crate::compiler::kernel::Node;
use crate::compiler::kernel::addends::{FEW, reads, split};
use crate::compiler::loops::Value;

/// The expression that one nest evaluates.
#[derive(Clone)]
pub(super) struct Term {
    pub(super) node: Node,
    /// The sparse reads that must be stored.
    pub(super) required: Vec<usize>,
    /// The sparse reads that must not be stored; other terms cover the elements where they are.
    pub(super) absent: Vec<usize>,
    /// The sparse reads that may be stored.
    pub(super) optional: Vec<usize>,
    /// For each sparse read of a hybrid operand, the tensor that is read.
    pub(super) tensors: Vec<usize>,
}

/// Returns the terms, in the order written.
pub(super) fn terms(planner: &Planner<'_>) -> Vec<Term> {
    let kernel = planner.kernel;
    let nodes = split(&kernel.value, kernel).expect("a checked statement has few terms");
    let mut terms = Vec::new();
    for node in nodes {
        for (required, absent, optional) in supports(&node, planner) {
            let mut term = Term {
                node: node.clone(),
                required,
                absent,
                optional,
                tensors: vec![0; kernel.reads.len()],
            };
            // A sparse mask is treated as a factor.
            if let Some(mask) = kernel.mask.as_ref().filter(|mask| planner.is_sparse(mask.read)) {
                let list = if mask.negated {
                    &mut term.optional
                } else {
                    &mut term.required
                };
                if !list.contains(&mask.read) {
                    list.push(mask.read);
                }
            }
            if has_value(&term, planner) {
                choose_tensors(planner, term, &mut terms);
            }
        }
    }
    terms
}

/// Whether the term still has a value without its absent reads.
fn has_value(term: &Term, planner: &Planner<'_>) -> bool {
    let open = vec![None; planner.kernel.indices.len()];
    let stored = |read: usize| (!term.absent.contains(&read)).then_some(Value::Maybe(read));
    planner.value(&term.node, &open, &stored).is_some()
}

/// Adds one term per choice of a tensor for each required read. The tensors of one operand are disjoint.
fn choose_tensors(planner: &Planner<'_>, term: Term, terms: &mut Vec<Term>) {
    let mut chosen = vec![term];
    for read in 0..planner.kernel.reads.len() {
        if !planner.is_sparse(read) {
            continue;
        }
        let of_operand = planner.tensors_of(read);
        // Lookups of optional and absent reads search all tensors of the operand.
        let choose = |term: Term| {
            let one = term.required.contains(&read);
            let choices = if one {
                of_operand.as_slice()
            } else {
                &of_operand[..of_operand.len().min(1)]
            };
            let with = |&tensor: &usize| {
                let mut term = term.clone();
                term.tensors[read] = tensor;
                term
            };
            choices.iter().map(with).collect::<Vec<_>>()
        };
        chosen = chosen.into_iter().flat_map(choose).collect();
    }
    terms.extend(chosen);
}

type Support = (Vec<usize>, Vec<usize>, Vec<usize>);

/// Returns the disjoint cases in which a node is evaluated, each with its required, absent and optional reads.
fn supports(node: &Node, planner: &Planner<'_>) -> Vec<Support> {
    let (mut required, mut unions, mut optional) = (Vec::new(), Vec::new(), Vec::new());
    gather(node, planner, &mut required, &mut unions, &mut optional);
    // With too many cases, one sum determines the places, and the reads of the other sums are looked up there.
    let cases = unions
        .iter()
        .fold(1usize, |cases, union| cases.saturating_mul(union.len()));
    if cases > FEW {
        let first = (0..unions.len()).min_by_key(|&at| unions[at].len());
        let first = first.filter(|_| required.is_empty()).map(|at| unions.swap_remove(at));
        optional.extend(unions.into_iter().flatten());
        unions = first.into_iter().collect();
    }
    let mut supports: Vec<Support> = vec![(required, Vec::new(), optional)];
    for union in unions {
        // In each case, another member is the first one that is stored.
        let longer = supports.iter().flat_map(|(required, absent, optional)| {
            let case = |first: usize| {
                let (mut required, mut absent, mut optional) = (required.clone(), absent.clone(), optional.clone());
                absent.extend(&union[..first]);
                required.push(union[first]);
                optional.extend(&union[first + 1..]);
                (required, absent, optional)
            };
            (0..union.len()).map(case).collect::<Vec<_>>()
        });
        supports = longer.collect();
    }
    // A case that requires a read to be stored and absent is impossible.
    supports.retain(|(required, absent, _)| !absent.iter().any(|read| required.contains(read)));
    for (required, absent, optional) in &mut supports {
        let mut once = Vec::new();
        for &read in required.iter() {
            if !once.contains(&read) {
                once.push(read);
            }
        }
        *required = once;
        absent.sort_unstable();
        absent.dedup();
        optional.retain(|read| !required.contains(read) && !absent.contains(read));
        optional.sort_unstable();
        optional.dedup();
    }
    supports
}

/// Whether a node has a value at every coordinate, given that sums are evaluated where any term has a value.
fn is_everywhere(node: &Node, planner: &Planner<'_>) -> bool {
    match node {
        Node::Read(read) => !planner.is_sparse(*read),
        Node::Scalar(_) | Node::Literal(_) | Node::Index(_) => true,
        Node::Negated(inner) => is_everywhere(inner, planner),
        Node::Sum(terms) | Node::Or(terms) => terms.iter().any(|term| is_everywhere(term, planner)),
        Node::Product(nodes) | Node::And(nodes) | Node::Call(_, nodes) => {
            nodes.iter().all(|node| is_everywhere(node, planner))
        }
    }
}

/// Collects the reads that a node requires, the reads of each sum of which it requires some, and the optional reads.
fn gather(
    node: &Node,
    planner: &Planner<'_>,
    required: &mut Vec<usize>,
    unions: &mut Vec<Vec<usize>>,
    optional: &mut Vec<usize>,
) {
    match node {
        Node::Read(read) if planner.is_sparse(*read) => required.push(*read),
        Node::Read(_) | Node::Scalar(_) | Node::Literal(_) | Node::Index(_) => {}
        Node::Negated(inner) => gather(inner, planner, required, unions, optional),
        Node::Sum(terms) | Node::Or(terms) if planner.unites() => {
            // A term with a value everywhere gives the sum a value everywhere.
            if terms.iter().any(|term| is_everywhere(term, planner)) {
                optional.extend(reads(node, planner.kernel));
            } else {
                unions.push(reads(node, planner.kernel));
            }
        }
        Node::Product(nodes) | Node::And(nodes) | Node::Call(_, nodes) | Node::Sum(nodes) | Node::Or(nodes) => {
            for node in nodes {
                gather(node, planner, required, unions, optional);
            }
        }
    }
}
