//! Tests that traversals and kernels visit exactly the elements of the tree.

use proptest::prelude::*;

use super::formats::declaration;
use super::interpreter::{Run, Tensor};
use super::parameters;
use super::tree::{Tree, build};
use crate::compiler::algebra::tests::maps::PARAMETERS;
use crate::compiler::algebra::tests::{config, coordinates_of};
use crate::compiler::compiled::{self, Compiled, compile, declared};
use crate::compiler::example::{Example, Picture};
use crate::compiler::front::stock::stock;
use crate::compiler::loops::{Array, Stmt, Text, Value, Variables, tighten};
use crate::compiler::lower::{Output, Target, lower_tensors};
use crate::compiler::traversal::{Context, traverse};

/// A tensor: its shape, the values of the parameters, and its elements in lexicographic order.
#[derive(Clone, Debug)]
struct Case {
    shape: Vec<i128>,
    parameters: Vec<i128>,
    elements: Vec<Vec<i128>>,
}

impl Case {
    fn new(shape: &[i128], parameters: &[i128], chosen: &[bool]) -> Self {
        let all = coordinates_of(shape).into_iter().zip(chosen.iter().cycle());
        let elements = all
            .filter(|(_, chosen)| **chosen)
            .map(|(coordinate, _)| coordinate)
            .collect();
        Case {
            shape: shape.to_vec(),
            parameters: parameters.to_vec(),
            elements,
        }
    }
}

/// Runs the traversal, before and after its bounds are tightened.
fn check_traversal(compiled: &Compiled, case: &Case) {
    let Some(tree) = build(compiled, &case.shape, &case.parameters, &case.elements) else {
        return;
    };
    let (format, storage) = (&compiled.format, &compiled.storage);
    let mut variables = Variables::default();
    let context = Context::declare(format, storage, &mut variables);
    let loops = traverse(format, storage, &context, &mut variables, |element, _| {
        vec![Stmt::Visit {
            coordinate: element.coordinate,
            value: Value::Load(Array::Values(0), element.position),
            holes: storage.holes,
        }]
    });
    let tightened = tighten(loops.clone(), &variables);
    for loops in [loops, tightened] {
        let tensor = Tensor {
            tree: &tree,
            storage,
            values: (0..tree.positions).collect(),
        };
        let mut run = Run::new(&variables, vec![tensor]);
        run.known
            .extend(context.extents.iter().copied().zip(case.shape.iter().copied()));
        run.known
            .extend(context.parameters.iter().copied().zip(case.parameters.iter().copied()));
        run.block(&loops);
        run.visits.sort();
        assert_eq!(
            run.visits,
            tree.visits,
            "{}\n{case:?}\n{}",
            format.text,
            Text::numbered(&loops, &variables)
        );
    }
    let holes = tree.positions > case.elements.len() as i128;
    assert!(storage.holes || !holes, "{} has holes", format.text);
}

/// Runs a stock kernel of one sparse and one dense operand on integers.
fn check_kernel(name: &str, compiled: &Compiled, case: &Case) {
    let (_, kernel) = stock().find(|(_, kernel)| kernel.name == name).expect("a stock kernel");
    let sparse = &kernel.reads[0].indices;
    if compiled.format.dims.len() != sparse.len() {
        return;
    }
    let Some(tree) = build(compiled, &case.shape, &case.parameters, &case.elements) else {
        return;
    };
    let program = lower_tensors(&kernel, vec![compiled.summand(1)], &Target::RUST);
    let variables = &program.variables;
    let mut extents = vec![3; kernel.indices.len()];
    for (&index, &extent) in sparse.iter().zip(&case.shape) {
        extents[index] = extent;
    }
    let length = |indices: &[usize]| {
        let length: i128 = indices.iter().map(|&index| extents[index]).product();
        usize::try_from(length).expect("a length")
    };
    let mut values = vec![0; usize::try_from(tree.positions).expect("a length")];
    for (number, &position) in (1..).zip(&tree.stored) {
        values[usize::try_from(position).expect("a position")] = number * number;
    }
    let tensor = Tensor {
        tree: &tree,
        storage: &compiled.storage,
        values,
    };
    let mut run = Run::new(variables, vec![tensor]);
    // The previous elements of the output must not matter.
    let zero_first = program.output == Output::Dense { zero_first: true };
    let before = if zero_first { 0 } else { -99 };
    let x: Vec<i128> = (0..)
        .map(|at| at * at + 1)
        .take(length(&kernel.reads[1].indices))
        .collect();
    run.operands = vec![vec![before; length(&kernel.output)], Vec::new(), x.clone()];
    run.known
        .extend(program.extents.iter().copied().zip(extents.iter().copied()));
    run.known.extend(parameters(&[(compiled, &case.parameters)]));
    let columns = length(&kernel.output[1..]);
    let mut expected = vec![0; run.operands[0].len()];
    for (number, element) in (1i128..).zip(&case.elements) {
        for n in 0..columns {
            let [row, column] = [element[0], element[1]].map(|at| usize::try_from(at).expect("a coordinate"));
            expected[row * columns + n] += number * number * x[column * columns + n];
        }
    }
    for nest in &program.nests {
        run.block(&nest.body);
    }
    let shown: Vec<String> = program
        .nests
        .iter()
        .map(|nest| Text::numbered(&nest.body, variables))
        .collect();
    assert_eq!(
        run.operands[0],
        expected,
        "{}\n{case:?}\n{}",
        compiled.format.text,
        shown.join("")
    );
}

/// Checks that the picture's arrays are the tree's.
fn check_picture(compiled: &Compiled) {
    let (format, storage) = (&compiled.format, &compiled.storage);
    if !format.packs.is_empty() || format.partition.is_some() {
        // The arrays are not stored level by level.
        return;
    }
    let example = Example::new(format).expect("few dims");
    let tree = build(compiled, &example.extents, &example.parameters, &example.elements);
    let (Some(picture), Some(tree)) = (Picture::new(format, storage), tree) else {
        return;
    };
    let text = || format!("{}\n{}\n{}", format.text, picture.caption, picture.text(format));
    let array = |name: &str| picture.arrays.iter().find(|array| array.name == name);
    let entries = |name: &str| array(name).map(|array| array.pieces.concat());
    let mut values = vec![".".to_owned(); usize::try_from(tree.positions).expect("a length")];
    for (number, &position) in (1..).zip(&tree.stored) {
        values[usize::try_from(position).expect("a position")] = format!("{number}");
    }
    assert_eq!(entries("values"), Some(values), "{}", text());
    for first in (0..format.levels.len()).filter(|&level| storage.starts_chain(level)) {
        let mut lists: Vec<_> = tree.entries.iter().filter(|((level, _), _)| *level == first).collect();
        lists.sort_by_key(|((_, parent), _)| *parent);
        let mut pointers = vec![0];
        pointers.extend(lists.iter().scan(0, |sum, (_, list)| {
            *sum += list.len();
            Some(*sum)
        }));
        if let Some(parent) = storage.levels[first].parent {
            let pointers = pointers.iter().map(ToString::to_string).collect();
            let name = format!("{}_ptr", format.levels[parent].name);
            assert_eq!(entries(&name), Some(pointers), "{name}\n{}", text());
        }
        for level in (first..=storage.chain_end(first)).filter(|&level| storage.levels[level].kind.is_indexed()) {
            let paths = lists.iter().flat_map(|(_, list)| list.iter());
            let found = paths.map(|entry| entry.path[level].expect("stored").to_string());
            let name = format!("{}_idx", format.levels[level].name);
            assert_eq!(entries(&name), Some(found.collect()), "{name}\n{}", text());
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn pictures_of_random_formats((_, declaration) in declaration()) {
        let Ok(compiled) = compile(declaration.parse().expect("tokens")) else { return Ok(()) };
        check_picture(&compiled);
    }

    #[test]
    fn traversals_of_random_formats(
        (dims, declaration) in declaration(), shape in proptest::collection::vec(1i128..5, 3),
        parameters in proptest::collection::vec(1i128..4, PARAMETERS), chosen in proptest::collection::vec(any::<bool>(), 1..12),
    ) {
        // Coefficients of unknown sign are rejected.
        let Ok(compiled) = compile(declaration.parse().expect("tokens")) else { return Ok(()) };
        check_traversal(&compiled, &Case::new(&shape[..dims], &parameters, &chosen));
    }

    #[test]
    fn kernels_of_random_formats(
        (dims, declaration) in declaration(), shape in proptest::collection::vec(1i128..5, 3),
        parameters in proptest::collection::vec(1i128..4, PARAMETERS), chosen in proptest::collection::vec(any::<bool>(), 1..12),
    ) {
        let Ok(compiled) = compile(declaration.parse().expect("tokens")) else { return Ok(()) };
        let case = Case::new(&shape[..dims], &parameters, &chosen);
        check_kernel("spmv", &compiled, &case);
        check_kernel("spmm", &compiled, &case);
    }

    #[test]
    fn random_formats_of_empty_boxes(
        (dims, declaration) in declaration(), shape in proptest::collection::vec(0i128..2, 3),
        parameters in proptest::collection::vec(1i128..4, PARAMETERS),
    ) {
        let Ok(compiled) = compile(declaration.parse().expect("tokens")) else { return Ok(()) };
        let case = Case::new(&shape[..dims], &parameters, &[true]);
        check_traversal(&compiled, &case);
        check_kernel("spmv", &compiled, &case);
    }
}

#[test]
fn stock_formats() {
    // Formats with queries are covered by the tests that compile and run generated formats.
    let formats = compiled::stock_formats().into_iter();
    for (_, compiled) in formats.filter(|(_, compiled)| compiled.format.queries.is_empty()) {
        check_picture(&compiled);
        for shape in [[5, 4, 3], [4, 7, 2], [1, 1, 1], [0, 3, 2], [3, 0, 0], [0, 0, 0]] {
            for parameter in [1, 2, 3] {
                for chosen in [vec![false], vec![true], vec![true, false, false, true, false]] {
                    let case = Case::new(
                        &shape[..compiled.format.dims.len()],
                        &[parameter, parameter + 1, 2],
                        &chosen,
                    );
                    check_traversal(&compiled, &case);
                    check_kernel("spmv", &compiled, &case);
                    check_kernel("spmm", &compiled, &case);
                }
            }
        }
    }
}

/// Tests formats in which a pass may wrongly drop a needed condition, or keep a redundant one.
#[test]
fn formats_with_dense_and_indexed_levels_mixed() {
    let formats = [
        "format F = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(diff); }",
        "format F = |i, j| (anti: i + j, diff: j - i) { trim(anti); }",
        "format F = |i, j| (anti: i + j, diff: j - i) {}",
        "format F = |i, j| (anti: i + j, diff: j - i) { trim(diff); }",
        "format F = |i, j| (diag: j - i, row: i, col: j) { merge(diag); trim(row); }",
        "format F = |i, j| ((j - i) / 4, i, (j - i) % 4) { merge(0); trim(0); }",
        "format F = |i, j| (quarter: j / 4, row: i, col: j) { trim(row); }",
        "format F = |i, j| (lane: i % 2, row: i, col: j) { merge(lane, row); trim(col); }",
        "format F = |i, j| (lane: i % 2, col: j, row: i) { merge(lane); trim(col); }",
        "format F = |i, j| (twice: 2 * i, col: j) { merge(twice); trim(col); }",
        "format F = |i, j| (mix: 3 * i + j, row: i) { trim(mix); }",
        "format F = |i, j| (row: i, mix: 3 * i + 2 * j) { merge(row); trim(mix); }",
        "format F<const B: usize> = |i, j| (mix: B * i + B * j, diff: j - i) { trim(mix); }",
        "format F<const B: usize> = |i, j| (b: (i + j) / B, r: (i + j) % B, row: i) { merge(b); trim(r); }",
    ];
    for text in formats {
        let compiled = declared(text);
        check_picture(&compiled);
        for shape in [[5, 4], [3, 6], [1, 1]] {
            for chosen in [vec![false], vec![true], vec![true, false, false, true, false]] {
                let case = Case::new(&shape, &[2], &chosen);
                check_traversal(&compiled, &case);
                check_kernel("spmv", &compiled, &case);
            }
        }
    }
}

/// Tests the tree itself, in cases that can be written by hand.
#[test]
fn trees_by_hand() {
    let elements = [vec![0, 1], vec![2, 0], vec![2, 2]];
    let tree = |text: &str| build(&declared(text), &[3, 3], &[], &elements).expect("small");
    let entries = |tree: &Tree, level: usize, parent: i128| -> Vec<i128> {
        tree.entries[&(level, parent)]
            .iter()
            .map(|entry| entry.position)
            .collect()
    };
    let csr = tree("format Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }");
    assert_eq!(
        [entries(&csr, 1, 0), entries(&csr, 1, 1), entries(&csr, 1, 2)],
        [vec![0], vec![], vec![1, 2]]
    );
    let coo = tree("format Coo = |i, j| (row: i, col: j) { trim(row..=col); }");
    assert_eq!((entries(&coo, 0, 0), coo.stored), (vec![0, 1, 2], vec![0, 1, 2]));
    // This is the paper's format A. Row 1 keeps one entry, which is a hole.
    let a = tree("format A = |i, j| (row: i, col: j) { trim(col); }");
    assert_eq!((entries(&a, 0, 0), a.stored), (vec![0, 1, 2, 3], vec![0, 2, 3]));
    let dia = tree("format Dia = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); }");
    assert_eq!((dia.positions, dia.stored), (9, vec![6, 2, 5]));
}
