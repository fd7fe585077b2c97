//! How parallel loops and reductions are printed: a trait that each target based on C implements.

use super::Printer;
use super::types::Operation;
use crate::compiler::loops::{Lvalue, Reduction, Stmt};

/// A machine that runs the printed code. The type that implements this is the part of the printer's state that only this machine
/// needs.
pub(crate) trait Machine: Sized {
    /// Prints a statement.
    fn stmt(printer: &mut Printer<'_, Self>, stmt: &Stmt);

    /// Prints the addition of a value to a place.
    fn add(printer: &mut Printer<'_, Self>, place: &Lvalue, reduction: Reduction, value: &Operation);

    /// Returns the text that reads an element of an array to which nothing writes.
    fn read(element: String) -> String;
}

/// A processor. Parallel loops are marked, and the C compiler divides their iterations among threads (by OpenMP).
pub(crate) struct Processor;

impl Machine for Processor {
    fn stmt(printer: &mut Printer<'_, Self>, stmt: &Stmt) {
        printer.stmt(stmt);
    }

    fn add(printer: &mut Printer<'_, Self>, place: &Lvalue, reduction: Reduction, value: &Operation) {
        printer.accumulate(place, reduction, value);
    }

    fn read(element: String) -> String {
        element
    }
}
