//! Which matrices there are, by name, and what each is for.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::paper::of_the_paper;
use super::patterns::{cross, cube, every, noisy, recursive, stencil, uniform};
use super::{Element, Entries, Pattern};
use crate::harness::report::Subject;

/// Which question a matrix answers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Set {
    /// Generated, about five million elements: conversions.
    Generated,
    /// In the paper's table.
    Paper,
    /// Generated, beyond all caches.
    Large,
    /// Generated, of the same kinds, within the caches.
    Small,
    /// From collections of real matrices.
    Real,
    /// Ten by ten: what a call costs.
    Tiny,
}

impl Set {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Set::Generated => "generated",
            Set::Paper => "paper",
            Set::Large => "large",
            Set::Small => "in cache",
            Set::Real => "real",
            Set::Tiny => "10 x 10",
        }
    }
}

/// A matrix that can be made.
pub(crate) struct Recipe {
    pub name: String,
    pub set: Set,
    /// Whether most elements lie on few diagonals or in dense blocks.
    pub structured: bool,
    make: Box<dyn Fn() -> Result<Pattern, String> + Send + Sync>,
    /// What was made.
    made: OnceLock<Result<Pattern, String>>,
}

impl Recipe {
    pub(super) fn new(name: &str, set: Set, make: impl Fn() -> Pattern + Send + Sync + 'static) -> Self {
        Recipe {
            name: name.to_owned(),
            set,
            structured: false,
            make: Box::new(move || Ok(make())),
            made: OnceLock::new(),
        }
    }

    fn structured(self) -> Self {
        Recipe {
            structured: true,
            ..self
        }
    }

    /// # Errors
    /// What the reader says of the file.
    pub(crate) fn entries<T: Element>(&self) -> Result<Entries<T>, String> {
        let made = self.made.get_or_init(|| (self.make)());
        Ok(made.as_ref().map_err(Clone::clone)?.entries())
    }

    /// What is compared over it: with so many elements, and so many operations.
    pub(crate) fn subject(&self, elements: usize, flops: f64) -> Subject {
        Subject {
            name: self.name.clone(),
            structured: self.structured,
            elements,
            flops,
        }
    }

    /// A Matrix Market file.
    pub(crate) fn read(name: &str, set: Set, path: PathBuf) -> Self {
        let make = move || {
            let triplets = unisparse::io::read_matrix_market::<f64>(&path).map_err(|error| error.to_string())?;
            let stored = triplets.iter().filter(|(_, value)| *value != 0.0);
            let places = stored.map(|([i, j], _)| [i as u32, j as u32]).collect();
            Ok(Pattern::new(triplets.shape(), places))
        };
        Recipe {
            name: name.to_owned(),
            set,
            structured: false,
            make: Box::new(make),
            made: OnceLock::new(),
        }
    }

    /// Those of these files that are there. The others are named.
    pub(super) fn of_files(set: Set, files: &[(&str, &str)]) -> Vec<Self> {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data"));
        let mut all = Vec::new();
        for (name, file) in files {
            let path = folder.join(format!("{file}.mtx.gz"));
            if path.exists() {
                all.push(Recipe::read(name, set, path));
            } else {
                println!("SKIPPED {name}: {} is not there", path.display());
            }
        }
        all
    }
}

/// All matrices of some sets, those generated with about so many elements times `scale`.
pub(crate) fn recipes(sets: &[Set], scale: f64) -> Vec<Recipe> {
    let mut all = Vec::new();
    for &set in sets {
        match set {
            Set::Generated => {
                let wanted = |recipe: &Recipe| ["p3d7", "fem3", "rmat", "unif"].contains(&recipe.name.as_str());
                all.extend(generated(set, 4.5e6 * scale, "").into_iter().filter(wanted));
            }
            Set::Large => all.extend(generated(set, 7e6 * scale, "")),
            Set::Small => all.extend(generated(set, 4e5 * scale, "s")),
            Set::Paper => all.extend(of_the_paper()),
            Set::Real => all.extend(Recipe::of_files(set, &REAL)),
            Set::Tiny => all.push(Recipe::new("tiny", set, || stencil([10, 1, 1], &cross(), &[[0, 0]], 1))),
        }
    }
    all
}

/// One of each kind: finite elements, circuits, meshes, graphs, weights of networks, chemistry.
const REAL: [(&str, &str); 14] = [
    ("nsjac", "structured/nsjac"),
    ("bcsstk25", "structured/bcsstk25"),
    ("s1rmq4m1", "structured/s1rmq4m1"),
    ("lhr10", "structured/lhr10"),
    ("lap3d_40", "structured/lap3d_40"),
    ("xpetra-A-9pt", "structured/xpetra-A-9pt"),
    ("ACTIVSg10K", "circuit/ACTIVSg10K"),
    ("wave", "graph/wave"),
    ("mdual", "graph/mdual"),
    ("NotreDame_www", "graph/NotreDame_www"),
    ("cage10", "graph/cage10"),
    ("gnutella31", "paper/p2p-Gnutella31"),
    ("ogbl-ddi", "paper/ogbl-ddi"),
    ("ffn2-0.7", "dlmc/transformer-mp0.7-enc0-ffn2"),
];

/// One of each kind, with about so many elements.
fn generated(set: Set, elements: f64, suffix: &str) -> Vec<Recipe> {
    // Blocks of three and of four divide all extents but those of `rmat`.
    let side = |extent: f64, step: f64| (extent / step).round().max(1.0) as i64 * step as i64;
    let flat = side((elements / 5.0).sqrt(), 12.0);
    let grid = side((elements / 7.0).cbrt(), 12.0);
    let full = side((elements / 27.0).cbrt(), 12.0);
    let nodes = side((elements / 243.0).cbrt(), 4.0);
    let log = (elements / 10.0).log2().round().max(6.0) as u32;
    let extent = ((elements / 10.0) as usize).max(96) / 12 * 12;
    let banded = ((elements / 7.2) as usize).max(96) / 12 * 12;
    let recipe =
        |name: &str, make: Box<dyn Fn() -> Pattern + Send + Sync>| Recipe::new(&format!("{name}{suffix}"), set, make);
    vec![
        recipe(
            "p2d5",
            Box::new(move || stencil([flat, flat, 1], &cross(), &[[0, 0]], 1)),
        )
        .structured(),
        recipe("p3d7", Box::new(move || stencil([grid; 3], &cross(), &[[0, 0]], 1))).structured(),
        recipe("p3d27", Box::new(move || stencil([full; 3], &cube(), &[[0, 0]], 1))).structured(),
        recipe("fem3", Box::new(move || stencil([nodes; 3], &cube(), &every(3), 3))).structured(),
        recipe("noise", Box::new(move || noisy(banded, 200))).structured(),
        recipe("rmat", Box::new(move || recursive(log, 10 << log))),
        recipe("unif", Box::new(move || uniform(extent, 10))),
    ]
}
