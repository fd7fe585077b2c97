//! The matrices: generated ones, those of the paper that follow a rule, and real ones where they are at hand.

use std::path::PathBuf;

use unisparse::Triplets;

use crate::measure::Random;
use crate::settings::Settings;

/// What kind of values: both types that the peers have.
pub(crate) trait Element:
    unisparse::Scalar
    + From<u16>
    + Into<f64>
    + Default
    + nalgebra_sparse::na::ClosedAddAssign
    + faer::traits::num_traits::Zero
    + faer::traits::ComplexField
    + faer::traits::Conjugate<Canonical = Self>
{
    const NAME: &'static str;

    /// The nearest to `value`.
    fn rounded(value: f64) -> Self;
}

impl Element for f32 {
    const NAME: &'static str = "f32";
    fn rounded(value: f64) -> Self {
        value as f32
    }
}
impl Element for f64 {
    const NAME: &'static str = "f64";
    fn rounded(value: f64) -> Self {
        value
    }
}

/// Elements in some order, no coordinate twice, no value zero.
#[derive(Clone)]
pub(crate) struct Entries<T> {
    pub shape: [usize; 2],
    pub rows: Vec<u32>,
    pub cols: Vec<u32>,
    pub values: Vec<T>,
}

/// An order of elements.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Arrangement {
    /// That of the rows, and of the columns in each.
    Rows,
    /// That of the columns, and of the rows in each, as Matrix Market files are written.
    Columns,
    Shuffled,
}

impl<T: Element> Entries<T> {
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The same elements in another order.
    pub(crate) fn arranged(&self, arrangement: Arrangement) -> Self {
        let mut order: Vec<usize> = (0..self.len()).collect();
        match arrangement {
            Arrangement::Rows => {}
            Arrangement::Columns => order.sort_by_key(|&at| self.cols[at]),
            Arrangement::Shuffled => Random(0x2545_f491_4f6c_dd1d).shuffle(&mut order),
        }
        Entries {
            shape: self.shape,
            rows: order.iter().map(|&at| self.rows[at]).collect(),
            cols: order.iter().map(|&at| self.cols[at]).collect(),
            values: order.iter().map(|&at| self.values[at]).collect(),
        }
    }

    pub(crate) fn triplets(&self) -> Triplets<T, 2> {
        let coordinates = self
            .rows
            .iter()
            .zip(&self.cols)
            .map(|(&i, &j)| [i as usize, j as usize]);
        let triplets = coordinates.zip(self.values.iter().copied());
        Triplets::try_from_triplets(self.shape, triplets).expect("the pattern lies in the shape")
    }
}

/// Where elements are.
pub(crate) struct Pattern {
    shape: [usize; 2],
    /// In the order of rows, each once.
    places: Vec<[u32; 2]>,
}

impl Pattern {
    fn new(shape: [usize; 2], mut places: Vec<[u32; 2]>) -> Self {
        places.sort_unstable();
        places.dedup();
        Pattern { shape, places }
    }

    /// With small whole numbers for values, which both element types hold exactly and of which neighbours differ.
    pub(crate) fn entries<T: Element>(&self) -> Entries<T> {
        let value = |at: usize| T::from((at.wrapping_mul(0x9e37) % 1021) as u16 + 1);
        Entries {
            shape: self.shape,
            rows: self.places.iter().map(|place| place[0]).collect(),
            cols: self.places.iter().map(|place| place[1]).collect(),
            values: (0..self.places.len()).map(value).collect(),
        }
    }
}

/// Which question a matrix answers.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Set {
    /// Large and generated: measured in `f64`.
    Generated,
    /// In the paper's table: measured in `f32`, as there.
    Paper,
}

/// A matrix that can be made.
pub(crate) struct Recipe {
    pub name: String,
    pub set: Set,
    make: Box<dyn Fn() -> Result<Pattern, String> + Send + Sync>,
}

impl Recipe {
    fn new(name: &str, set: Set, make: impl Fn() -> Pattern + Send + Sync + 'static) -> Self {
        Recipe {
            name: name.to_owned(),
            set,
            make: Box::new(move || Ok(make())),
        }
    }

    /// # Errors
    /// What the reader says of the file.
    pub(crate) fn make(&self) -> Result<Pattern, String> {
        (self.make)()
    }

    fn read(name: &str, path: PathBuf) -> Self {
        let make = move || {
            let triplets = unisparse::io::read_matrix_market::<f64>(&path).map_err(|error| error.to_string())?;
            let stored = triplets.iter().filter(|(_, value)| *value != 0.0);
            let places = stored.map(|([i, j], _)| [i as u32, j as u32]).collect();
            Ok(Pattern::new(triplets.shape(), places))
        };
        Recipe {
            name: name.to_owned(),
            set: Set::Paper,
            make: Box::new(make),
        }
    }
}

/// All that the settings ask for.
pub(crate) fn recipes(settings: &Settings) -> Vec<Recipe> {
    if let Some(path) = settings.matrix.as_ref().filter(|name| name.contains(".mtx")) {
        return vec![Recipe::read(path, PathBuf::from(path))];
    }
    let scale = if settings.quick { 2e-4 } else { settings.scale };
    // Blocks of three and of four divide all extents but those of `rmat`.
    let side = |nodes: f64, step: f64| ((nodes * scale).cbrt() / step).round().max(1.0) as i64 * step as i64;
    let (grid, nodes) = (side(600_000.0, 12.0), side(22_000.0, 4.0));
    let log = (19.0 + scale.log2()).round().max(6.0) as u32;
    let extent = ((480_000.0 * scale) as usize).max(96) / 12 * 12;
    let mut all = vec![
        Recipe::new("p3d7", Set::Generated, move || {
            stencil([grid; 3], &cross(), &[[0, 0]], 1)
        }),
        Recipe::new("fem3", Set::Generated, move || {
            stencil([nodes; 3], &cube(), &every(3), 3)
        }),
        Recipe::new("rmat", Set::Generated, move || recursive(log, 10 << log)),
        Recipe::new("unif", Set::Generated, move || uniform(extent, 10)),
    ];
    if !settings.quick {
        all.extend(of_the_paper());
    }
    if let Some(wanted) = &settings.matrix {
        all.retain(|recipe| recipe.name.contains(wanted.as_str()));
    } else {
        // Half a minute a conversion: only when asked for.
        all.retain(|recipe| recipe.name != "transport");
    }
    all
}

/// The matrices of the paper's table: by the rule that gives the pattern, or read.
fn of_the_paper() -> Vec<Recipe> {
    let mut all = vec![
        Recipe::new("chem_master1", Set::Paper, || {
            stencil([201, 201, 1], &cross(), &[[0, 0]], 1)
        }),
        Recipe::new("baumann", Set::Paper, || {
            stencil([11, 101, 101], &cross(), &[[0, 0]], 1)
        }),
        Recipe::new("shyy161", Set::Paper, || staggered(160)),
        Recipe::new("majorbasis", Set::Paper, || blocked(200)),
        Recipe::new("crystm02", Set::Paper, || {
            stencil([19, 7, 35], &cube(), &[[0, 0], [1, 1], [2, 2]], 3)
        }),
        // The exact zeros that the original leaves out are kept.
        Recipe::new("cant", Set::Paper, || stencil([9, 9, 257], &cube(), &every(3), 3)),
        Recipe::new("transport", Set::Paper, || {
            stencil([161, 321, 31], &tetrahedra(), &[[0, 0]], 1)
        }),
    ];
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/paper"));
    for (name, file) in [
        ("wiki-vote", "wiki-Vote.mtx.gz"),
        ("bwm2000", "bwm2000.mtx.gz"),
        ("cari", "cari.mtx.gz"),
        ("gnutella31", "p2p-Gnutella31.mtx.gz"),
        ("cryg10000", "cryg10000.mtx.gz"),
    ] {
        let path = folder.join(file);
        if path.exists() {
            all.push(Recipe::read(name, path));
        } else {
            println!("SKIPPED {name}: {} is not there", path.display());
        }
    }
    all
}

type Offset = [i64; 3];

fn cube() -> Vec<Offset> {
    let around = |at: i64| [at % 3 - 1, at / 3 % 3 - 1, at / 9 - 1];
    (0..27).map(around).collect()
}

fn cross() -> Vec<Offset> {
    let mut all = cube();
    all.retain(|offset| offset.iter().filter(|&&step| step != 0).count() <= 1);
    all
}

/// The neighbours in Kuhn's triangulation: sums of some of three steps, and their negatives.
fn tetrahedra() -> Vec<Offset> {
    let sums = (0..8i64).map(|chosen| [-(chosen & 1), -(chosen >> 1 & 1), chosen >> 2]);
    sums.flat_map(|sum| [sum, sum.map(|step| -step)]).collect()
}

/// All pairs of unknowns at two nodes.
fn every(unknowns: u32) -> Vec<[u32; 2]> {
    (0..unknowns * unknowns)
        .map(|at| [at / unknowns, at % unknowns])
        .collect()
}

/// The nodes of a grid, the first direction the fastest, each coupled with those at `offsets`: of the `unknowns` at both,
/// the pairs in `couplings`.
fn stencil(grid: [i64; 3], offsets: &[Offset], couplings: &[[u32; 2]], unknowns: u32) -> Pattern {
    let number = |at: [i64; 3]| (at[0] + grid[0] * (at[1] + grid[1] * at[2])) as u32;
    let nodes = grid.iter().product::<i64>();
    let mut places = Vec::with_capacity(nodes as usize * offsets.len() * couplings.len());
    for node in 0..nodes {
        let at = [node % grid[0], node / grid[0] % grid[1], node / grid[0] / grid[1]];
        for offset in offsets {
            let to: [i64; 3] = std::array::from_fn(|axis| at[axis] + offset[axis]);
            if to.iter().zip(&grid).all(|(&to, &extent)| (0..extent).contains(&to)) {
                let (row, col) = (number(at) * unknowns, number(to) * unknowns);
                places.extend(couplings.iter().map(|[r, c]| [row + r, col + c]));
            }
        }
    }
    Pattern::new([nodes as usize * unknowns as usize; 2], places)
}

/// A graph with hubs: each edge goes down a tree of quadrants of unequal odds.
fn recursive(log: u32, edges: usize) -> Pattern {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut edge = || {
        let mut place = [0u32; 2];
        for _ in 0..log {
            let [row, col] = match random.below(100) {
                0..57 => [0, 0],
                57..76 => [0, 1],
                76..95 => [1, 0],
                _ => [1, 1],
            };
            place = [place[0] << 1 | row, place[1] << 1 | col];
        }
        place
    };
    Pattern::new([1 << log; 2], (0..edges).map(|_| edge()).collect())
}

fn uniform(extent: usize, per_row: usize) -> Pattern {
    let mut random = Random(0x0fed_cba9_8765_4321);
    let places = (0..extent * per_row).map(|at| [(at / per_row) as u32, random.below(extent) as u32]);
    Pattern::new([extent; 2], places.collect())
}

/// Flow on a staggered grid: the rule of the matrices shyy41 and shyy161.
fn staggered(n: i64) -> Pattern {
    let (inner, faces) = (n - 1, (n - 1) * n);
    let mut places = Vec::new();
    let mut put = |row: i64, offset: i64, there: bool| {
        if there {
            places.push([row as u32, (row + offset) as u32]);
        }
    };
    for i in 0..faces {
        put(i, 0, true);
        put(i, 1, i < faces - 1);
        put(i, -1, i % inner != 0);
        put(i, -inner, i >= inner);
        put(i, -(inner + 1), i > inner);
        put(i, inner, i < faces - inner);
        let row = faces + i;
        put(row, 0, true);
        put(row, -n, true);
        put(row, -1, i % n != 0);
        put(row, n, i < faces - n);
    }
    for k in 0..n * n {
        let row = 2 * faces + k;
        put(row, 1, k % n != n - 1);
        put(row, -1, k % n != 0);
        put(row, n, k < n * n - n);
    }
    Pattern::new([(2 * faces + n * n) as usize; 2], places)
}

/// Four by four blocks, nine-point operators and identities: the rule of majorbasis.
fn blocked(side: i64) -> Pattern {
    let flat: Vec<Offset> = cube().into_iter().filter(|offset| offset[2] == 0).collect();
    let (operator, nodes) = (stencil([side, side, 1], &flat, &[[0, 0]], 1), (side * side) as u32);
    let mut places = Vec::new();
    for [row, col] in [[0, 0], [1, 1], [2, 0], [3, 1]] {
        let moved = operator.places.iter().map(|[i, j]| [row * nodes + i, col * nodes + j]);
        places.extend(moved);
    }
    for row in 0..4 {
        places.extend((2..4).flat_map(|col| (0..nodes).map(move |at| [row * nodes + at, col * nodes + at])));
    }
    Pattern::new([4 * nodes as usize; 2], places)
}
