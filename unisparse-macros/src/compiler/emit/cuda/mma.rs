//! Prints tiles that are products of small dense matrices by the matrix instructions of a warp.

use super::super::c::{Element, Machine, Operation, Printer, number};
use super::device::Device;
use crate::compiler::loops::{Array, Expr, Product, Reduction, Stmt, TileRows, Tiles};

/// The instructions multiply `ROWS` rows by `DEPTH` columns of the left matrix, and `WIDTH` columns of the right one.
const ROWS: usize = 16;
const DEPTH: usize = 16;
const WIDTH: usize = 8;
/// The number of products beside each other for which a part of the left matrix is read once. Four take more registers than
/// there are on `sm_80`.
const PRODUCTS: usize = 2;
/// With fewer rows or columns, most of what the instructions compute is not used.
const LEAST: usize = 8;

/// Whether a product of half-precision numbers, or of any, is inside.
pub(super) fn has_product(stmt: &Stmt, element: Element) -> bool {
    match stmt {
        Stmt::Tiles(Tiles {
            rows: Some(_),
            product: Some(_),
            ..
        }) => has(element),
        stmt => stmt.body().iter().any(|stmt| has_product(stmt, element)),
    }
}

/// Whether there are instructions for elements of this type, or of one that is chosen when the text is compiled.
fn has(element: Element) -> bool {
    element.is_half() || element.is_any()
}

/// Returns the helpers for products of matrices of an element type.
pub(super) fn helpers(element: Element) -> String {
    let of = |name: &str| concat!(include_str!("mma.cu"), include_str!("multiply.cu")).replace("NAME", name);
    if !element.is_any() {
        return of(element.name);
    }
    let halves = [("if", "f16"), ("elif", "bf16")].map(|(condition, name)| {
        let (chosen, helpers, multiply) = (name.to_uppercase(), of(name), element.function("multiply"));
        format!(
            "#{condition} defined(UNISPARSE_ELEMENT_{chosen})\n{helpers}#define {multiply} unisparse_multiply_{name}\n"
        )
    });
    halves.concat() + "#endif\n"
}

/// A tile of several rows with its product.
#[derive(Clone, Copy)]
pub(super) struct Of<'t> {
    tiles: &'t Tiles,
    rows: &'t TileRows,
    product: &'t Product,
}

/// Returns the product of a tile, if there are instructions for its elements.
pub(super) fn product(tiles: &Tiles, element: Element) -> Option<Of<'_>> {
    let (rows, product) = (tiles.rows.as_ref()?, tiles.product.as_deref()?);
    has(element).then_some(Of { tiles, rows, product })
}

impl Printer<'_, Device> {
    /// Returns the condition that a product is worth the instructions.
    pub(super) fn is_worth(&self, Of { product, .. }: Of<'_>) -> String {
        let [rows, depth] = product.most.each_ref().map(|most| self.unsigned(most));
        let lanes = &self.machine.names.lanes;
        format!("{lanes} == 32 && {rows} >= {LEAST} && {depth} >= {LEAST}")
    }

    /// Prints a product of elements whose type is chosen when the text is compiled, for those that have the instructions, else
    /// `otherwise`.
    pub(super) fn products_if_defined(&mut self, product: Of<'_>, worth: &str, otherwise: impl FnOnce(&mut Self)) {
        self.lines.line(format!("#ifdef {}", self.element.function("multiply")));
        self.within(format!("if ({worth})"), |printer| printer.products(product));
        self.lines.line("else");
        self.lines.line("#endif");
        self.within("", otherwise);
    }

    /// Prints the loops over the tiles of a product.
    pub(super) fn products(&mut self, of: Of<'_>) {
        let Of { tiles, rows, .. } = of;
        let (first_row, count) = (self.var(rows.var), self.var(rows.count));
        let (first, width) = (self.var(tiles.var), self.var(tiles.width));
        let (row_low, row_high) = self.bounds(true, &rows.lows, &rows.highs);
        let (low, high) = self.bounds(true, &tiles.lows, &tiles.highs);
        let (row_end, end) = (
            self.fresh(&format!("{first_row}_end")),
            self.fresh(&format!("{first}_end")),
        );
        let head = format!(
            "for (size_t {first_row} = {row_low}, {row_end} = {row_high}; {first_row} < {row_end}; {first_row} += {ROWS})"
        );
        self.within(head, |printer| {
            let line = format!("const size_t {count} = unisparse_min({ROWS}, {row_end} - {first_row});");
            printer.lines.line(line);
            let step = WIDTH * PRODUCTS;
            let head = format!("for (size_t {first} = {low}, {end} = {high}; {first} < {end}; {first} += {step})");
            printer.within(head, |printer| {
                let line = format!("const size_t {width} = unisparse_min({step}, {end} - {first});");
                printer.lines.line(line);
                printer.sums_of_products(of);
            });
        });
    }

    fn sums_of_products(&mut self, of: Of<'_>) {
        let Product { blocks, depth, .. } = of.product;
        self.lines.line(format!("float sums[{PRODUCTS}][4] = {{}};"));
        let (kind, var, (low, high)) = match blocks {
            Stmt::Entries(entries) => (
                "size_t",
                entries.position,
                self.segment(entries.first(), &entries.within),
            ),
            Stmt::Range(range) => {
                let natural = self.variables.is_natural(range.var);
                (
                    number(natural),
                    range.var,
                    self.bounds(natural, &range.lows, &range.highs),
                )
            }
            _ => unreachable!("blocks are in one of these loops"),
        };
        let name = self.var(var);
        let end = self.fresh(&format!("{name}_end"));
        let head = format!("for ({kind} {name} = {low}, {end} = {high}; {name} < {end}; {name}++)");
        self.within(head, |printer| {
            if let Stmt::Entries(entries) = blocks {
                printer.read_entry(entries);
            }
            let (_, before) = blocks.body().split_last().expect("the loop along the columns");
            printer.block(before);
            let name = printer.var(depth.var);
            let (low, high) = printer.bounds(true, &depth.lows, &depth.highs);
            let (first, end) = (
                printer.fresh(&format!("{name}_first")),
                printer.fresh(&format!("{name}_end")),
            );
            let head = format!("for (size_t {first} = {low}, {end} = {high}; {first} < {end}; {first} += {DEPTH})");
            printer.within(head, |printer| printer.instructions(of, &first, &end));
        });
        self.store_products(of);
    }

    /// Prints the instructions for `DEPTH` columns of the left matrix.
    fn instructions(&mut self, Of { tiles, rows, product }: Of<'_>, first: &str, end: &str) {
        let [row, column, depth] = [product.row, product.column, product.depth.var].map(|var| self.var(var));
        let (count, width) = (self.var(rows.count), self.var(tiles.width));
        let (of, number, multiply) = (
            self.fresh("of"),
            self.fresh("number"),
            self.element.function("multiply"),
        );
        let read =
            |printer: &Self, (array, at): &(Array, Expr)| Device::read(printer.element(*array, &printer.unsigned(at)));
        let (left, right) = (read(self, &product.left), read(self, &product.right));
        let of_first = format!("const size_t {depth} = {first} + {of};");
        self.lines.line("uint32_t left_part[4], right_part[2];");
        self.lines
            .open(format!("unisparse_left(left_part, [&](size_t {row}, size_t {of})"));
        self.lines.line(&of_first);
        self.lines.line(format!(
            "return {row} < {count} && {depth} < {end} ? {left} : (uint16_t)0;"
        ));
        self.lines.close_with("});");
        self.lines.line("#pragma unroll");
        let head = format!("for (unsigned {number} = 0; {number} < {PRODUCTS}; {number}++)");
        self.within(head, |printer| {
            let in_product = printer.fresh("column");
            let head = format!("unisparse_right(right_part, [&](size_t {of}, size_t {in_product})");
            printer.lines.open(head);
            printer.lines.line(&of_first);
            printer
                .lines
                .line(format!("const size_t {column} = {number} * {WIDTH} + {in_product};"));
            printer.lines.line(format!(
                "return {depth} < {end} && {column} < {width} ? {right} : (uint16_t)0;"
            ));
            printer.lines.close_with("});");
            let line = format!("{multiply}(sums[{number}], left_part, right_part);");
            printer.lines.line(line);
        });
    }

    /// Moves the sums to their elements.
    fn store_products(&mut self, Of { tiles, rows, .. }: Of<'_>) {
        let (count, width) = (self.var(rows.count), self.var(tiles.width));
        let at = self.operand_or_number(&tiles.at);
        let stride = self.operand(&rows.stride, true);
        let [number, part, row, step] = ["number", "part", "row", "step"].map(|name| self.fresh(name));
        let uniform = std::mem::replace(&mut self.machine.is_uniform, false);
        self.lines.line("#pragma unroll");
        let head = format!("for (unsigned {number} = 0; {number} < {PRODUCTS}; {number}++)");
        self.within(head, |printer| {
            printer.lines.line("#pragma unroll");
            printer.within(format!("for (unsigned {part} = 0; {part} < 4; {part}++)"), |printer| {
                printer
                    .lines
                    .line(format!("const size_t {row} = unisparse_row_of({part});"));
                let line = format!("const size_t {step} = {number} * {WIDTH} + unisparse_column_of({part});");
                printer.lines.line(line);
                printer.within(format!("if ({row} < {count} && {step} < {width})"), |printer| {
                    let place = printer.element(tiles.array, &format!("{at} + {row} * {stride} + {step}"));
                    let sum = format!("sums[{number}][{part}]");
                    if tiles.store {
                        printer.lines.line(format!("{place} = {sum};"));
                    } else {
                        let found = printer.looked_up(&tiles.at);
                        printer.add_to_output(&place, &found, Reduction::Plus, &Operation::atom(sum));
                    }
                });
            });
        });
        self.machine.is_uniform = uniform;
    }
}
