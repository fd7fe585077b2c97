//! The imports between the modules of a crate, for tests of its layout.
//!
//! Every path counts: in `use` lines, in bodies and in macros. It is resolved to the module that defines the item, through
//! re-exports. A re-export itself imports nothing. Methods are not seen, only the paths of types and traits.

mod circle;
mod scan;
#[cfg(test)]
mod tests;

use circle::{Imports, circles};
use scan::{Item, Scanned, scan};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::slice;

/// A module, by its names from the crate root.
type ModulePath = Vec<String>;

/// A path in the code of a file to an item of another file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    from: ModulePath,
    to: ModulePath,
    item: String,
}

/// The modules of a crate, and the paths between their files.
#[derive(Debug, Default)]
pub struct Crate {
    modules: BTreeMap<ModulePath, Module>,
    uses: BTreeSet<Use>,
    through_root: BTreeSet<String>,
    globs: BTreeSet<String>,
}

#[derive(Debug)]
struct Module {
    scanned: Scanned,
    /// The module that is a file: this one, or the one that it is written in.
    file: ModulePath,
    of_tests: bool,
}

impl Crate {
    /// Reads the library of the package in a folder, which must have modules: `env!("CARGO_MANIFEST_DIR")`.
    ///
    /// # Panics
    /// If a file is missing or is not Rust, or if there are not more than 100 modules.
    #[must_use]
    pub fn of_package(folder: &str) -> Self {
        let read = Self::read(&Path::new(folder).join("src/lib.rs"));
        assert!(read.count() > 100, "{} modules", read.count());
        read
    }

    /// Returns the circles that `circles` finds in each folder, a line each.
    #[must_use]
    pub fn in_every_folder(&self, circles: impl Fn(&Self, &str) -> Vec<String>) -> String {
        let of_folder = |folder: String| {
            let circles = circles(self, &folder).into_iter();
            circles.map(move |circle| format!("in crate::{folder}: {circle}\n"))
        };
        self.folders().flat_map(of_folder).collect()
    }

    /// Reads a crate from its root file.
    ///
    /// # Panics
    /// If a file is missing or is not Rust.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let mut read = Crate::default();
        read.add_file(root, root.parent().expect("a folder"), &[], false);
        read.link();
        read
    }

    /// The number of modules, those of tests left out.
    #[must_use]
    pub fn count(&self) -> usize {
        self.modules.values().filter(|module| !module.of_tests).count()
    }

    /// The paths to an item that the root only re-exports, instead of to the module that has it; in tests, too.
    pub fn through_root(&self) -> impl Iterator<Item = &str> {
        self.through_root.iter().map(String::as_str)
    }

    /// The imports of all names of a module, which do not show what is imported; those of tests are left out.
    pub fn globs(&self) -> impl Iterator<Item = &str> {
        self.globs.iter().map(String::as_str)
    }

    /// The modules that have files of their own below them.
    pub fn folders(&self) -> impl Iterator<Item = String> {
        let files = self.modules.values().filter(|module| !module.of_tests);
        let parents: BTreeSet<&[String]> = files.filter_map(|module| Some(module.file.split_last()?.1)).collect();
        parents.into_iter().map(|path| path.join("::"))
    }

    /// The circles of imports in a folder, among its files, its folders and its own file `mod.rs`. Each is given with one import
    /// for each step.
    ///
    /// # Panics
    /// If there is no such folder.
    #[must_use]
    pub fn circles(&self, folder: &str) -> Vec<String> {
        circles(&self.imports(folder))
    }

    /// As [`circles`](Crate::circles), regardless of the folder's own file `mod.rs`.
    ///
    /// # Panics
    /// If there is no such folder.
    #[must_use]
    pub fn circles_of_files(&self, folder: &str) -> Vec<String> {
        let mut imports = self.imports(folder);
        imports.remove("mod");
        circles(&imports)
    }

    fn imports(&self, folder: &str) -> Imports {
        let folder = module_path(folder);
        assert!(self.modules.contains_key(&folder), "no module {}", folder.join("::"));
        let inside = |path: &ModulePath| {
            let below = path.strip_prefix(&*folder)?;
            Some(below.first().map_or("mod", |name| name).to_owned())
        };
        let mut imports = Imports::new();
        for step in &self.uses {
            if let (Some(from), Some(to)) = (inside(&step.from), inside(&step.to)) {
                let text = || format!("{} uses {}::{}", step.from.join("::"), step.to.join("::"), step.item);
                if from != to {
                    imports.entry(from).or_default().entry(to).or_insert_with(text);
                }
            }
        }
        imports
    }

    /// Adds the module of a file and the modules that it declares.
    fn add_file(&mut self, file: &Path, folder: &Path, path: &[String], of_tests: bool) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (child, of_tests) in self.add(scan(&text), path, path, of_tests) {
            let inner = folder.join(child[path.len()..].join("/"));
            let flat = inner.with_extension("rs");
            let file = if flat.exists() { flat } else { inner.join("mod.rs") };
            self.add_file(&file, &inner, &child, of_tests);
        }
    }

    /// Adds a module and those inside its file; returns the modules that have files of their own.
    fn add(
        &mut self,
        mut scanned: Scanned,
        path: &[String],
        file: &[String],
        of_tests: bool,
    ) -> Vec<(ModulePath, bool)> {
        assert!(of_tests || !scanned.elsewhere, "a `#[path]` in {}", path.join("::"));
        let below = |name: &str| [path, slice::from_ref(&name.to_owned())].concat();
        let mut files = Vec::new();
        for (name, inner, in_tests) in scanned.modules.drain(..) {
            match inner {
                Some(inner) => files.extend(self.add(inner, &below(&name), file, of_tests || in_tests)),
                None => files.push((below(&name), of_tests || in_tests)),
            }
        }
        let file = file.to_vec();
        let module = Module {
            scanned,
            file,
            of_tests,
        };
        self.modules.insert(path.to_vec(), module);
        files
    }

    /// Resolves all paths.
    fn link(&mut self) {
        let (mut uses, mut through_root, mut globs) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for (path, module) in &self.modules {
            for import in &module.scanned.imports {
                let Some(absolute) = self.absolute(path, &import.path) else {
                    continue;
                };
                let text = || format!("{}: crate::{}", path.join("::"), absolute.join("::"));
                let (first, of_tests) = (absolute.first(), module.of_tests || import.of_tests);
                if !path.is_empty() && first.is_some_and(|name| !self.modules.contains_key(slice::from_ref(name))) {
                    through_root.insert(text());
                }
                let (to, item) = self.resolve(&absolute, 0).unwrap_or_default();
                if of_tests || import.re_export || self.modules[&to].file == module.file {
                    continue;
                }
                if item == "*" {
                    globs.insert(text());
                }
                let (from, to) = (module.file.clone(), self.modules[&to].file.clone());
                uses.insert(Use { from, to, item });
            }
        }
        (self.uses, self.through_root, self.globs) = (uses, through_root, globs);
    }

    /// The path from the crate root, if it begins at a module of this crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<ModulePath> {
        let (first, tail) = path.split_first()?;
        let mut base = module.to_vec();
        let rest = match first.as_str() {
            "crate" => {
                base.clear();
                tail
            }
            "self" | "super" => {
                let is_step = |name: &&String| *name == "self" || *name == "super";
                let steps = path.iter().take_while(is_step).count();
                for _ in path[..steps].iter().filter(|name| *name == "super") {
                    base.pop()?;
                }
                &path[steps..]
            }
            name => match self.modules[module].scanned.items.get(name)? {
                Item::Module => path,
                Item::Alias(alias) => {
                    base = self.absolute_alias(module, name, alias)?;
                    let (inside, item) = self.resolve(&base, 0)?;
                    // What is inside a type has no path of its own.
                    if !tail.is_empty() && inside.last() != Some(&item) {
                        return None;
                    }
                    tail
                }
                Item::Defined => return None,
            },
        };
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// The absolute path of an alias; an alias that begins with itself is of another crate.
    fn absolute_alias(&self, module: &[String], name: &str, alias: &[String]) -> Option<ModulePath> {
        (alias.first()? != name).then(|| self.absolute(module, alias))?
    }

    /// The module that defines what a path from the crate root names, and the last name; `None` for items of other crates.
    fn resolve(&self, path: &[String], depth: usize) -> Option<(ModulePath, String)> {
        assert!(depth < 20, "an alias of itself: {}", path.join("::"));
        let mut module = ModulePath::new();
        for (at, name) in path.iter().enumerate() {
            match self.modules[&module].scanned.items.get(name) {
                Some(Item::Module) => module.push(name.clone()),
                Some(Item::Alias(alias)) => {
                    let mut target = self.absolute_alias(&module, name, alias)?;
                    target.extend(path[at + 1..].iter().cloned());
                    return self.resolve(&target, depth + 1);
                }
                // What is not found is made by a macro of this module.
                Some(Item::Defined) | None => return Some((module, name.clone())),
            }
        }
        let name = module.last().cloned().unwrap_or_default();
        Some((module, name))
    }
}

fn module_path(text: &str) -> ModulePath {
    text.split("::")
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}
