//! Interprets the loop IR on trees.

mod loops;
mod values;

use std::collections::{BTreeMap, HashMap};

use super::threads::Threads;
use super::tree::{Entry, Tree};
use crate::compiler::loops::{Array, Bind, Destination, Expr, Lvalue, Reduction, Stmt, TensorLevel, Var, Variables};
use crate::compiler::storage::Storage;

/// Maximum number of iterations, more than any tree of these tests needs, to stop endless loops.
const MOST_STEPS: usize = 2_000_000;

/// A sparse tensor of a nest.
pub(super) struct Tensor<'a> {
    pub(super) tree: &'a Tree,
    pub(super) storage: &'a Storage,
    /// The values by position.
    pub(super) values: Vec<i128>,
}

/// Evaluates a function of a kernel, by its number, on its arguments.
type Function = Box<dyn Fn(usize, &[i128]) -> i128>;

/// A run of loops.
pub(super) struct Run<'a> {
    pub(super) variables: &'a Variables,
    pub(super) tensors: Vec<Tensor<'a>>,
    pub(super) known: HashMap<Var, i128>,
    /// The dense and the scalar operands, by their number in the kernel.
    pub(super) operands: Vec<Vec<i128>>,
    /// The functions of the kernel.
    pub(super) function: Function,
    /// The visited elements.
    pub(super) visits: Vec<(Vec<i128>, i128)>,
    /// The scalar output.
    pub(super) total: Option<i128>,
    /// The elements appended to the sparse output, in the order of the loops.
    pub(super) appended: Vec<(Vec<i128>, i128)>,
    /// The unordered elements of the sparse output, possibly with repetitions.
    pub(super) scattered: Vec<(Vec<i128>, i128)>,
    /// The execution of parallel loops, and the reduction of their pieces' results.
    pub(super) threads: Threads,
    pub(super) reduction: Reduction,
    /// Whether the next loop runs in the order of `threads`.
    pub(super) permutes: bool,
    /// A level, with the positions to which its entries are restricted.
    pub(super) clip: Option<(TensorLevel, std::ops::Range<i128>)>,
    /// The elements that are bound to names.
    elements: HashMap<Var, i128>,
    ranges: HashMap<Var, std::ops::Range<i128>>,
    finders: HashMap<Var, (TensorLevel, Vec<&'a Entry>)>,
    maybes: HashMap<usize, Option<i128>>,
    sums: Vec<Option<i128>>,
    tile: Vec<i128>,
    fibers: Vec<BTreeMap<i128, i128>>,
    /// The element at which the enclosing loop is, by its array and place.
    item: Option<(Array, i128)>,
    /// The place of the first value of a tensor's current block.
    blocks: HashMap<usize, i128>,
    steps: usize,
}

/// Returns the start value of a reduction. A conjunction has none.
pub(super) fn identity(reduction: Reduction) -> i128 {
    match reduction {
        Reduction::Plus | Reduction::Or => 0,
        Reduction::Min => i128::MAX,
        Reduction::Max => i128::MIN,
        Reduction::And => unreachable!("a conjunction has nothing to start from"),
    }
}

/// Returns the reduction of both values.
pub(super) fn reduced(reduction: Reduction, left: i128, right: i128) -> i128 {
    match reduction {
        Reduction::Plus => left + right,
        Reduction::Min => left.min(right),
        Reduction::Max => left.max(right),
        Reduction::Or => left | right,
        Reduction::And => left & right,
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(variables: &'a Variables, tensors: Vec<Tensor<'a>>) -> Self {
        Run {
            variables,
            tensors,
            known: HashMap::new(),
            operands: Vec::new(),
            function: Box::new(|_, _| unreachable!("no function is called")),
            visits: Vec::new(),
            total: None,
            appended: Vec::new(),
            scattered: Vec::new(),
            threads: Threads::One,
            reduction: Reduction::Plus,
            permutes: false,
            clip: None,
            elements: HashMap::new(),
            ranges: HashMap::new(),
            finders: HashMap::new(),
            maybes: HashMap::new(),
            sums: Vec::new(),
            tile: Vec::new(),
            fibers: Vec::new(),
            item: None,
            blocks: HashMap::new(),
            steps: 0,
        }
    }

    pub(super) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    /// Binds a variable. Natural variables are at least zero: sizes of empty boxes are cut off there.
    fn bind(&mut self, var: Var, value: i128) {
        let value = if self.variables.is_natural(var) {
            value.max(0)
        } else {
            value
        };
        self.known.insert(var, value);
    }

    fn bind_element(&mut self, bind: &Bind) {
        let value = self.element(&bind.value).expect("an element that is there");
        self.elements.insert(bind.var, value);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.steps += 1;
        assert!(self.steps < MOST_STEPS, "a loop runs away");
        match stmt {
            Stmt::Range(range) => self.range(range),
            Stmt::Tiles(tiles) => self.tiles(tiles),
            Stmt::Entries(entries) => self.entries(entries),
            Stmt::Merge(merge) => self.merge(merge),
            Stmt::Parallel(parallel) => self.parallel(parallel),
            Stmt::Bind(bind) => self.bind_element(bind),
            Stmt::Let { var, value } => {
                let value = self.value(value);
                self.bind(*var, value);
            }
            Stmt::Lookup { .. } => unreachable!("formats of these tests have no queries"),
            Stmt::First { .. } => unreachable!("formats of these tests have no queries"),
            Stmt::Parts { .. } => unreachable!("formats of these tests are whole"),
            Stmt::Open { finder, level, within } => {
                let entries = self.segment(*level, within);
                let keys = entries.iter().map(|entry| coordinate(entry, *level));
                assert!(keys.is_sorted(), "a search among coordinates that fall");
                self.finders.insert(*finder, (*level, entries));
            }
            Stmt::Between {
                level,
                within,
                lows,
                highs,
                to,
            } => {
                let low = lows.iter().map(|bound| self.value(bound)).max().expect("a low bound");
                let high = highs.iter().map(|bound| self.value(bound)).min().expect("a high bound");
                let mut found = Vec::new();
                let mut last = None;
                for entry in self.segment(*level, within) {
                    let at = coordinate(entry, *level);
                    assert!(last.is_none_or(|last| last < at), "coordinates that do not rise");
                    last = Some(at);
                    if (low..high).contains(&at) {
                        found.push(entry.position);
                    }
                }
                self.ranges.insert(*to, span(&found));
            }
            Stmt::Find(find) => self.find(find),
            Stmt::Step {
                from, size, offset, to, ..
            } => {
                let from = self.ranges[from].clone();
                let (size, offset) = (self.value(size), self.value(offset));
                let at = from.start * size + offset;
                let range = if from.is_empty() { 0..0 } else { at..at + 1 };
                self.ranges.insert(*to, range);
            }
            Stmt::If { conditions, body } => {
                // Evaluates the conditions in order, as `&&` does.
                if conditions.iter().all(|condition| self.holds(condition)) {
                    self.block(body);
                }
            }
            Stmt::Accumulate {
                place,
                reduction,
                value,
            } => {
                if let Some(value) = self.element(value) {
                    self.accumulate(place, *reduction, value);
                }
            }
            Stmt::Sum {
                body, reduction, into, ..
            } => {
                self.sums.push(None);
                self.block(body);
                let found = self.sums.pop().expect("pushed above");
                let sum = found.unwrap_or_else(|| identity(*reduction));
                match into {
                    Destination::Element { array, at, store } => {
                        let place = self.place(*array, at);
                        *place = if *store { sum } else { reduced(*reduction, *place, sum) };
                    }
                    Destination::Item { store } => {
                        let (array, at) = self.item.expect("a loop that has an item");
                        let place = self.place(array, &Expr::Int(at));
                        *place = if *store { sum } else { reduced(*reduction, *place, sum) };
                    }
                    Destination::Output { coordinate, sure } => {
                        if *sure || found.is_some() {
                            self.append(coordinate, sum);
                        }
                    }
                    Destination::Total => {
                        self.total = Some(self.total.map_or(sum, |total| reduced(*reduction, total, sum)));
                    }
                }
            }
            Stmt::Fiber { outer, extents, body } => {
                self.fibers.push(BTreeMap::new());
                self.block(body);
                let outer: Vec<i128> = outer.iter().map(|at| self.value(at)).collect();
                let extents: Vec<i128> = extents.iter().map(|extent| self.value(extent)).collect();
                for (number, sum) in self.fibers.pop().expect("pushed above") {
                    let (mut inner, mut rest) = (vec![0; extents.len()], number);
                    for (digit, extent) in inner.iter_mut().zip(&extents).rev() {
                        (*digit, rest) = (rest.rem_euclid(*extent), rest.div_euclid(*extent));
                    }
                    assert_eq!(rest, 0, "outside the fiber");
                    self.appended.push(([outer.as_slice(), &inner].concat(), sum));
                }
            }
            Stmt::Fill { array, at, count } => {
                let (at, count) = (self.value(at), self.value(count));
                for at in at..at + count {
                    *self.place(*array, &Expr::Int(at)) = 0;
                }
            }
            Stmt::Maybe { number, body } => {
                self.maybes.insert(*number, None);
                self.block(body);
            }
            Stmt::Visit { coordinate, value, .. } => {
                let coordinate = coordinate.iter().map(|dim| self.value(dim)).collect();
                let value = self.element(value).expect("an element that is there");
                self.visits.push((coordinate, value));
            }
            Stmt::Count(count) => {
                let all = self.bounds(count.var, &count.lows, &count.highs);
                self.bind(count.var, all.end - all.start);
                self.block(&count.body);
            }
        }
    }

    fn accumulate(&mut self, place: &Lvalue, reduction: Reduction, value: i128) {
        let with = |old: Option<i128>| old.map_or(value, |old| reduced(reduction, old, value));
        match place {
            Lvalue::Sum => {
                let sum = self.sums.last_mut().expect("inside a sum");
                *sum = Some(with(*sum));
            }
            Lvalue::Item => {
                let (array, at) = self.item.expect("a loop that has an item");
                let place = self.place(array, &Expr::Int(at));
                *place = reduced(reduction, *place, value);
            }
            Lvalue::Element(array, at) => {
                let place = self.place(*array, at);
                *place = reduced(reduction, *place, value);
            }
            Lvalue::Output(coordinate) => self.append(coordinate, value),
            Lvalue::Scattered(coordinate) => {
                let coordinate = coordinate.iter().map(|at| self.value(at)).collect();
                self.scattered.push((coordinate, value));
            }
            Lvalue::Fiber(at) => {
                let at = self.value(at);
                let fiber = self.fibers.last_mut().expect("inside a fiber");
                let sum = with(fiber.get(&at).copied());
                fiber.insert(at, sum);
            }
            Lvalue::Maybe(number) => {
                let before = self.maybes.insert(*number, Some(value));
                assert_eq!(before, Some(None), "found twice, or outside");
            }
        }
    }

    fn append(&mut self, coordinate: &[Expr], value: i128) {
        let coordinate = coordinate.iter().map(|at| self.value(at)).collect();
        self.appended.push((coordinate, value));
    }

    fn place(&mut self, array: Array, at: &Expr) -> &mut i128 {
        let at = usize::try_from(self.value(at)).expect("a place");
        match array {
            Array::Values(tensor) => &mut self.tensors[tensor].values[at],
            Array::Dense(number) => &mut self.operands[number][at],
            Array::Sums => &mut self.tile[at],
        }
    }
}

fn coordinate(entry: &Entry, level: TensorLevel) -> i128 {
    entry.path[level.level].expect("a stored level")
}

/// Returns the range of these positions, which must be consecutive.
fn span(positions: &[i128]) -> std::ops::Range<i128> {
    let Some((&first, &last)) = positions.first().zip(positions.last()) else {
        return 0..0;
    };
    assert_eq!(last - first + 1, positions.len() as i128, "a run with a gap");
    first..last + 1
}
