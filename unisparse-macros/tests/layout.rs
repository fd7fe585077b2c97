//! Imports between the modules of the compiler run one way: no module imports one that imports it, however indirectly.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of the compiler that only tests have.
const OF_TESTS: [&str; 4] = ["brute", "compiled", "generated", "golden"];

type Imports = BTreeMap<String, BTreeSet<String>>;

/// Adds what a file imports from other modules of the compiler: every `compiler::name` in it, up to its tests.
fn add_imports(file: &Path, module: &str, imports: &mut Imports) {
    let text = fs::read_to_string(file).expect("a file of the compiler");
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for path in line.split("compiler::").skip(1) {
            assert!(
                !path.starts_with('{'),
                "{}: write one `use` for each module: {line}",
                file.display()
            );
            let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if name != module {
                imports.entry(module.to_owned()).or_default().insert(name);
            }
        }
    }
}

fn add_folder(folder: &Path, module: &str, imports: &mut Imports) {
    for entry in fs::read_dir(folder).expect("a folder of the compiler") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "tests" {
            add_folder(&path, module, imports);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests" {
            add_imports(&path, module, imports);
        }
    }
}

/// The imports of each module, those of tests left out.
fn imports() -> Imports {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compiler");
    let mut imports = Imports::new();
    for entry in fs::read_dir(&folder).expect("the compiler") {
        let path = entry.expect("an entry").path();
        let module = path
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        if module == "mod" || OF_TESTS.contains(&module.as_str()) {
            continue;
        }
        if path.is_dir() {
            add_folder(&path, &module, &mut imports);
        } else {
            add_imports(&path, &module, &mut imports);
        }
    }
    imports
}

/// A way from the module back to itself, if there is one.
fn circle(imports: &Imports, from: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![from.to_owned()]];
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        for next in imports.get(way.last()?).into_iter().flatten() {
            let longer: Vec<String> = way.iter().cloned().chain([next.clone()]).collect();
            if next == from {
                return Some(longer);
            }
            if seen.insert(next.clone()) {
                ways.push(longer);
            }
        }
    }
    None
}

#[test]
fn no_module_of_the_compiler_imports_itself_through_others() {
    let imports = imports();
    assert!(imports.len() > 10, "{} modules", imports.len());
    let circles: Vec<String> = imports
        .keys()
        .filter_map(|module| circle(&imports, module))
        .map(|way| way.join(" -> "))
        .collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let mut imports = imports();
    imports
        .entry("syntax".to_owned())
        .or_default()
        .insert("front".to_owned());
    assert!(circle(&imports, "syntax").is_some());
}
