//! The passes over a program, in their order. Each is in its own file.

use super::target::Threads;
use super::{Output, Program, Target, lanes, parallel, pipelines, transpose, vectorise, workers, zero};
use crate::compiler::loops::{
    Array, Arrays, Expr, Stmt, TensorLevel, Var, Variables, blocks, coiterate, hoist_loads, invariant, numbered,
    prefetch, products, promote, skip_empty, slices, tighten, tile, unroll, without_unused,
};

/// A transformation of a program that keeps its result.
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    /// Whether the pass only improves machine code.
    is_machine: bool,
    run: fn(&mut Program<'_>, &Target),
}

/// All passes, in the order in which they run.
pub(crate) const ORDER: [Pass; 20] = [
    // Turns conditions into loop bounds.
    pass("tighten", |program, _| {
        each(program, |block, variables| tighten(block, variables));
    }),
    // Replaces loops that only search by merges.
    pass("co-iterate", |program, _| {
        let storages: Vec<_> = program.tensors.iter().map(|tensor| tensor.storage).collect();
        each(program, |block, variables| {
            let holds_runs = |level: TensorLevel| storages[level.tensor].levels[level.level].kind.is_copied();
            coiterate(block, variables, &holds_runs)
        });
    }),
    // Moves tiles of sums around loops in which the places of the sums are invariant.
    pass("invariant", |program, _| each_dense(program, invariant)),
    // Holds sums of neighbouring elements, to which loops add repeatedly, in tiles.
    pass("tile", |program, _| each_dense(program, tile)),
    // Moves sums of one element out of inner loops.
    pass("promote", |program, _| {
        each_dense(program, |block, coordinates, variables| {
            promote(block, coordinates, variables)
        });
    }),
    // Makes loops that cover all of a dense output store to it instead of adding to zeros.
    pass("zero", |program, _| zero::run(program)),
    // Adds a variant of the program for transposed copies of dense operands.
    pass("transpose", transpose::run),
    // Marks nests that are worth vectorising, and sets the lengths of tiles.
    machine("vectorise", vectorise::run),
    // Makes loops over parents skip those without entries.
    machine("skip empty", |program, _| {
        each(program, |block, variables| skip_empty(block, variables));
    }),
    // Divides the outermost loops among threads.
    pass("parallelise", |program, target| match target.levels {
        [Threads::Workers, ..] => workers::run(program),
        _ => parallel::run(program, target),
    }),
    // Divides loops inside the outermost ones among the lanes of a worker.
    pass("lanes", lanes::run),
    // Makes loops over entries read the coordinates that are looked up at the numbers of their entries.
    machine("number entries", |program, target| {
        if target.slices {
            each(program, |block, _| numbered(block));
        }
    }),
    // Makes loops over entries prefetch the data that their later entries access.
    machine("prefetch", |program, target| {
        if target.prefetches() {
            each(program, |block, variables| prefetch(block, variables));
        }
    }),
    // Binds loop-invariant elements to names before the loops that read them.
    machine("hoist loads", |program, _| with_arrays(program, hoist_loads)),
    // Makes loops over entries read the values of a block as a slice.
    machine("blocks", |program, target| {
        if target.slices {
            with_arrays(program, |block, variables, arrays| {
                blocks(block, variables, &|tensor| arrays.is_packed(tensor))
            });
        }
    }),
    // Turns innermost loops into iterations over slices.
    machine("slices", |program, target| {
        if target.slices {
            with_arrays(program, slices);
        }
    }),
    // Adds sums of many terms in several independent sums.
    machine("unroll", |program, target| {
        each(program, |block, variables| unroll(block, variables, target.slices));
    }),
    // Removes names that nothing reads.
    pass("unused", |program, _| each(program, |block, _| without_unused(block))),
    // Marks tiles that are products of matrices, for which the lanes of a warp have instructions.
    machine("products", |program, target| {
        if target.levels.contains(&Threads::Lanes) {
            let variables = &program.variables;
            program
                .nests
                .iter_mut()
                .for_each(|nest| products(&mut nest.body, variables));
        }
    }),
    // Marks the loops that a pipeline executes.
    pass("pipelines", pipelines::run),
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

/// Runs all passes, and calls `after` with each pass name and the program after that pass.
pub(super) fn run<'a>(program: &mut Program<'a>, target: &Target, after: &mut dyn FnMut(&str, &Program<'a>)) {
    for Pass { name, is_machine, run } in &ORDER {
        if !is_machine || target.is_machine {
            run(program, target);
            after(name, program);
        }
    }
}

/// Transforms the statements of each nest.
fn each(program: &mut Program<'_>, change: impl Fn(Vec<Stmt>, &mut Variables) -> Vec<Stmt>) {
    for nest in &mut program.nests {
        nest.body = change(std::mem::take(&mut nest.body), &mut program.variables);
    }
}

/// Transforms the statements of each nest with a dense output. `change` gets the output's coordinates and extents.
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

/// Transforms the statements of each nest with a pass that uses properties of the arrays.
fn with_arrays(program: &mut Program<'_>, change: impl Fn(Vec<Stmt>, &mut Variables, &dyn Arrays) -> Vec<Stmt>) {
    let mut nests = std::mem::take(&mut program.nests);
    let mut variables = std::mem::take(&mut program.variables);
    for nest in &mut nests {
        nest.body = change(std::mem::take(&mut nest.body), &mut variables, program);
    }
    (program.nests, program.variables) = (nests, variables);
}

impl Arrays for Program<'_> {
    fn element(&self, array: Array) -> String {
        match array {
            Array::Values(tensor) => format!("{}value", self.prefix(tensor)),
            Array::Dense(operand) => format!("{}_item", self.kernel.operands[operand].name.to_lowercase()),
            Array::Sums => "sums_item".to_owned(),
        }
    }

    fn holds(&self, array: Array, var: Var, variables: &Variables) -> bool {
        let reads = self.kernel.reads.iter();
        let mut of_array = reads.filter(|read| array == Array::Dense(read.operand));
        of_array.any(|read| matches!(read.indices[..], [index] if variables.is_within(var, self.extents[index])))
    }

    fn is_packed(&self, tensor: usize) -> bool {
        self.tensors[tensor].storage.packs_values()
    }
}
