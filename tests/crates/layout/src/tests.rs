//! Small crates, each with one thing to see.

use super::{Crate, module_path, scan::scan};

/// A crate of files, each given by the path of its module and its text.
fn of(files: &[(&str, &str)]) -> Crate {
    let mut read = Crate::default();
    for (path, text) in files {
        let path = module_path(path);
        read.add(
            scan(text),
            &path,
            &path,
            path.last().is_some_and(|name| name == "tests"),
        );
    }
    read.link();
    read
}

/// Whether `a` is found to import `b`, given the text of `a`: there is a circle then, as `b` imports `a`.
fn imports(a: &str) -> bool {
    let root = "mod a; mod b; pub use b::B;";
    let b = "pub struct B; pub fn make() {} pub mod inner { pub struct Inner; } fn back() { super::a::f() }";
    !of(&[("", root), ("a", a), ("b", b)]).circles("").is_empty()
}

#[test]
fn an_import_is_seen_wherever_it_is() {
    for text in [
        "use crate::b::B;",
        "use super::b::B;",
        "use crate::{b::{self, B}, c::C};",
        "use {crate::b};",
        "use crate::b as other; fn f() {}",
        "use super::b::inner::{Inner as I};",
        "fn f() { crate::b::make(); }",
        "fn f() { let x = [super::b::B]; }",
        "fn f() { if true { use crate::b::make; make() } }",
        "fn f(x: Vec<super::b::B>) {}",
        "struct S { b: Option<crate::b::B> }",
        "impl crate::b::Trait for S {}",
        "macro_rules! m { () => { $crate::b::B }; }",
        "fn f() { assert!(matches!(x, crate::b::B)); }",
        "mod c { use super::super::b::B; }",
        "mod c { fn f() { crate::b::make() } }",
        "#[derive(crate::b::B)] struct S;",
        "use crate::B;",
        "use super::B;",
        "use crate::b::*;",
        "const N: usize = { crate::b::N };",
        "pub use crate::b::B; fn f() -> B { B }",
        "pub use crate::b::make; fn f() { make(); }",
        "pub use crate::b::make; fn f() { map(make); }",
        "pub use crate::b; fn f() { b::make(); }",
    ] {
        assert!(imports(text), "{text}");
    }
}

#[test]
fn what_imports_nothing_is_no_import() {
    for text in [
        "pub use crate::b::B;",
        "// use crate::b::B;",
        "/// [`B`](crate::b::B)\nfn f() {}",
        "#[cfg(test)] use crate::b::B;",
        "#[cfg(all(test, unix))] mod c { use crate::b::B; }",
        "#[cfg(test)] fn f() { crate::b::make() }",
        "fn f() { let text = \"crate::b::B\"; }",
        "pub(in crate::b) fn f() {}",
        "mod c { pub(super) fn f() {} impl S { pub(super) fn f() {} } }",
        "pub use crate::b::make; struct S { make: u8 } fn f(s: S) { s.make(); }",
        "use other::b::B;",
        "fn f() { other::b::make() }",
    ] {
        assert!(!imports(text), "{text}");
    }
    assert!(imports("#[cfg(not(test))] use crate::b::B;"));
}

#[test]
fn a_name_is_followed_to_where_it_is_defined() {
    let b = ("b", "mod inner; pub use inner::Inner; pub use inner as other;");
    let inner = ("b::inner", "pub struct Inner; pub fn make() { crate::c::f() }");
    let c = ("c", "use crate::b::Inner; fn f() {}");
    let read = of(&[("", "mod b; mod c;"), b, inner, c]);
    let circle = "b -> c -> b:\n  b::inner uses c::f\n  c uses b::inner::Inner";
    assert_eq!(read.circles(""), [circle]);
    let renamed = of(&[
        ("", "mod b; mod c;"),
        b,
        inner,
        ("c", "use crate::b::other::make; fn f() {}"),
    ]);
    assert!(
        renamed.circles("")[0].ends_with("c uses b::inner::make"),
        "{:?}",
        renamed.circles("")
    );
}

#[test]
fn circles_are_found_in_every_folder() {
    let files = [
        ("", "mod a;"),
        ("a", "mod x; mod y; mod z; pub struct A;"),
        ("a::x", "use super::y::Y; pub struct X;"),
        ("a::y", "use super::z::Z; pub struct Y;"),
        ("a::z", "pub struct Z;"),
    ];
    let with = |added: &[(&str, &str)]| {
        let text = |name: &str, text: &str| {
            let more = added.iter().filter(|(file, _)| *file == name).map(|(_, more)| *more);
            [text].into_iter().chain(more).collect::<Vec<_>>().join(" ")
        };
        let texts = files.map(|(name, old)| (name, text(name, old)));
        of(&texts.each_ref().map(|(name, text)| (*name, text.as_str())))
    };
    assert_eq!(of(&files).folders().collect::<Vec<_>>(), ["", "a"]);
    assert!(of(&files).circles("").is_empty() && of(&files).circles("a").is_empty());
    let three = with(&[("a::z", "use crate::a::x::X;")]);
    assert!(three.circles("").is_empty());
    assert_eq!(three.circles("a").len(), 1);
    // The folder's own file is a module as its files are.
    let own = ("a", "use x::X; fn f() { z::Z }");
    assert!(with(&[own]).circles("a").is_empty());
    let both = with(&[own, ("a::z", "use super::A;")]);
    assert!(!both.circles("a").is_empty());
    assert!(both.circles_of_files("a").is_empty());
    assert!(
        !with(&[own, ("a::z", "use super::x::X;")])
            .circles_of_files("a")
            .is_empty()
    );
}

#[test]
fn imports_through_the_root_are_found() {
    let found = |a: &str| {
        let read = of(&[("", "mod a; mod b; pub use b::B;"), ("a", a), ("b", "pub struct B;")]);
        read.through_root().count()
    };
    for text in [
        "use crate::B;",
        "use super::B;",
        "use crate::{b, B};",
        "fn f() -> crate::B {}",
        "mod c { use super::super::B; }",
        "#[cfg(test)] mod tests { use crate::B; }",
        "use crate::*;",
    ] {
        assert_eq!(found(text), 1, "{text}");
    }
    for text in [
        "use crate::b::B;",
        "use super::b::B;",
        "use crate::b;",
        "/// [`B`](crate::B)\nfn f() {}",
    ] {
        assert_eq!(found(text), 0, "{text}");
    }
}

#[test]
fn imports_of_all_names_of_a_module_are_found() {
    let found = |a: &str| {
        of(&[("", "mod a; mod b;"), ("a", a), ("b", "pub enum B {}")])
            .globs()
            .count()
    };
    assert_eq!(found("use crate::b::*;"), 1);
    assert_eq!(found("use crate::b::B::*;"), 0);
    assert_eq!(found("#[cfg(test)] mod tests { use crate::b::*; }"), 0);
    assert_eq!(found("mod c { use super::*; }"), 0);
}
