//! The errors that users see after a mistake: the messages of the macros, on the tokens at fault.
//!
//! `ui/own` has only errors of the macros, which are the same for every toolchain. `ui/rustc` also has errors of
//! the compiler, of 1.95 when they were blessed. `BLESS=1` writes the `.stderr` files.

#[test]
fn mistakes_are_reported_where_they_are() {
    messages::are_refused("ui/own");
}

#[test]
#[ignore = "the compiler's own text differs between versions: `.ci/nightly` runs it with the one that it was blessed with"]
fn mistakes_that_the_compiler_reports() {
    messages::are_refused("ui/rustc");
}
