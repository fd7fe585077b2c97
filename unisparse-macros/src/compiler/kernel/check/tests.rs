//! Tests of the meaning of statements.

use super::check;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::kernel::{Kernel, Literal, Mask, Node, OperandKind, Read, Reduction};
use crate::compiler::syntax::kernel::KernelDecl;

fn kernel(statement: &str) -> Kernel {
    let declaration: KernelDecl = syn::parse_str(&format!("fn kernel: {statement};")).expect("a statement");
    let mut errors = Diagnostics::default();
    let kernel = check(&declaration, &mut errors);
    kernel.unwrap_or_else(|| panic!("{statement}: {}", errors.into_tokens()))
}

fn is_refused(statement: &str) -> bool {
    let declaration: KernelDecl = syn::parse_str(&format!("fn kernel: {statement};")).expect("a statement");
    check(&declaration, &mut Diagnostics::default()).is_none()
}

fn names(kernel: &Kernel, numbers: impl Iterator<Item = usize>) -> Vec<&str> {
    numbers.map(|number| kernel.operands[number].name.as_str()).collect()
}

#[test]
fn operands_come_in_order_of_appearance_each_once() {
    let found =
        kernel("next[j] |= beta & front[i] & A[i, j] | front[i] & A[j, i] & beta if !seen[j] where A: _, seen: _");
    assert_eq!(
        names(&found, 0..found.operands.len()),
        ["next", "beta", "front", "A", "seen"]
    );
    let kinds: Vec<_> = found
        .operands
        .iter()
        .map(|operand| (operand.kind, operand.rank, operand.is_mask))
        .collect();
    use OperandKind::{Dense, Scalar, Sparse};
    let expected = [
        (Dense, 1, false),
        (Scalar, 0, false),
        (Dense, 1, false),
        (Sparse, 2, false),
        (Sparse, 1, true),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(
        (found.indices.as_slice(), found.output.as_slice()),
        (&["j".to_owned(), "i".to_owned()][..], &[0][..])
    );
    let read = |operand, indices: &[usize]| Read {
        operand,
        indices: indices.to_vec(),
    };
    assert_eq!(
        found.reads,
        [read(2, &[1]), read(3, &[1, 0]), read(3, &[0, 1]), read(4, &[0])]
    );
    assert_eq!(found.mask, Some(Mask { read: 3, negated: true }));
    assert_eq!(found.reduction, Reduction::Or);
    let term = |read| Node::And(vec![Node::Read(0), Node::Read(read)]);
    let Node::Or(terms) = &found.value else {
        panic!("{:?}", found.value);
    };
    assert_eq!(terms[0], Node::And(vec![Node::Scalar(1), Node::Read(0), Node::Read(1)]));
    assert_ne!(terms[1], term(2));
}

#[test]
fn a_mask_that_the_value_reads_too_has_its_elements() {
    let found = kernel("y[i] = A[i, j] * x[j] if x[j] where A: _");
    assert!(found.operands.iter().all(|operand| !operand.is_mask));
    assert_eq!(found.reads.len(), 2);
}

#[test]
fn the_first_sparse_operand_of_the_value_implements_the_kernel() {
    let found = kernel("C[i, j] = x[i] * B[i, k] * A[k, j] if M[i, j] where C: _, A: _, B: _, M: _");
    assert_eq!(names(&found, found.sparse()), ["B", "A", "M", "C"]);
    assert_eq!(names(&found, std::iter::once(found.implementor())), ["B"]);
    assert_eq!(names(&found, found.others()), ["A", "M", "C"]);
}

#[test]
fn operators_bind_as_in_rust() {
    let shape = |statement: &str| format!("{:?}", kernel(statement).value);
    let same = |written: &str, meant: &str| {
        let statement = |value: &str| format!("s = {value} where A: _");
        assert_eq!(shape(&statement(written)), shape(&statement(meant)), "{written}");
    };
    same("-p * A[i] + q", "((-p) * A[i]) + q");
    same("p & A[i] + q | r", "(p & (A[i] + q)) | r");
    same("p | A[i] * q & r", "p | ((A[i] * q) & r)");
    let difference = kernel("s = p - A[i] - -2 where A: _");
    let literal = Node::Literal(Literal::Integer(2));
    let negated = |node| Node::Negated(Box::new(node));
    let expected = vec![Node::Scalar(1), negated(Node::Read(0)), negated(negated(literal))];
    assert_eq!(difference.value, Node::Sum(expected));
}

#[test]
fn functions_are_numbered_by_path() {
    let found = kernel("C[i, j] = f(A[i, j], 0.5) + self :: g(f(A[i, j], 2)) * f(A[i, j]) where A: _");
    let functions: Vec<_> = found
        .functions
        .iter()
        .map(|function| (function.name(), function.arity))
        .collect();
    let function = |name: &str, arity| (name.to_owned(), arity);
    assert_eq!(functions, [function("f", 2), function("self::g", 1), function("f", 1)]);
}

#[test]
fn a_statement_is_written_as_a_person_would() {
    for text in [
        "y[i] = alpha * A[i, j] * x[j] - (-b[i] - c[i]) - 2 * (b[i] - c[i])",
        "s min= A[i, j] + (B[j, i] - 1.5)",
        "next[j] |= front[i] & A[i, j] & (p | q) if !seen[j]",
        "C[i, j] &= -(A[i, j] + B[i, j]) * f64::max(A[i, j], <f64 as Norm>::of(B[i, j] + 1)) if M[j, i]",
    ] {
        assert_eq!(kernel(&format!("{text} where A: _")).text, text);
    }
}

#[test]
fn terms_of_a_dense_output_may_lack_its_indices() {
    let refused = |statement: &str| is_refused(&format!("{statement} where A: _"));
    assert!(!refused("y[i] = A[i, j] * x[j] + alpha"));
    assert!(!refused("y[i] = (A[i, j] + x[j]) * z[j]"));
    assert!(!refused("C[i, j] += A[j, k] * x[k] - i - 2 * z[i] if m[j]"));
    assert!(!refused("C[i, j] min= A[j, k] if m[i]"));
    // Something on the right has the index, so that there is an extent.
    assert!(refused("y[k] = A[i, j] * x[j]"));
    assert!(refused("y[k] = A[i, j] * k"));
    // The mask would sum the second term.
    assert!(refused("y[i] = A[i, j] * x[j] + z[i] if m[j]"));
    assert!(!refused("y[i] = A[i, j] * x[j] + z[j] if m[j]"));
}

#[test]
fn every_term_of_a_sparse_output_has_its_indices() {
    let refused = |statement: &str| is_refused(&format!("{statement} where A: _, C: _"));
    assert!(refused("C[i, j] = A[i, j] + A[i, i]"));
    assert!(refused("C[i, j] = A[i, j] + A[i, k] * x[k]"));
    assert!(is_refused("C[i, j] = A[i, k] if M[i, j] where A: _, C: _, M: _"));
    assert!(!refused("C[i, j] = A[i, j] * (A[i, i] + 1)"));
    // The arguments of a function are not terms, nor are the operands of a sum under `min=`.
    assert!(!refused("C[i, j] = f(A[i, j], alpha)"));
    assert!(!refused("C[i, j] min= x[i] + A[i, j]"));
}

#[test]
fn a_sparse_output_is_stored_where_the_value_is() {
    let refused = |value: &str| is_refused(&format!("C[i, j] = {value} where A: _, B: _, C: _"));
    assert!(!refused("A[i, j] + B[i, j]"));
    assert!(!refused("A[i, j] * (B[i, j] + x[j])"));
    assert!(!refused("f(A[i, j], x[j]) - B[i, j]"));
    assert!(refused("(A[i, j] + x[j]) * (B[i, j] + alpha)"));
    assert!(refused("A[i, j] | x[i] & y[j] | B[i, j]"));
    assert!(!is_refused(
        "C[i, j] min= A[i, k] + x[k] + B[k, j] where A: _, B: _, C: _"
    ));
}
