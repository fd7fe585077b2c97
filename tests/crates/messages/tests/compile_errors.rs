//! What a user reads after a mistake: the messages of the macros, on the tokens at fault.
//!
//! `ui/own` holds only text of our own, which is the same for every toolchain. The text of `ui/rustc` is partly
//! the compiler's, 1.95 when it was blessed. `TRYBUILD=overwrite` writes the `.stderr` files anew.

#[test]
fn mistakes_are_reported_where_they_are() {
    trybuild::TestCases::new().compile_fail("ui/own/*/*.rs");
}

#[test]
#[ignore = "the compiler's own text differs between versions: `.ci/nightly` runs it with the one that it was blessed with"]
fn mistakes_that_the_compiler_reports() {
    trybuild::TestCases::new().compile_fail("ui/rustc/*.rs");
}
