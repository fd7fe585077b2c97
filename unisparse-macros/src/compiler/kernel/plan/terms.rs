//! A statement's right side as terms, each of which is evaluated where a set of reads is stored.

use std::collections::BTreeSet;

use super::Planner;
use crate::compiler::kernel::{Kernel, Node, Reduction};
use crate::compiler::loops::Value;

/// What one nest evaluates.
#[derive(Clone)]
pub(super) struct Term {
    pub(super) node: Node,
    /// The sparse reads that must be stored.
    pub(super) required: Vec<usize>,
    /// Those that must not be: another term has what they store.
    pub(super) absent: Vec<usize>,
    /// Those that may be.
    pub(super) optional: Vec<usize>,
    /// Which tensor each sparse read is of, where its operand is a sum of several.
    pub(super) tensors: Vec<usize>,
}

/// The terms, in the order written.
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
            // A sparse mask is evaluated as a factor is.
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

/// Whether there is something to evaluate without the reads that must not be stored.
fn has_value(term: &Term, planner: &Planner<'_>) -> bool {
    let open = vec![None; planner.kernel.indices.len()];
    let stored = |read: usize| (!term.absent.contains(&read)).then_some(Value::Maybe(read));
    planner.value(&term.node, &open, &stored).is_some()
}

/// One term for each choice of a tensor for each read: those of one operand are disjoint.
fn choose_tensors(planner: &Planner<'_>, term: Term, terms: &mut Vec<Term>) {
    let mut chosen = vec![term];
    for read in 0..planner.kernel.reads.len() {
        if !planner.is_sparse(read) {
            continue;
        }
        let of_operand = planner.tensors_of(read);
        // What only may be stored, or must not be, is looked for in all of them.
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

/// The nodes whose sum this one is. Products are multiplied out where a sum in them has sparse terms, or terms that are
/// summed over other indices; none if that gives too many.
fn addends(node: &Node, kernel: &Kernel) -> Option<Vec<Node>> {
    match node {
        Node::Sum(terms) => all(terms, |term| addends(term, kernel)),
        Node::Negated(inner) => {
            let negated = |addend| Node::Negated(Box::new(addend));
            Some(addends(inner, kernel)?.into_iter().map(negated).collect())
        }
        Node::Product(factors) => multiplied_out(factors, kernel, addends, Node::Sum, Node::Product),
        _ => Some(vec![node.clone()]),
    }
}

/// The nodes whose disjunction this one is; none if there are too many.
fn disjuncts(node: &Node, kernel: &Kernel) -> Option<Vec<Node>> {
    match node {
        Node::Or(terms) => all(terms, |term| disjuncts(term, kernel)),
        Node::And(factors) => multiplied_out(factors, kernel, disjuncts, Node::Or, Node::And),
        _ => Some(vec![node.clone()]),
    }
}

fn all(nodes: &[Node], split: impl Fn(&Node) -> Option<Vec<Node>>) -> Option<Vec<Node>> {
    let parts: Option<Vec<Vec<Node>>> = nodes.iter().map(split).collect();
    Some(parts?.concat())
}

/// How a node is split into the terms that the reduction puts together.
fn split(node: &Node, kernel: &Kernel) -> Option<Vec<Node>> {
    match kernel.reduction {
        Reduction::Set | Reduction::Plus => addends(node, kernel),
        Reduction::Or => disjuncts(node, kernel),
        Reduction::Min | Reduction::Max | Reduction::And => Some(vec![node.clone()]),
    }
}

/// Products of more terms than this are not multiplied out but where that changes what is summed over.
const FEW: usize = 16;
/// Products that must be multiplied out to more terms than this are refused.
pub(in crate::compiler::kernel) const MOST: usize = 64;

/// Whether a product would be multiplied out to more terms than [`MOST`].
pub(in crate::compiler::kernel) fn has_too_many(product: &Node, kernel: &Kernel) -> bool {
    split(product, kernel).is_none()
}

fn multiplied_out(
    factors: &[Node],
    kernel: &Kernel,
    split: fn(&Node, &Kernel) -> Option<Vec<Node>>,
    sum: fn(Vec<Node>) -> Node,
    product: fn(Vec<Node>) -> Node,
) -> Option<Vec<Node>> {
    let parts: Option<Vec<Vec<Node>>> = factors.iter().map(|factor| split(factor, kernel)).collect();
    let mut parts = parts?;
    for (at, factor) in factors.iter().enumerate() {
        if reads(factor, kernel).is_empty() && grouped(&parts[at], factors, at, kernel).len() == 1 {
            parts[at] = vec![factor.clone()];
        }
    }
    let count = |parts: &[Vec<Node>]| {
        parts
            .iter()
            .fold(1usize, |count, parts| count.saturating_mul(parts.len()))
    };
    if count(&parts) > FEW {
        for (at, parts) in parts.iter_mut().enumerate() {
            let groups = grouped(parts, factors, at, kernel).into_iter();
            *parts = groups
                .map(|mut group| if group.len() == 1 { group.remove(0) } else { sum(group) })
                .collect();
        }
    }
    if count(&parts) > MOST {
        return None;
    }
    let products = parts.iter().fold(vec![Vec::new()], |products: Vec<Vec<Node>>, parts| {
        let longer = products.iter().flat_map(|product| {
            let with = |part: &Node| product.iter().cloned().chain([part.clone()]).collect::<Vec<_>>();
            parts.iter().map(with)
        });
        longer.collect()
    });
    Some(products.into_iter().map(product).collect())
}

/// The parts of a factor, those together that are summed over the same indices: their sum is as good as each of them.
fn grouped(parts: &[Node], factors: &[Node], at: usize, kernel: &Kernel) -> Vec<Vec<Node>> {
    let mut bound: BTreeSet<usize> = kernel.output.iter().copied().collect();
    for (other, factor) in factors.iter().enumerate() {
        if other != at && !factor.has_sum() {
            factor.for_each_index(kernel, &mut |index| {
                bound.insert(index);
            });
        }
    }
    let mut groups: Vec<(BTreeSet<usize>, Vec<Node>)> = Vec::new();
    for part in parts {
        let mut of_part = bound.clone();
        part.for_each_index(kernel, &mut |index| {
            of_part.insert(index);
        });
        match groups.iter_mut().find(|(indices, _)| *indices == of_part) {
            Some((_, group)) => group.push(part.clone()),
            None => groups.push((of_part, vec![part.clone()])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The sparse reads in a node, each once.
pub(super) fn reads(node: &Node, kernel: &Kernel) -> Vec<usize> {
    let mut found = Vec::new();
    node.for_each_read(&mut |read| {
        if kernel.is_sparse(read) && !found.contains(&read) {
            found.push(read);
        }
    });
    found
}

type Support = (Vec<usize>, Vec<usize>, Vec<usize>);

/// Where a node is evaluated, as disjoint cases: the reads that must be stored, must not be, may be.
fn supports(node: &Node, planner: &Planner<'_>) -> Vec<Support> {
    let (mut required, mut unions, mut optional) = (Vec::new(), Vec::new(), Vec::new());
    gather(node, planner, &mut required, &mut unions, &mut optional);
    // One of many sums says where to look; what the others store is looked up there.
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
        // Each member in turn is the first that is stored.
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
    // What must be stored for one sum and must not be for another is no case.
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

/// Whether a node has a value at every coordinate, where sums are evaluated where any of their terms is.
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

/// The reads that a node needs all of, those of each sum in it, of which it needs some, and those it can do without.
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
            // A term that is stored everywhere makes the sum so.
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
