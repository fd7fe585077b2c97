//! Prints tiles of several rows as products of small dense matrices by the matrix instructions of a warp.
//!
//! The rows of a block times some columns of a dense operand are such a product: each factor of a term is an element of a
//! matrix whose rows or columns are those of the tile, and the loop inside the loop over blocks runs along the other dim of
//! both.

use super::super::c::{Element, Machine, Operation, Printer, number};
use super::device::Device;
use crate::compiler::loops::{Array, Expr, Place, Range, Reduction, Rows, Stmt, Tiles, Value, Var};

/// The instructions multiply `ROWS` rows by `DEPTH` columns of the left matrix, and `WIDTH` columns of the right one.
const ROWS: usize = 16;
const DEPTH: usize = 16;
const WIDTH: usize = 8;
/// The number of products beside each other for which a part of the left matrix is read once. Four take more registers than
/// there are on `sm_80`.
const PRODUCTS: usize = 2;
/// With fewer rows or columns, most of what the instructions compute is not used.
const LEAST: usize = 8;

/// A tile that is a product of matrices.
pub(super) struct Product<'t> {
    tiles: &'t Tiles,
    rows: &'t Rows,
    /// The loop over blocks, and the statements before the loop along the columns of a block.
    blocks: &'t Stmt,
    before: &'t [Stmt],
    /// The loop along the columns of the left matrix.
    depth: &'t Range,
    /// The element of the left matrix, and the variable of its row.
    left: (Array, &'t Expr),
    row: Var,
    /// The element of the right matrix, and the variable of its column.
    right: (Array, &'t Expr),
    column: Var,
}

/// Returns the tile as a product of matrices, if it is one of half-precision numbers.
pub(super) fn product(tiles: &Tiles, element: Element) -> Option<Product<'_>> {
    let rows = tiles.rows.as_ref()?;
    let is_along = |range: &Range, width: Var| range.lows == [Expr::zero()] && range.highs == [Expr::Var(width)];
    let [blocks @ (Stmt::Entries(_) | Stmt::Range(_))] = tiles.body.as_slice() else {
        return None;
    };
    let (Stmt::Range(depth), before) = blocks.body().split_last()? else {
        return None;
    };
    let [Stmt::Range(row)] = depth.body.as_slice() else {
        return None;
    };
    let (Stmt::Range(column), binds) = row.body.split_last()? else {
        return None;
    };
    let [
        Stmt::Accumulate {
            place: Place::Element(Array::Sums, _),
            reduction: Reduction::Plus,
            value: Value::Product(factors),
        },
    ] = column.body.as_slice()
    else {
        return None;
    };
    let [left, right] = factors.as_slice() else {
        return None;
    };
    // The left factor may be bound to a name before the loop along the columns.
    let left = match (left, binds) {
        (Value::Load(array, at), []) => (*array, at),
        (Value::Bound(var), [Stmt::Bind(bind)]) if bind.var == *var => match &bind.value {
            Value::Load(array, at) => (*array, at),
            _ => return None,
        },
        _ => return None,
    };
    let Value::Load(right_array, right_at) = right else {
        return None;
    };
    let fits = (element.is_half() || element.is_any())
        && tiles.reduction == Reduction::Plus
        && is_plain(blocks)
        && before
            .iter()
            .all(|stmt| matches!(stmt, Stmt::Lookup { .. } | Stmt::Let { .. }))
        && depth.stride.is_none()
        && depth.lows == [Expr::zero()]
        && is_along(row, rows.count)
        && is_along(column, tiles.width)
        && !left.1.uses(column.var)
        && !right_at.uses(row.var);
    fits.then_some(Product {
        tiles,
        rows,
        blocks,
        before,
        depth,
        left,
        row: row.var,
        right: (*right_array, right_at),
        column: column.var,
    })
}

/// Whether a product of half-precision numbers, or of any, is inside.
pub(super) fn has_product(stmt: &Stmt, element: Element) -> bool {
    match stmt {
        Stmt::Tiles(tiles) => product(tiles, element).is_some(),
        stmt => stmt.body().iter().any(|stmt| has_product(stmt, element)),
    }
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

/// Whether a loop passes all of its values.
fn is_plain(blocks: &Stmt) -> bool {
    match blocks {
        Stmt::Range(range) => range.stride.is_none() && range.nonempty.is_none(),
        _ => true,
    }
}

impl Printer<'_, Device> {
    /// Returns the condition that a product is worth the instructions: the lengths of its dims have bounds that are known
    /// where the text is compiled.
    pub(super) fn is_worth(&self, product: &Product<'_>) -> Option<String> {
        let constant = |highs: &[Expr]| {
            let high = highs.iter().find(|high| high.is_constant(self.variables))?;
            Some(self.unsigned(high))
        };
        let (rows, depth) = (constant(&product.rows.highs)?, constant(&product.depth.highs)?);
        let lanes = &self.machine.names.lanes;
        Some(format!("{lanes} == 32 && {rows} >= {LEAST} && {depth} >= {LEAST}"))
    }

    /// Prints a product of elements whose type is chosen when the text is compiled, for those that have the instructions, else
    /// `otherwise`.
    pub(super) fn products_if_defined(
        &mut self,
        product: &Product<'_>,
        worth: &str,
        otherwise: impl FnOnce(&mut Self),
    ) {
        self.lines.line(format!("#ifdef {}", self.element.function("multiply")));
        self.within(format!("if ({worth})"), |printer| printer.products(product));
        self.lines.line("else");
        self.lines.line("#endif");
        self.within("", otherwise);
    }

    /// Prints the loops over the tiles of a product.
    pub(super) fn products(&mut self, product: &Product<'_>) {
        let Product { tiles, rows, .. } = product;
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
                printer.sums_of_products(product);
            });
        });
    }

    fn sums_of_products(&mut self, product: &Product<'_>) {
        let Product {
            blocks, before, depth, ..
        } = product;
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
            printer.block(before);
            let name = printer.var(depth.var);
            let (low, high) = printer.bounds(true, &depth.lows, &depth.highs);
            let (first, end) = (
                printer.fresh(&format!("{name}_first")),
                printer.fresh(&format!("{name}_end")),
            );
            let head = format!("for (size_t {first} = {low}, {end} = {high}; {first} < {end}; {first} += {DEPTH})");
            printer.within(head, |printer| printer.instructions(product, &first, &end));
        });
        self.store_products(product);
    }

    /// Prints the instructions for `DEPTH` columns of the left matrix.
    fn instructions(&mut self, product: &Product<'_>, first: &str, end: &str) {
        let [row, column, depth] = [product.row, product.column, product.depth.var].map(|var| self.var(var));
        let (count, width) = (self.var(product.rows.count), self.var(product.tiles.width));
        let (of, number, multiply) = (
            self.fresh("of"),
            self.fresh("number"),
            self.element.function("multiply"),
        );
        let read =
            |printer: &Self, (array, at): (Array, &Expr)| Device::read(printer.element(array, &printer.unsigned(at)));
        let (left, right) = (read(self, product.left), read(self, product.right));
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
    fn store_products(&mut self, product: &Product<'_>) {
        let Product { tiles, rows, .. } = product;
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
