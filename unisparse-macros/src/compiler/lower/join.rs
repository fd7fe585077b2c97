//! Lowers one term to loops that descend from the root in all of its sparse operands.

use super::Planner;
use super::terms::Term;
use crate::compiler::kernel::{OperandKind, Reduction};
use crate::compiler::loops::{Array, Condition, Expr, Lvalue, Range, Segment, Stmt, Value, Variables};
use crate::compiler::operand::Summand;
use crate::compiler::traversal::{Step, Steps, Walk};

/// The loops of a term, without the innermost statement.
pub(super) struct Join<'a> {
    /// The value of each index.
    pub(super) at: Vec<Option<Expr>>,
    pub(super) steps: Steps,
    /// The value of the term.
    pub(super) value: Value,
    /// The estimated number of executions of all statements.
    pub(super) cost: f64,
    walks: Vec<Walked<'a>>,
}

struct Walked<'a> {
    read: usize,
    tensor: usize,
    walk: Walk<'a>,
    /// For each dim, whether the walk knows its value.
    known: Vec<bool>,
    /// Whether the walk has reached a value, and the condition on it was emitted if there is one.
    reached_value: bool,
}

impl<'a> Join<'a> {
    /// Walks the operands, and starts them in this order where several could be next.
    pub(super) fn new(planner: &Planner<'a>, term: &Term, order: &[usize], variables: &mut Variables) -> Self {
        let kernel = planner.kernel;
        let mut join = Join {
            at: vec![None; kernel.indices.len()],
            steps: Steps::default(),
            value: Value::Product(Vec::new()),
            cost: 0.0,
            walks: Vec::new(),
        };
        for &at in order {
            let read = term.required[at];
            join.add(planner, read, term.tensors[read]);
        }
        let mut masked = false;
        loop {
            join.locate(planner, &mut masked, variables);
            let Some(next) = join.next() else { break };
            join.enter(planner, next, variables);
        }
        join.loop_over_unbound(planner, term, variables);
        join.mask(planner, &mut masked);
        join.look_up_others(planner, term, variables);
        let tensor = |read: usize| {
            let walked = join.walks.iter().find(|walked| walked.read == read)?;
            let position = walked.walk.position()?.clone();
            Some(Value::Load(Array::Values(walked.tensor), position))
        };
        let value = planner.value(&term.node, &join.at, &|read| {
            if term.absent.contains(&read) {
                None
            } else if term.optional.contains(&read) {
                Some(Value::Maybe(read))
            } else {
                tensor(read)
            }
        });
        join.value = value.expect("a term has a value");
        join.cost = cost(&join.steps.steps, variables);
        join
    }

    /// Returns the definitions of sizes, and the loops around the accumulation into `place`.
    pub(super) fn block(&self, planner: &Planner<'_>, place: Lvalue) -> (Vec<Stmt>, Vec<Stmt>) {
        let leaf = self.leaf(planner, place);
        (
            self.steps.head.clone(),
            Steps::around(self.steps.steps.clone(), vec![leaf]),
        )
    }

    /// Returns the innermost statement.
    pub(super) fn leaf(&self, planner: &Planner<'_>, place: Lvalue) -> Stmt {
        Stmt::Accumulate {
            place,
            reduction: planner.reduction(),
            value: self.value.clone(),
        }
    }

    /// Returns the coordinates of the output, in the order of its dims.
    pub(super) fn coordinate(&self, planner: &Planner<'_>) -> Vec<Expr> {
        let output = planner.kernel.output.iter();
        output
            .map(|&index| self.at[index].clone().unwrap_or(Expr::zero()))
            .collect()
    }

    fn add(&mut self, planner: &Planner<'a>, read: usize, tensor: usize) {
        let indices = &planner.kernel.reads[read].indices;
        self.walks.push(Walked {
            read,
            tensor,
            walk: Walk::new(planner.tensor(tensor), indices),
            known: vec![false; indices.len()],
            reached_value: false,
        });
    }

    /// Returns the next operand to loop over: one that was started or has known coordinates, else the first one whose walk is not done.
    fn next(&self) -> Option<usize> {
        let unfinished = || (0..self.walks.len()).filter(|&at| !self.walks[at].walk.is_done());
        let started = unfinished().find(|&at| self.walks[at].walk.is_started() || self.walks[at].known.contains(&true));
        started.or_else(|| unfinished().next())
    }

    /// Descends in all operands while no loop is needed, and emits the conditions that become known.
    fn locate(&mut self, planner: &Planner<'a>, masked: &mut bool, variables: &mut Variables) {
        loop {
            let before = self.steps.steps.len();
            let known = self.at.iter().flatten().count();
            for number in 0..self.walks.len() {
                self.pass_values(planner, number);
                let cut = planner.summands[self.walks[number].tensor].is_cut;
                let walked = &mut self.walks[number];
                // Entering a part takes a loop over the parts.
                if !cut || walked.walk.is_started() {
                    walked.walk.locate(&mut self.steps, variables);
                }
                self.take_values(planner, number);
            }
            self.mask(planner, masked);
            if self.steps.steps.len() == before && self.at.iter().flatten().count() == known {
                break;
            }
        }
    }

    fn enter(&mut self, planner: &Planner<'a>, number: usize, variables: &mut Variables) {
        let walked = &mut self.walks[number];
        let Summand { is_cut, .. } = planner.summands[walked.tensor];
        if is_cut && !walked.walk.is_started() {
            let numbers = &planner.contexts[walked.tensor].numbers;
            self.steps.push(Stmt::Parts {
                tensor: walked.tensor,
                numbers: numbers.iter().flatten().copied().collect(),
                body: Vec::new(),
            });
            walked.walk.begin();
            walked.walk.locate(&mut self.steps, variables);
        } else {
            walked.walk.enter(&mut self.steps, variables);
        }
        self.take_values(planner, number);
    }

    /// Passes the index values that are known by now to a walk.
    fn pass_values(&mut self, planner: &Planner<'_>, number: usize) {
        let walked = &mut self.walks[number];
        for (dim, &index) in planner.kernel.reads[walked.read].indices.iter().enumerate() {
            if let Some(value) = self.at[index].as_ref().filter(|_| !walked.known[dim]) {
                walked.walk.learn_dim(dim, value);
                walked.known[dim] = true;
            }
        }
    }

    /// Takes the index values that a walk has determined.
    fn take_values(&mut self, planner: &Planner<'_>, number: usize) {
        let walked = &mut self.walks[number];
        for (dim, &index) in planner.kernel.reads[walked.read].indices.iter().enumerate() {
            let Some(value) = walked.walk.dim(dim).filter(|_| !walked.known[dim]) else {
                continue;
            };
            walked.known[dim] = true;
            if self.at[index].is_none() {
                self.at[index] = Some(value.clone());
            }
        }
        let Some(position) = walked.walk.position().filter(|_| !walked.reached_value) else {
            return;
        };
        walked.reached_value = true;
        let masks = planner
            .kernel
            .mask
            .as_ref()
            .is_some_and(|mask| mask.read == walked.read);
        if masks || (planner.summands[walked.tensor].storage.holes && planner.distinguishes_holes()) {
            self.steps.require(vec![Condition::Nonzero {
                array: Array::Values(walked.tensor),
                at: position.clone(),
                negated: false,
            }]);
        }
    }

    /// Loops over the indices that no sparse operand binds, beginning with those of the output.
    fn loop_over_unbound(&mut self, planner: &Planner<'_>, term: &Term, variables: &mut Variables) {
        let kernel = planner.kernel;
        let mut open = kernel.output.clone();
        term.node.for_each_index(kernel, &mut |index| open.push(index));
        for read in term.absent.iter().chain(&term.optional) {
            open.extend(&kernel.reads[*read].indices);
        }
        open.extend(kernel.mask.iter().flat_map(|mask| &kernel.reads[mask.read].indices));
        for index in open {
            if self.at[index].is_none() {
                let var = variables.fresh(&kernel.indices[index], true);
                variables.set_below(var, planner.extents[index]);
                self.at[index] = Some(Expr::Var(var));
                self.steps.push(Stmt::Range(Range {
                    level: None,
                    var,
                    lows: vec![Expr::zero()],
                    highs: vec![Expr::Var(planner.extents[index])],
                    stride: None,
                    nonempty: None,
                    slices: None,
                    body: Vec::new(),
                }));
            }
        }
    }

    /// Tests the dense mask as soon as its indices are known.
    fn mask(&mut self, planner: &Planner<'_>, masked: &mut bool) {
        let Some(mask) = planner
            .kernel
            .mask
            .as_ref()
            .filter(|mask| !planner.is_sparse(mask.read))
        else {
            return;
        };
        let read = &planner.kernel.reads[mask.read];
        if *masked || read.indices.iter().any(|&index| self.at[index].is_none()) {
            return;
        }
        *masked = true;
        self.steps.require(vec![Condition::Nonzero {
            array: Array::Dense(read.operand),
            at: planner.flat(&read.indices, &self.at),
            negated: mask.negated,
        }]);
    }

    /// Looks up the optional and absent reads, and skips the elements where an absent read is stored.
    fn look_up_others(&mut self, planner: &Planner<'a>, term: &Term, variables: &mut Variables) {
        let negated = planner
            .kernel
            .mask
            .as_ref()
            .filter(|mask| mask.negated)
            .map(|mask| mask.read);
        for &read in term.absent.iter().chain(&term.optional) {
            let mut body = Vec::new();
            for tensor in planner.tensors_of(read) {
                body.extend(self.lookup(planner, read, tensor, variables));
            }
            self.steps.push(Stmt::Maybe { number: read, body });
            // A negated mask passes elements where it is absent or zero; its lookup yields a value in neither case.
            if term.absent.contains(&read) || negated == Some(read) {
                self.steps.require(vec![Condition::Missing(read)]);
            }
        }
    }

    /// Returns the search for the element of an optional read at the current coordinates.
    fn lookup(&self, planner: &Planner<'a>, read: usize, tensor: usize, variables: &mut Variables) -> Vec<Stmt> {
        let mut inner = Join {
            at: self.at.clone(),
            steps: Steps::default(),
            value: Value::Product(Vec::new()),
            cost: 0.0,
            walks: Vec::new(),
        };
        inner.add(planner, read, tensor);
        let mut masked = true;
        loop {
            inner.locate(planner, &mut masked, variables);
            let Some(next) = inner.next() else { break };
            inner.enter(planner, next, variables);
        }
        let position = inner.walks[0].walk.position().cloned().unwrap_or(Expr::zero());
        let found = Stmt::Accumulate {
            place: Lvalue::Maybe(read),
            reduction: planner.reduction(),
            value: Value::Load(Array::Values(tensor), position),
        };
        let mut block = inner.steps.head;
        block.extend(Steps::around(inner.steps.steps, vec![found]));
        block
    }
}

impl Planner<'_> {
    /// Whether holes must be distinguished from absent elements. Only sums of products into dense outputs treat both
    /// the same.
    fn distinguishes_holes(&self) -> bool {
        let kernel = self.kernel;
        let sums = matches!(kernel.reduction, Reduction::Set | Reduction::Plus);
        kernel.operands[0].kind == OperandKind::Sparse || !sums || !kernel.value.is_linear()
    }
}

/// Estimates the number of executions of all steps for a matrix of 1000 rows with ten elements each.
fn cost(steps: &[Step], variables: &Variables) -> f64 {
    const EXTENT: f64 = 1000.0;
    const ROW: f64 = 10.0;
    const PARAMETER: f64 = 4.0;
    let (mut times, mut sum) = (1.0, 0.0);
    for step in steps {
        let (Step::Stmt(stmt) | Step::SearchOpening(Some(stmt))) = step else {
            continue;
        };
        match stmt {
            Stmt::Range(range) => {
                times *= match range.highs.as_slice() {
                    [Expr::Int(size)] => *size as f64,
                    [Expr::Var(size)] if !variables.is_parameter(*size) => EXTENT,
                    _ => PARAMETER,
                };
            }
            Stmt::Entries(entries) => {
                times *= match entries.within {
                    Segment::All if entries.first == entries.last => EXTENT,
                    Segment::All => EXTENT * ROW,
                    _ => ROW,
                };
            }
            Stmt::Parts { .. } => times *= PARAMETER,
            Stmt::Find(_) => {
                sum += 3.0 * times;
                times *= 0.3;
            }
            _ => {}
        }
        sum += times;
    }
    sum
}
