//! Prints statements as text.

use super::Printer;
use super::values::maybe;
use crate::compiler::loops::{
    Access, Array, Bind, Cell, Destination, Entries, Expr, Find, Found, Lvalue, Merge, Nonempty, Ownership, Parallel,
    Prefetch, Range, Reduction, Segment, Stmt, TensorLevel, Tiles, Var,
};

impl Printer<'_> {
    pub(super) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    /// Prints the body of a statement whose head was printed.
    fn body(&mut self, stmt: &Stmt) {
        self.within(|printer| printer.block(stmt.body()));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Range(range) => self.loop_over(range),
            Stmt::Tiles(tiles) => self.tiles(tiles),
            Stmt::Entries(entries) => self.entries(entries),
            Stmt::Merge(merge) => self.merge(merge),
            Stmt::Parallel(parallel) => {
                self.parallel = Some(self.shared(parallel));
                self.block(&parallel.body);
            }
            Stmt::Bind(bind) => self.bind(bind),
            Stmt::Parts { tensor, .. } => {
                let (name, parts) = (self.names.tensor(*tensor), self.names.parts(*tensor));
                self.head(format!("for {name} in {parts}"));
                self.body(stmt);
            }
            Stmt::Let { var, value } => self.line(format!("let {} = {}", self.var(*var), self.expr(value))),
            Stmt::Lookup { level, var, at, .. } => {
                let read = self.names.idx(*level).at(&self.expr(at));
                self.line(format!("let {} = {read}", self.var(*var)));
            }
            Stmt::First { level, within, to, .. } => {
                let (low, high) = self.segment(*level, within);
                let first = self.var(*to);
                self.line(format!("if {low} < {high}"));
                self.within(|printer| {
                    printer.line(format!("let {first} = {low}"));
                    printer.block(stmt.body());
                });
            }
            Stmt::Open { finder, level, within } => {
                let searched = self.searched(*level, within);
                self.line(format!("let {} = {searched}", self.var(*finder)));
            }
            Stmt::Between {
                level,
                within,
                lows,
                highs,
                to,
            } => {
                let searched = self.searched(*level, within);
                let between = self.range(lows, highs);
                self.line(format!("let {} = search({searched}, {between})", self.var(*to)));
            }
            Stmt::Find(find) => self.find(find),
            Stmt::Step {
                from, size, offset, to, ..
            } => {
                let (from, to) = (self.var(*from), self.var(*to));
                let at = match size {
                    Expr::Int(1) => from,
                    size => format!("{from} * {}", self.expr(size)),
                };
                let offset = match offset {
                    Expr::Int(0) => String::new(),
                    offset => format!(" + {}", self.expr(offset)),
                };
                self.line(format!("let {to} = {at}{offset}"));
            }
            Stmt::If { conditions, .. } => {
                let conditions: Vec<String> = conditions.iter().map(|condition| self.condition(condition)).collect();
                self.line(format!("if {}", conditions.join(" and ")));
                self.body(stmt);
            }
            Stmt::Accumulate {
                place,
                reduction,
                value,
            } => {
                let (into, value) = (self.place(place), self.value(value));
                self.line(match place {
                    Lvalue::Output(_) => format!("append {into} = {value}"),
                    Lvalue::Scattered(_) => format!("scatter {into} {} {value}", reduction.operator()),
                    _ => format!("{into} {} {value}", reduction.operator()),
                });
            }
            Stmt::Fill { array, at, count } => {
                let (name, mut at) = self.names.place(*array, at);
                let first = at.pop().unwrap_or(Expr::zero());
                let last = format!(
                    "{}..{}",
                    self.expr(&first),
                    self.expr(&first.clone().add(count.clone()))
                );
                let mut shown: Vec<String> = at.iter().map(|at| self.expr(at)).collect();
                shown.push(last);
                self.line(format!("{} = 0", name.at(&shown.join(", "))));
            }
            Stmt::Sum {
                reduction,
                into,
                unrolled,
                ..
            } => self.sum(stmt, *reduction, into, *unrolled),
            Stmt::Maybe { number, .. } => {
                self.line(format!("let {} = absent", maybe(*number)));
                self.block(stmt.body());
            }
            Stmt::Fiber { outer, extents, .. } => {
                let output = self.output(outer);
                let shape: Vec<String> = extents.iter().map(|extent| self.expr(extent)).collect();
                self.line(format!("let workspace = zeros({})", shape.join(", ")));
                let known = extents.iter().filter_map(|extent| match extent {
                    Expr::Var(var) => Some(*var),
                    _ => None,
                });
                self.workspaces.push(known.collect());
                self.block(stmt.body());
                self.workspaces.pop();
                self.line(format!("append {output} = the touched elements of workspace"));
            }
            Stmt::Visit { coordinate, .. } => self.line(format!("visit ({})", self.list(coordinate))),
            Stmt::Count(count) => {
                let (var, usual) = (self.var(count.var), self.expr(&count.usual));
                let all = self.range(&count.lows, &count.highs);
                self.line(format!("let {var} = ({all}).len()  // usually {usual}"));
                self.block(&count.body);
            }
        }
    }

    fn loop_over(&mut self, range: &Range) {
        let var = self.var(range.var);
        let bounds = self.range_of(range.var, &range.lows, &range.highs);
        let stride = range
            .stride
            .as_ref()
            .map(|(residue, modulus)| format!(" where {var} mod {} = {}", self.expr(modulus), self.expr(residue)));
        let nonempty = range.nonempty.as_ref().map(|Nonempty { level, first }| {
            let parent = first.clone().add(Expr::Var(range.var));
            let (low, high) = self.segment(*level, &Segment::Of(parent));
            format!(" where {low} < {high}")
        });
        self.head(format!(
            "for {var} in {bounds}{}{}",
            stride.unwrap_or_default(),
            nonempty.unwrap_or_default()
        ));
        self.within(|printer| match &range.slices {
            None => printer.block(&range.body),
            Some(slices) => {
                for (var, access) in &slices.reads {
                    let read = printer.access(access, range.var);
                    printer.line(format!("let {} = {read}", printer.var(*var)));
                }
                let item = slices.item.as_ref().map(|access| printer.access(access, range.var));
                printer.around(item, &range.body);
            }
        });
    }

    /// Prints a body at an element of a loop.
    fn around(&mut self, item: Option<String>, body: &[Stmt]) {
        let count = self.items.len();
        self.items.extend(item);
        self.block(body);
        self.items.truncate(count);
    }

    /// Returns what a loop over slices accesses in an iteration.
    fn access(&self, access: &Access, var: Var) -> String {
        let at = |offset: &Expr| offset.clone().add(Expr::Var(var));
        match access {
            Access::Element { array, offset, .. } => self.element(*array, &at(offset)),
            Access::Packed { tensor, offset } => self.element(Array::Values(*tensor), &at(offset)),
            Access::Selected {
                array,
                level,
                offset,
                first,
            } => self.selected(*array, &self.names.idx(*level).at(&self.expr(&at(offset))), first),
            Access::Coordinate { level, offset } => self.names.idx(*level).at(&self.expr(&at(offset))),
        }
    }

    /// Returns the element of an array at a coordinate that is counted from `first`.
    fn selected(&self, array: Array, coordinate: &str, first: &Expr) -> String {
        let (name, _) = self.names.place(array, &Expr::zero());
        match first {
            Expr::Int(0) => name.at(coordinate),
            first => name.at(&format!("{coordinate} - {}", self.expr(first))),
        }
    }

    /// Describes how threads share the output of a parallel loop.
    fn shared(&self, parallel: &Parallel) -> String {
        let output = self.names.operand(0);
        let how = match &parallel.ownership {
            Ownership::Owned(_) | Ownership::Windows(_) => format!("each iteration owns its elements of {output}"),
            Ownership::Ascending { .. } => format!("each thread owns a range of {output}"),
            Ownership::Shared { .. } => format!("each thread adds to a copy of {output}"),
            Ownership::Each if self.names.is_scalar => format!("each thread gives a part of {output}"),
            Ownership::Each => format!("each thread gives a piece of {output}"),
        };
        format!("parallel: {how}")
    }

    fn bind(&mut self, bind: &Bind) {
        self.line(format!("let {} = {}", self.var(bind.var), self.value(&bind.value)));
    }

    /// Describes the data that a loop prefetches.
    fn prefetched(&self, prefetch: &Prefetch) -> String {
        let shown: Vec<String> = match prefetch {
            Prefetch::Rows { rows, .. } => rows.iter().map(|(array, at)| self.element(*array, at)).collect(),
            Prefetch::Segments(segments) => {
                let parents = segments.iter().map(|(_, parent)| self.expr(parent));
                parents.map(|parent| format!("the entries of {parent}")).collect()
            }
        };
        shown.join(", ")
    }

    /// Returns the first position of a segment, and its end.
    fn segment(&self, level: TensorLevel, segment: &Segment) -> (String, String) {
        let pointer = |at: &str| format!("{}[{at}]", self.names.ptr(level));
        match segment {
            Segment::All => ("0".to_owned(), format!("{}.len()", self.names.idx(level).array)),
            Segment::Of(parent) => {
                let next = parent.clone().add(Expr::Int(1));
                (pointer(&self.expr(parent)), pointer(&self.expr(&next)))
            }
            Segment::Between(low, high) => (self.expr(low), self.expr(high)),
            Segment::Run(range) => {
                let range = self.var(*range);
                (format!("{range}.start"), format!("{range}.end"))
            }
            Segment::Below(range) => {
                let range = self.var(*range);
                (pointer(&format!("{range}.start")), pointer(&format!("{range}.end")))
            }
        }
    }

    /// Returns the coordinates of a segment: `A.col_idx[A.row_ptr[row]..A.row_ptr[row + 1]]`.
    fn searched(&self, level: TensorLevel, within: &Segment) -> String {
        let idx = self.names.idx(level);
        if *within == Segment::All {
            return format!("{}{}", idx.array, idx.field);
        }
        let (low, high) = self.segment(level, within);
        idx.at(&format!("{low}..{high}"))
    }

    fn entries(&mut self, entries: &Entries) {
        let level = |level: usize| TensorLevel {
            tensor: entries.tensor,
            level,
        };
        let (low, high) = self.segment(level(entries.first), &entries.within);
        let position = self.var(entries.position);
        self.head(format!("for {position} in {low}..{high}"));
        let number = format!("{position} - {low}");
        let at = |level: usize| {
            if entries.numbered.contains(&level) {
                &number
            } else {
                &position
            }
        };
        self.within(|printer| {
            if let Some(prefetch) = &entries.prefetch {
                printer.line(format!("// prefetch: {}", printer.prefetched(prefetch)));
            }
            for &(of, var) in &entries.coordinates {
                let in_load = entries.loads.iter().any(|load| load.value.uses(var));
                if in_load || entries.body.iter().any(|stmt| stmt.uses(var)) {
                    let read = printer.names.idx(level(of)).at(at(of));
                    printer.line(format!("let {} = {read}", printer.var(var)));
                }
            }
            entries.loads.iter().for_each(|load| printer.bind(load));
            if let Some(size) = &entries.block {
                let values = printer.names.values(entries.tensor).array;
                let size = printer.expr(size);
                printer.line(format!("// {values} counts from {position} * {size}"));
            }
            let item = entries.item.as_ref().map(|Cell { array, level, first }| {
                printer.selected(*array, &printer.names.idx(*level).at(at(level.level)), first)
            });
            printer.around(item, &entries.body);
        });
    }

    fn merge(&mut self, merge: &Merge) {
        let cursors = merge.cursors.iter().map(|cursor| {
            let (at, searched) = (self.var(cursor.at), self.searched(cursor.level, &cursor.within));
            format!("at {at} of {searched}")
        });
        let cursors: Vec<String> = cursors.collect();
        let joined = if merge.union { " or " } else { " and " };
        let coordinate = self.var(merge.coordinate);
        self.head(format!("for each {coordinate} {}", cursors.join(joined)));
        self.within(|printer| printer.block(&merge.body));
    }

    fn find(&mut self, find: &Find) {
        let (finder, coordinate) = (self.var(find.finder), self.expr(&find.coordinate));
        let search = format!("search({finder}, {coordinate})");
        match find.found {
            // The body always runs.
            Found::Any { range, .. } => {
                self.line(format!("let {} = {search}", self.var(range)));
                self.block(&find.body);
            }
            Found::Position(at) => {
                self.line(format!("if let {} = {search}", self.var(at)));
                self.within(|printer| printer.block(&find.body));
            }
            Found::Run(first, end) => {
                self.line(format!("if let {}..{} = {search}", self.var(first), self.var(end)));
                self.within(|printer| printer.block(&find.body));
            }
        }
    }

    fn sum(&mut self, stmt: &Stmt, reduction: Reduction, into: &Destination, unrolled: bool) {
        let name = reduction.sum();
        let unrolled = if unrolled { "  // unrolled" } else { "" };
        self.line(format!("let {name} = {}{unrolled}", reduction.start()));
        self.reductions.push(reduction);
        self.block(stmt.body());
        self.reductions.pop();
        self.line(match into {
            Destination::Element { array, at, store } => {
                let operator = if *store { "=" } else { reduction.operator() };
                format!("{} {operator} {name}", self.element(*array, at))
            }
            Destination::Item { store } => {
                let operator = if *store { "=" } else { reduction.operator() };
                format!("{} {operator} {name}", self.place(&Lvalue::Item))
            }
            Destination::Output { coordinate, sure } => {
                let sure = if *sure { "" } else { ", if anything was added to it" };
                format!("append {} = {name}{sure}", self.output(coordinate))
            }
            Destination::Total => {
                let operator = if self.names.several { reduction.operator() } else { "=" };
                format!("{} {operator} {name}", self.names.operand(0))
            }
        });
    }

    fn tiles(&mut self, tiles: &Tiles) {
        let (var, width) = (self.var(tiles.var), self.var(tiles.width));
        let bounds = self.range_of(tiles.var, &tiles.lows, &tiles.highs);
        let mut shape = width.clone();
        if let Some(rows) = &tiles.rows {
            let (first, count) = (self.var(rows.var), self.var(rows.count));
            let bounds = self.range_of(rows.var, &rows.lows, &rows.highs);
            self.head(format!("for {first} in {bounds} by tiles of {count}"));
            self.depth += 1;
            shape = format!("{count} * {width}");
        }
        self.head(format!("for {var} in {bounds} by tiles of {width}"));
        self.within(|printer| {
            printer.line(format!("let sums[0..{shape}] = {}", tiles.reduction.start()));
            printer.block(&tiles.body);
            printer.store(tiles);
        });
        if tiles.rows.is_some() {
            self.depth -= 1;
        }
    }

    /// Prints the moves of a tile's sums to their elements.
    fn store(&mut self, tiles: &Tiles) {
        let operator = if tiles.store { "=" } else { tiles.reduction.operator() };
        let (mut at, mut each, mut sums) = (tiles.at.clone(), String::new(), String::new());
        if let Some(rows) = &tiles.rows {
            let row = self.fresh("r");
            at = at.add(rows.stride.clone().mul(Expr::Var(row)));
            let (row, count) = (self.var(row), self.var(rows.count));
            each = format!("for {row} in 0..{count}: ");
            sums = format!("{row} * {} + ", self.var(tiles.width));
        }
        if let Some(through) = &tiles.through {
            let lane = self.fresh("lane");
            let (name, width) = (self.var(lane), self.var(tiles.width));
            let place = self.names.idx(through.level).at(&self.expr(&at.add(Expr::Var(lane))));
            let (array, _) = self.names.place(tiles.array, &Expr::zero());
            return self.line(format!(
                "{each}for {name} in 0..{width}: {} {operator} sums[{sums}{name}]",
                array.at(&place)
            ));
        }
        let (array, mut coordinate) = self.names.place(tiles.array, &at);
        let first = coordinate.pop().unwrap_or(Expr::zero());
        let end = first.clone().add(Expr::Var(tiles.width));
        let mut shown: Vec<String> = coordinate.iter().map(|at| self.expr(at)).collect();
        shown.push(format!("{}..{}", self.expr(&first), self.expr(&end)));
        let place = array.at(&shown.join(", "));
        let sums = match sums.as_str() {
            "" => "sums".to_owned(),
            first => format!("sums[{first}0..{}]", self.var(tiles.width)),
        };
        self.line(format!("{each}{place} {operator} {sums}"));
    }
}
