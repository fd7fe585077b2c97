//! What a user reads after a mistake: the messages of the macros, on the tokens at fault.
//!
//! `tests/ui/own` holds only text of our own, which is the same for every toolchain. The text of
//! `tests/ui/rustc` is partly the compiler's: set `UNISPARSE_UI_RUSTC` on the toolchain it was blessed with
//! (1.95). `TRYBUILD=overwrite` writes the `.stderr` files anew.

#[test]
fn mistakes_are_reported_where_they_are() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/own/*/*.rs");
    if std::env::var_os("UNISPARSE_UI_RUSTC").is_some() {
        cases.compile_fail("tests/ui/rustc/*.rs");
    }
}
