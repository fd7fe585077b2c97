//! Tests of random statements over random formats: the loops must compute the statement at each coordinate.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use specification::generator::Random;
use specification::statement::{
    Access, Algebra, Element, Elements, FUNCTIONS, Operands, Reduction, Statement, draft, evaluate, format, start,
    statement, updated,
};

use super::formats::declaration;
use super::interpreter::{Run, Tensor};
use super::parameters;
use super::threads::Threads;
use super::tree::{Tree, build};
use crate::compiler::algebra::tests::{config, coordinates_of};
use crate::compiler::compiled::{Compiled, check, compile, declared, stock_formats};
use crate::compiler::emit::cuda;
use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::loops::{self, Text};
use crate::compiler::lower::{Across, Output, Program, Target, lower_observed, target};

/// A target with two levels of parallelism.
const NESTED: Target = Target {
    levels: &[target::Threads::Iterations, target::Threads::Iterations],
    ..Target::C
};

impl From<Reduction> for loops::Reduction {
    fn from(reduction: Reduction) -> Self {
        match reduction {
            Reduction::Set | Reduction::Plus => loops::Reduction::Plus,
            Reduction::Min => loops::Reduction::Min,
            Reduction::Max => loops::Reduction::Max,
            Reduction::Or => loops::Reduction::Or,
            Reduction::And => loops::Reduction::And,
        }
    }
}

/// The formats of a run, by their number of dims.
pub(super) struct Formats {
    /// All formats, beginning with simple ones.
    all: BTreeMap<usize, Vec<Compiled>>,
    /// Formats with levels that statements make constant.
    constant: BTreeMap<usize, Vec<Compiled>>,
}

impl Formats {
    pub(super) fn new() -> Self {
        let mut formats: BTreeMap<usize, Vec<Compiled>> = BTreeMap::new();
        let mut add = |compiled: Compiled| formats.entry(compiled.format.dims.len()).or_default().push(compiled);
        for text in [
            "format Vector = |i| (at: i) { trim(at); }",
            "format Full = |i| (at: i) {}",
            "format Blocks<const P: usize> = |i| (block: i / P, at: i % P) { trim(block); }",
            "format Csf = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); }",
            "format Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }",
            "format Untrimmed = |i, j| (row: i, col: j) { trim(row); }",
            "format Paper = |i, j| (row: i, col: j) { trim(col); }",
            "format Anti = |i, j| (anti: i + j, diff: j - i) { merge(anti); trim(diff); }",
        ] {
            add(declared(text));
        }
        for (_, compiled) in stock_formats() {
            if compiled.format.queries.is_empty() && compiled.format.partition.is_none() {
                add(compiled);
            }
        }
        let (mut runner, declarations) = (TestRunner::deterministic(), declaration());
        for _ in 0..600 {
            let (_, text) = declarations.new_tree(&mut runner).expect("a declaration").current();
            if let Ok(compiled) = compile(text.parse().expect("tokens")) {
                add(compiled);
            }
        }
        let constant = (1..=3).map(|dims| {
            let declared =
                (0..300).map(|seed| declared(&format(Random::new(1000 * dims as u64 + seed), "Constant", dims)));
            (dims, declared.collect())
        });
        Formats {
            all: formats,
            constant: constant.collect(),
        }
    }

    fn any(&self, rank: usize, random: &mut Random) -> &Compiled {
        let (all, constant) = (&self.all[&rank], &self.constant[&rank]);
        match random.below(5) {
            0 | 1 => &all[random.below(all.len().min(16))],
            2 => random_one(all, random),
            _ => random_one(constant, random),
        }
    }

    fn simplest(&self, rank: usize) -> &Compiled {
        &self.all[&rank][0]
    }
}

fn random_one<'a>(formats: &'a [Compiled], random: &mut Random) -> &'a Compiled {
    &formats[random.below(formats.len())]
}

/// A statement with formats and operands.
#[derive(Clone)]
pub(super) struct Case<'a> {
    statement: Statement,
    /// The format and the parameter values of each sparse input.
    pub(super) formats: BTreeMap<&'static str, (&'a Compiled, Vec<i128>)>,
    extents: Vec<usize>,
    operands: Operands<i128>,
    /// The elements of a dense output before the run.
    before: Elements<i128>,
    threads: Threads,
}

fn shape(access: &Access, extents: &[usize]) -> Vec<i128> {
    access.indices.iter().map(|&index| extents[index] as i128).collect()
}

/// Returns every coordinate of an operand.
fn coordinates(access: &Access, extents: &[usize]) -> Vec<Vec<usize>> {
    let all = coordinates_of(&shape(access, extents)).into_iter();
    all.map(|at| {
        at.into_iter()
            .map(|at| usize::try_from(at).expect("a coordinate"))
            .collect()
    })
    .collect()
}

/// Returns the elements of an operand in the order of a transposed copy, if the operand is `transposed`.
fn stored_transposed(elements: &Elements<i128>, operand: usize, transposed: &[Across]) -> Elements<i128> {
    let mut elements = elements.clone();
    for Across { along, .. } in transposed.iter().filter(|across| across.operand == operand) {
        let turn = |(mut at, value): (Vec<usize>, i128)| {
            at[along.first..].rotate_left(along.end - along.first);
            (at, value)
        };
        elements = elements.into_iter().map(turn).collect();
    }
    elements
}

impl<'a> Case<'a> {
    pub(super) fn new(seed: u64, formats: &'a Formats) -> Self {
        let statement = statement(Random::new(seed), Algebra::Integers);
        let mut random = Random::new(!seed);
        let is_stored = statement.is_sparse(statement.output.name);
        let drawn: Vec<usize> = (0..4)
            .map(|_| match random.below(30) {
                0 if !is_stored => 0,
                number => 1 + number % 4,
            })
            .collect();
        let extents: Vec<usize> = statement.classes().iter().map(|&class| drawn[class]).collect();
        let (mut chosen, mut operands) = (BTreeMap::new(), Operands::new());
        for access in statement.inputs() {
            let sparse = statement.is_sparse(access.name);
            if sparse {
                let parameters = (0..3).map(|_| 1 + random.below(3) as i128).collect();
                chosen.insert(
                    access.name,
                    (formats.any(access.indices.len(), &mut random), parameters),
                );
            }
            let mask = statement
                .mask
                .as_ref()
                .is_some_and(|mask| mask.access.name == access.name);
            let percent = if sparse {
                [0, 15, 30, 60, 100][random.below(5)]
            } else {
                100
            };
            let mut elements = Elements::new();
            for at in coordinates(access, &extents) {
                if random.below(100) < percent {
                    let value = match (mask, sparse) {
                        (true, _) => random.below(3) as i128,
                        (_, true) => [-3, -2, -1, 1, 2, 3, 4, 6][random.below(8)],
                        _ => random.below(8) as i128 - 3,
                    };
                    elements.insert(at, value);
                }
            }
            operands.insert(access.name, elements);
        }
        let before = coordinates(&statement.output, &extents)
            .into_iter()
            .map(|at| (at, random.below(20) as i128 - 10))
            .collect();
        Case {
            statement,
            formats: chosen,
            extents,
            operands,
            before,
            threads: [Threads::One, Threads::Halves, Threads::Everywhere][random.below(3)],
        }
    }

    pub(super) fn kernel(&self) -> Result<Kernel, String> {
        checked(&self.statement)
    }

    /// Returns the sparse inputs of the kernel.
    pub(super) fn inputs(&self, kernel: &Kernel) -> Vec<(usize, String)> {
        let is_sparse = |number: &usize| kernel.operands[*number].kind == OperandKind::Sparse;
        let inputs = (1..kernel.operands.len()).filter(is_sparse);
        inputs
            .map(|number| (number, kernel.operands[number].name.clone()))
            .collect()
    }

    /// Returns the trees of the sparse inputs, or `None` if one is too large.
    pub(super) fn trees(&self, inputs: &[(usize, String)]) -> Option<Vec<Tree>> {
        let tree = |(_, name): &(usize, String)| {
            let (compiled, parameters) = &self.formats[name.as_str()];
            let access = self.statement.inputs().into_iter().find(|access| access.name == *name);
            let shape = shape(access.expect("an input"), &self.extents);
            let stored = self.operands[name.as_str()].keys();
            let stored: Vec<Vec<i128>> = stored.map(|at| at.iter().map(|&at| at as i128).collect()).collect();
            build(compiled, &shape, parameters, &stored)
        };
        inputs.iter().map(tree).collect()
    }

    /// Returns the value at each position of a tensor.
    pub(super) fn values(&self, name: &str, tree: &Tree) -> Vec<i128> {
        let mut values = vec![0; usize::try_from(tree.positions).expect("a length")];
        for (&value, &position) in self.operands[name].values().zip(&tree.stored) {
            values[usize::try_from(position).expect("a position")] = value;
        }
        values
    }

    /// Returns the extents of the kernel's indices.
    pub(super) fn extents_of(&self, kernel: &Kernel) -> Vec<i128> {
        let numbers = kernel.indices.iter();
        let numbers = numbers.map(|name| ["i", "j", "k", "l"].iter().position(|known| known == name));
        numbers
            .map(|index| self.extents[index.expect("an index")] as i128)
            .collect()
    }

    /// Returns the elements of a dense operand before the run, or of a scalar.
    pub(super) fn elements(&self, name: &str) -> Vec<i128> {
        let known = self.operands.get(name).unwrap_or(&self.before);
        known.values().copied().collect()
    }

    /// Returns the difference from the expected result as an error, else whether the case was small enough to run.
    fn run(&self) -> Result<bool, String> {
        let kernel = self.kernel()?;
        let inputs = self.inputs(&kernel);
        let Some(trees) = self.trees(&inputs) else {
            return Ok(false);
        };
        let mut shown = String::new();
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let target = [Target::RUST, Target::C, NESTED, cuda::TARGET][self.extents.iter().sum::<usize>() % 4];
            for (name, program) in self.stages(&kernel, &inputs, &target) {
                shown = format!("after {name}, {:?}\n{}", program.output, text(&program));
                let found = self.interpreted(&program, &[], &inputs, &trees);
                if found != self.expected() {
                    return found;
                }
                // Run the loops over transposed copies of operands too.
                if let Some(transposed) = &program.transposed {
                    shown = format!("transposed: {:?}\n{}", transposed.copies, text(&transposed.program));
                    let found = self.interpreted(&transposed.program, &transposed.copies, &inputs, &trees);
                    if found != self.expected() {
                        return found;
                    }
                }
            }
            self.expected()
        }));
        let wrong = |what: String| Err(format!("{what}\n\n{shown}"));
        match ran {
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                wrong(
                    text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned()))
                        .unwrap_or_default(),
                )
            }
            Ok(found) => {
                let expected = self.expected();
                if found == expected {
                    return Ok(true);
                }
                wrong(format!("   found {found:?}\nexpected {expected:?}"))
            }
        }
    }

    /// Returns the program before all passes, and after each pass that changes it.
    fn stages(&self, kernel: &Kernel, inputs: &[(usize, String)], target: &Target) -> Vec<(String, Program<'a>)> {
        let tensors = inputs
            .iter()
            .map(|(number, name)| self.formats[name.as_str()].0.summand(*number));
        let mut stages: Vec<(String, Program<'a>)> = Vec::new();
        lower_observed(kernel, tensors.collect(), target, &mut |name, program| {
            let is_new = |(_, last): &(String, Program<'a>)| !last.has_same_loops(program);
            if stages.last().is_none_or(is_new) {
                stages.push((name.to_owned(), program.clone()));
            }
        });
        stages
    }

    pub(super) fn expected(&self) -> Elements<i128> {
        let Statement { output, reduction, .. } = &self.statement;
        let result = evaluate(&self.statement, &self.extents, &self.operands);
        if self.statement.is_sparse(output.name) {
            result
        } else if output.indices.is_empty() {
            updated(&Elements::from([(Vec::new(), start(*reduction))]), &result, *reduction)
        } else {
            updated(&self.before, &result, *reduction)
        }
    }

    /// Returns the result of the program over operands, some of which are `transposed`.
    fn interpreted(
        &self,
        program: &Program<'_>,
        transposed: &[Across],
        inputs: &[(usize, String)],
        trees: &[Tree],
    ) -> Elements<i128> {
        let (kernel, variables) = (&program.kernel, &program.variables);
        let tensors = inputs.iter().zip(trees).map(|((_, name), tree)| {
            let storage = &self.formats[name.as_str()].0.storage;
            Tensor {
                tree,
                storage,
                values: self.values(name, tree),
            }
        });
        let mut run = Run::new(variables, tensors.collect());
        (run.threads, run.reduction) = (self.threads, self.statement.reduction.into());
        let functions: Vec<usize> = kernel
            .functions
            .iter()
            .map(|function| {
                let known = FUNCTIONS.iter().position(|(name, _)| *name == function.name());
                known.expect("a function")
            })
            .collect();
        run.function = Box::new(move |number, arguments| i128::call(functions[number], arguments));
        run.operands = kernel
            .operands
            .iter()
            .enumerate()
            .map(|(number, operand)| {
                let known = self.operands.get(operand.name.as_str());
                known.map_or(Vec::new(), |known| {
                    stored_transposed(known, number, transposed).into_values().collect()
                })
            })
            .collect();
        let before = stored_transposed(&self.before, 0, transposed);
        let zero_first = program.output == Output::Dense { zero_first: true };
        run.operands[0] = before
            .values()
            .map(|&before| if zero_first { 0 } else { before })
            .collect();
        run.known
            .extend(program.extents.iter().copied().zip(self.extents_of(kernel)));
        let of_formats: Vec<(&Compiled, &[i128])> = inputs
            .iter()
            .map(|(_, name)| &self.formats[name.as_str()])
            .map(|(format, parameters)| (*format, parameters.as_slice()))
            .collect();
        run.known.extend(parameters(&of_formats));
        for nest in &program.nests {
            run.block(&nest.body);
        }
        let index =
            |at: Vec<i128>| -> Vec<usize> { at.into_iter().map(|at| usize::try_from(at).expect("inside")).collect() };
        match &program.output {
            Output::Dense { .. } => {
                let places = before.into_keys().map(|mut at| {
                    for Across { along, .. } in transposed.iter().filter(|across| across.operand == 0) {
                        at[along.first..].rotate_right(along.end - along.first);
                    }
                    at
                });
                places.zip(run.operands[0].iter().copied()).collect()
            }
            Output::Scalar => {
                let start: i128 = start(self.statement.reduction);
                let total = run
                    .total
                    .map_or(start, |total| start.reduced(total, self.statement.reduction));
                Elements::from([(Vec::new(), total)])
            }
            Output::Fibers { order, .. } => {
                let rises = run.appended.is_sorted_by(|(before, _), (after, _)| before < after);
                assert!(rises, "elements that do not rise: {:?}", run.appended);
                let place = |at: Vec<i128>| {
                    let mut place = vec![0; at.len()];
                    order.iter().zip(index(at)).for_each(|(&dim, at)| place[dim] = at);
                    place
                };
                run.appended.into_iter().map(|(at, value)| (place(at), value)).collect()
            }
            Output::Unordered => {
                let mut elements = Elements::new();
                for (at, value) in run.scattered {
                    let reduced = |old: i128| old.reduced(value, self.statement.reduction);
                    let at = index(at);
                    let value = elements.get(&at).copied().map_or(value, reduced);
                    elements.insert(at, value);
                }
                elements
            }
        }
    }

    /// Returns the case with parts left out.
    fn simpler(&self, formats: &'a Formats) -> Vec<Case<'a>> {
        let mut found: Vec<Case<'a>> = self
            .statement
            .simpler()
            .into_iter()
            .map(|statement| Case {
                statement,
                ..self.clone()
            })
            .collect();
        for (name, (format, parameters)) in &self.formats {
            let simplest = formats.simplest(format.format.dims.len());
            if simplest.format.text != format.format.text {
                let mut simpler = self.clone();
                simpler.formats.insert(name, (simplest, parameters.clone()));
                found.push(simpler);
            }
            for at in self.operands[name].keys() {
                let mut simpler = self.clone();
                simpler.operands.get_mut(name).expect("an operand").remove(at);
                found.push(simpler);
            }
        }
        found
    }

    /// Returns the description of the smallest case that still fails.
    fn least(mut self, mut wrong: String, formats: &'a Formats) -> String {
        while let Some((simpler, found)) = self
            .simpler(formats)
            .into_iter()
            .find_map(|simpler| simpler.run().err().map(|wrong| (simpler, wrong)))
        {
            (self, wrong) = (simpler, found);
        }
        let formats: Vec<String> = self
            .formats
            .iter()
            .filter(|(name, _)| self.statement.sparse.contains(name))
            .map(|(name, (format, parameters))| format!("{name}: {} {parameters:?}", format.format.text))
            .collect();
        let operands: Vec<String> = self
            .statement
            .inputs()
            .iter()
            .map(|access| format!("{} = {:?}", access.name, self.operands[access.name]))
            .collect();
        format!(
            "{}\n{}\nextents {:?}\n{}\n{wrong}",
            self.statement,
            formats.join("\n"),
            self.extents,
            operands.join("\n")
        )
    }
}

fn text(program: &Program<'_>) -> String {
    let nests = program.nests.iter();
    nests
        .map(|nest| Text::numbered(&nest.body, &program.variables))
        .collect()
}

fn checked(statement: &Statement) -> Result<Kernel, String> {
    let sparse: Vec<String> = statement.sparse.iter().map(|name| format!("{name}: _")).collect();
    let text = format!("fn kernel: {statement} where {};", sparse.join(", "));
    check(&text)
}

#[test]
fn legal_statements_are_accepted_and_others_refused() {
    let differs = |seed| {
        let statement = draft(Random::new(seed), Algebra::Integers);
        let (legal, found) = (statement.is_legal(), checked(&statement));
        (legal != found.is_ok()).then(|| format!("{statement}\nlegal: {legal}, {found:?}"))
    };
    let wrong: Vec<String> = (0..u64::from(config(1500).cases)).filter_map(differs).collect();
    assert!(
        wrong.is_empty(),
        "{} differ\n\n{}",
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n\n")
    );
}

#[test]
fn statements_over_random_formats() {
    let formats = Formats::new();
    let (mut wrong, mut run) = (Vec::new(), 0);
    let number_of = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|value| value.parse::<u64>().expect("a number"))
    };
    let count = number_of("GENERATED_KERNELS").unwrap_or(config(600).cases.into());
    let first = count * number_of("GENERATED_SEED").unwrap_or(0);
    for seed in first..first + count {
        let case = Case::new(seed, &formats);
        match case.run() {
            Ok(small) => run += u32::from(small),
            Err(found) => {
                wrong.push(format!("seed {seed}: {}", case.least(found, &formats)));
                if wrong.len() == 5 {
                    break;
                }
            }
        }
    }
    println!("{run} statements");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n----\n\n"));
}
