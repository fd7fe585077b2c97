//! Imports between the modules of the compiler run one way: no module imports one that imports it, however indirectly.

use layout::Crate;

fn read() -> Crate {
    Crate::of_package(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn no_module_imports_itself_through_others() {
    let circles = read().circles("compiler");
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn no_file_of_a_folder_imports_itself_through_others() {
    let circles = read().in_every_folder(Crate::circles_of_files);
    assert!(circles.is_empty(), "{circles}");
}

#[test]
fn every_import_names_the_item_and_its_module() {
    let read = read();
    let imports: Vec<&str> = read.through_root().chain(read.globs()).collect();
    assert!(imports.is_empty(), "{}", imports.join("\n"));
}
