//! The passes over a program, in their order. Each is in a file of its own.

use super::{Output, Program, Target, parallel, transpose, vectorise, zero};
use crate::compiler::loops::{
    Array, Expr, Level, Stmt, Variables, coiterate, hoist_loads, invariant, prefetch, promote, skip_empty, tighten,
    tile, unroll, without_unused,
};

/// A change of a program that keeps what it computes.
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    /// Whether it only helps a machine.
    is_machine: bool,
    run: fn(&mut Program<'_>, &Target),
}

/// The passes from first to last.
pub(crate) const ORDER: [Pass; 14] = [
    // Conditions become bounds of loops.
    pass("tighten", |program, _| {
        each(program, |block, variables| tighten(block, variables));
    }),
    // Loops that only search become loops over what is searched.
    pass("co-iterate", |program, _| {
        let storages: Vec<_> = program.tensors.iter().map(|tensor| tensor.storage).collect();
        each(program, |block, variables| {
            let holds_runs = |level: Level| storages[level.tensor].levels[level.level].kind.is_copied();
            coiterate(block, variables, &holds_runs)
        });
    }),
    // Sums by coordinates that are invariant in a pass leave it, in tiles.
    pass("invariant", |program, _| each_dense(program, invariant)),
    // Sums of neighbouring elements that loops add to again and again are held in tiles.
    pass("tile", |program, _| each_dense(program, tile)),
    // Sums of one element leave inner loops.
    pass("promote", |program, _| {
        each_dense(program, |block, _, _| promote(block));
    }),
    // Loops that go through all of a dense output store to it instead of adding to zeros.
    pass("zero", |program, _| zero::run(program)),
    // Beside the loops over dense operands stand those over transposed copies.
    pass("transpose", transpose::run),
    // Loops over neighbouring elements are compiled for the vectors of the machine.
    machine("vectorise", |program, _| vectorise::run(program)),
    // Loops over parents skip those without entries.
    machine("skip empty", |program, _| {
        each(program, |block, variables| skip_empty(block, variables));
    }),
    // The outermost loop is divided among threads.
    pass("parallelise", parallel::run),
    // Passes prefetch what their later entries lead to.
    machine("prefetch", |program, _| {
        each(program, |block, variables| prefetch(block, variables));
    }),
    // Elements that loops read again and again are bound to names before them.
    machine("hoist loads", |program, _| hoist_all_loads(program)),
    // Sums of many terms are several sums side by side.
    machine("unroll", |program, _| {
        each(program, |block, variables| unroll(block, variables));
    }),
    // What nothing reads is not bound to a name.
    pass("unused", |program, _| each(program, |block, _| without_unused(block))),
];

const fn pass(name: &'static str, run: fn(&mut Program<'_>, &Target)) -> Pass {
    Pass {
        name,
        is_machine: false,
        run,
    }
}

const fn machine(name: &'static str, run: fn(&mut Program<'_>, &Target)) -> Pass {
    Pass {
        name,
        is_machine: true,
        run,
    }
}

/// Runs all passes, and calls `after` with the name of each and what it left.
pub(super) fn run<'a>(program: &mut Program<'a>, target: &Target, after: &mut dyn FnMut(&str, &Program<'a>)) {
    for Pass { name, is_machine, run } in &ORDER {
        if !is_machine || target.is_machine {
            run(program, target);
            after(name, program);
        }
    }
}

/// Changes the statements of each nest.
fn each(program: &mut Program<'_>, change: impl Fn(Vec<Stmt>, &mut Variables) -> Vec<Stmt>) {
    for nest in &mut program.nests {
        nest.body = change(std::mem::take(&mut nest.body), &mut program.variables);
    }
}

/// Changes the statements of each nest that adds to a dense output, whose coordinates and extents `change` gets.
fn each_dense(program: &mut Program<'_>, change: impl Fn(Vec<Stmt>, &[(Expr, Expr)], &mut Variables) -> Vec<Stmt>) {
    if !matches!(program.output, Output::Dense { .. }) {
        return;
    }
    let extents = program.kernel.output.iter().map(|&index| program.extents[index]);
    let extents: Vec<Expr> = extents.map(Expr::Var).collect();
    for nest in &mut program.nests {
        let coordinates: Vec<(Expr, Expr)> = nest.coordinate.iter().cloned().zip(extents.iter().cloned()).collect();
        nest.body = change(std::mem::take(&mut nest.body), &coordinates, &mut program.variables);
    }
}

fn hoist_all_loads(program: &mut Program<'_>) {
    let kernel = &program.kernel;
    let prefixes: Vec<String> = (0..program.tensors.len())
        .map(|tensor| program.prefix(tensor))
        .collect();
    let name = |array: Array| match array {
        Array::Values(tensor) => format!("{}value", prefixes[tensor]),
        Array::Dense(operand) => format!("{}_item", kernel.operands[operand].name.to_lowercase()),
        Array::Sums => "sums_item".to_owned(),
    };
    for nest in &mut program.nests {
        nest.body = hoist_loads(std::mem::take(&mut nest.body), &mut program.variables, &name);
    }
}
