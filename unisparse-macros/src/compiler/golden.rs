//! Snapshots for review, in `tests/golden`. `BLESS=1 cargo test` rewrites them.

mod kernels;
mod support;

use std::fmt::Write as _;
use std::path::PathBuf;

use quote::quote;

use super::compiled::{Compiled, stock_declarations, stock_formats};
use super::emit::text;
use super::example::{Picture, domain};
use super::kernel::{Kernel, OperandKind};
use super::loops::{Array, Stmt, Text, Value, Variables, tighten};
use super::syntax;
use super::traversal::{Context, traverse};

/// Compares the text with the file, or writes the file if `BLESS` is set.
pub(super) fn golden(name: &str, found: &str) -> Result<(), String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        std::fs::write(&path, found).expect("a writable file");
        return Ok(());
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected == found {
        return Ok(());
    }
    let (mut lines, mut number) = (expected.lines().zip(found.lines()), 1);
    let difference = lines.find_map(|(expected, found)| {
        number += 1;
        (expected != found).then(|| format!("line {}\n  expected {expected}\n  found    {found}", number - 1))
    });
    Err(format!(
        "{}: {}",
        path.display(),
        difference.unwrap_or_else(|| "lengths differ".to_owned())
    ))
}

/// Panics with all differences, if there are any.
pub(super) fn report(results: impl Iterator<Item = Result<(), String>>) {
    let errors: Vec<String> = results.filter_map(Result::err).collect();
    assert!(
        errors.is_empty(),
        "{}\nrun `BLESS=1 cargo test` and review the difference",
        errors.join("\n")
    );
}

/// Returns the loops of a kernel whose sparse inputs have these formats, in order of appearance, with their cost.
fn loops_of(kernel: &Kernel, formats: &[&Compiled]) -> String {
    let sparse = |number: &usize| kernel.operands[*number].kind == OperandKind::Sparse;
    let inputs = (1..kernel.operands.len()).filter(sparse);
    let summands: Vec<_> = inputs
        .zip(formats)
        .map(|(number, format)| format.summand(number))
        .collect();
    format!("{}\n{}", kernel.name, text::loops_of(kernel, summands))
}

/// Returns the level table, the traversal and the kernels of a format.
fn show(compiled: &Compiled) -> String {
    let (format, storage) = (&compiled.format, &compiled.storage);
    let mut text = format!("{} = {}\n\n", format.name, format.text);
    for (level, stored) in format.levels.iter().zip(&storage.levels) {
        let (kind, why) = (stored.kind.to_string(), &stored.why);
        let domain = domain(format, level);
        writeln!(text, "{:6} {:8} {domain:26} {kind:18} {why}", level.name, level.text).expect("a string");
    }
    writeln!(
        text,
        "{}",
        if storage.holes {
            "some positions are holes"
        } else {
            "no holes"
        }
    )
    .expect("a string");
    let picture = Picture::new(format, storage).expect("a small tree");
    writeln!(text, "\n{}\n{}", picture.caption, picture.text(format)).expect("a string");
    let mut variables = Variables::default();
    let context = Context::declare(format, storage, &mut variables);
    let loops = traverse(format, storage, &context, &mut variables, |element, _| {
        vec![Stmt::Visit {
            coordinate: element.coordinate,
            value: Value::Load(Array::Values(0), element.position),
            holes: storage.holes,
        }]
    });
    let loops = tighten(loops, &variables);
    write!(text, "\ntraversal\n{}", Text::numbered(&loops, &variables)).expect("a string");
    for (_, kernel) in super::front::stock::stock().filter(|(_, kernel)| kernel.name == "spmv") {
        if kernel.operands[kernel.implementor()].rank == format.dims.len() {
            write!(text, "\n{}", loops_of(&kernel, &[compiled])).expect("a string");
        }
    }
    text
}

#[test]
fn storage_and_loops_of_the_stock_formats() {
    report(
        stock_formats()
            .iter()
            .map(|(name, compiled)| golden(&format!("{name}.txt"), &show(compiled))),
    );
}

/// Returns the items of an expansion for review: the `spmv` kernel, and the struct if `with_struct`.
fn expansion(name: &str, with_struct: bool) -> String {
    let declaration = stock_declarations()
        .into_iter()
        .find(|tokens| syntax::format::name_in(tokens).is_some_and(|found| found == name));
    let declaration = declaration.unwrap_or_else(|| panic!("{name} is no stock format"));
    let file: syn::File = syn::parse2(super::sparse_format(quote!({::unisparse} #declaration))).expect("Rust items");
    let wanted = |item: &syn::Item| match item {
        syn::Item::Struct(_) => with_struct,
        syn::Item::Impl(item) => {
            let path = item.trait_.as_ref().and_then(|(path, ..)| path.segments.last());
            path.is_some_and(|segment| segment.ident == "spmv")
        }
        _ => false,
    };
    let items = file.items.into_iter().filter(wanted).collect();
    prettyplease::unparse(&syn::File {
        items,
        ..syn::parse_quote!()
    })
}

#[test]
fn rust_of_some_stock_formats() {
    let cases = [
        ("Csr", true),
        ("Lil", true),
        ("Dia", false),
        ("Bcsr", false),
        ("Ell", false),
        ("Sell", false),
    ];
    report(
        cases
            .iter()
            .map(|&(name, with_struct)| golden(&format!("{name}.rs"), &expansion(name, with_struct))),
    );
}
