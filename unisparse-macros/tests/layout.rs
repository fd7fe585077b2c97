//! Imports between the modules of the compiler run one way: no module imports one that imports it, however indirectly.

use layout::Crate;
use std::path::Path;

fn read() -> Crate {
    let read = Crate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
    assert!(read.count() > 100, "{} modules", read.count());
    read
}

#[test]
fn no_module_imports_itself_through_others() {
    let circles = read().circles("compiler");
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn no_file_of_a_folder_imports_itself_through_others() {
    let read = read();
    let in_folder = |folder: String| {
        let circles = read.circles_of_files(&folder);
        circles
            .into_iter()
            .map(move |circle| format!("in crate::{folder}: {circle}"))
    };
    let circles: Vec<String> = read.folders().flat_map(in_folder).collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn every_import_names_the_item_and_its_module() {
    let read = read();
    let imports: Vec<&str> = read.through_root().chain(read.globs()).collect();
    assert!(imports.is_empty(), "{}", imports.join("\n"));
}
