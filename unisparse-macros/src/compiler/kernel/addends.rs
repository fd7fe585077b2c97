//! Splits the right side of a statement into a sum of products: products of sums are multiplied out where needed.

use std::collections::BTreeSet;

use super::{Kernel, Node, Reduction};

/// Returns the nodes whose sum is `node`, or `None` if there are too many. Products are multiplied out where a sum in
/// them has sparse terms, or terms that are summed over different indices.
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

/// Returns the nodes whose disjunction is `node`, or `None` if there are too many.
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

/// Splits a node into the terms that the reduction combines, or returns `None` if there are too many.
pub(crate) fn split(node: &Node, kernel: &Kernel) -> Option<Vec<Node>> {
    match kernel.reduction {
        Reduction::Set | Reduction::Plus => addends(node, kernel),
        Reduction::Or => disjuncts(node, kernel),
        Reduction::Min | Reduction::Max | Reduction::And => Some(vec![node.clone()]),
    }
}

/// Products of more terms than this are multiplied out only where that changes the indices of a sum.
pub(crate) const FEW: usize = 16;
/// Products that must be multiplied out to more terms than this are rejected.
pub(super) const MOST: usize = 64;

/// Whether a product must be multiplied out to more than [`MOST`] terms.
pub(super) fn has_too_many(product: &Node, kernel: &Kernel) -> bool {
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

/// Groups the parts of a factor that are summed over the same indices. The parts of a group need not be separated.
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

/// Returns the sparse reads in a node, each once.
pub(crate) fn reads(node: &Node, kernel: &Kernel) -> Vec<usize> {
    let mut found = Vec::new();
    node.for_each_read(&mut |read| {
        if kernel.is_sparse(read) && !found.contains(&read) {
            found.push(read);
        }
    });
    found
}
