//! Matrices, and what products with them must be.

use std::collections::BTreeMap;

use unisparse::{Triplets, io};
use unisparse_mpi::World;

use crate::data::shared;
use crate::random::Random;

/// Small real matrices of all kinds.
const REAL: [&str; 20] = [
    "rect/lp_blend",
    "rect/lp_share2b",
    "rect/lp_e226",
    "rect/ash219",
    "rect/abb313",
    "rect/lp_scsd1",
    "rect/muelu-maxwell-D0",
    "structured/saylr3",
    "structured/sherman1",
    "structured/olm1000",
    "structured/pde900",
    "circuit/rajat19",
    "paper/bwm2000",
    "structured/tols4000",
    "graph/citeseer",
    "graph/G32",
    "graph/EPA",
    "structured/dw1024",
    "structured/watt_2",
    "structured/can_1072",
];

/// The number of columns of dense matrices.
pub(crate) const WIDTH: usize = 3;

/// A matrix of small integers, so that sums are exact in any order.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) all: Triplets<f64, 2>,
    pub(crate) elements: BTreeMap<[usize; 2], f64>,
    /// `A x`, `Aᵀ x` and `A B`, each summed element by element.
    pub(crate) product: Vec<f64>,
    pub(crate) transposed: Vec<f64>,
    pub(crate) wide: Vec<f64>,
}

/// The operands of products.
pub(crate) fn x(at: usize) -> f64 {
    ((at * 7 + 3) % 11) as f64 - 4.0
}

pub(crate) fn b([row, column]: [usize; 2]) -> f64 {
    ((row * 5 + column * 3) % 13) as f64 - 6.0
}

impl Case {
    pub(crate) fn new(name: &str, all: Triplets<f64, 2>) -> Self {
        let [rows, columns] = all.shape();
        let mut elements = BTreeMap::new();
        for (at, value) in all.iter() {
            *elements.entry(at).or_insert(0.0) += value;
        }
        let (mut product, mut transposed) = (vec![0.0; rows], vec![0.0; columns]);
        let mut wide = vec![0.0; rows * WIDTH];
        for (&[i, j], value) in &elements {
            product[i] += value * x(j);
            transposed[j] += value * x(i);
            for column in 0..WIDTH {
                wide[i * WIDTH + column] += value * b([j, column]);
            }
        }
        Case {
            name: name.to_owned(),
            all,
            elements,
            product,
            transposed,
            wide,
        }
    }

    /// Returns the elements that a rank passes: dealt out, whoever owns them.
    pub(crate) fn dealt(&self, world: &World) -> Triplets<f64, 2> {
        let mine = self
            .all
            .iter()
            .enumerate()
            .filter(|(at, _)| at % world.size() == world.rank());
        Triplets::try_from_triplets(self.all.shape(), mine.map(|(_, element)| element)).expect("they are inside")
    }
}

/// Returns real matrices, with small integers as values, if they are there.
pub(crate) fn real() -> Vec<Case> {
    let read = |name: &&str| {
        let path = shared(&format!("data/{name}.mtx.gz"))?;
        let matrix = io::read_matrix_market::<f64>(path).expect("a real matrix is read");
        let shape = matrix.shape();
        let numbers = matrix
            .iter()
            .map(|([i, j], _)| ([i, j], ((i * 31 + j * 17) % 7 + 1) as f64));
        Some(Case::new(
            name,
            Triplets::try_from_triplets(shape, numbers).expect("they are inside"),
        ))
    };
    REAL.iter().filter_map(read).collect()
}

/// Returns matrices with fewer rows than ranks, ranks without elements, repeated elements, and no elements at all.
pub(crate) fn degenerate() -> Vec<Case> {
    let mut random = Random::new(7);
    let mut cases = Vec::new();
    for shape in [[0, 0], [0, 5], [5, 0], [1, 1], [3, 2], [2, 70], [70, 2], [40, 40]] {
        let name = format!("{} x {}", shape[0], shape[1]);
        cases.push(Case::new(&format!("{name}, empty"), Triplets::new(shape)));
        cases.push(Case::new(
            &format!("{name}, repeated"),
            random.triplets(shape, 2 * shape[0].max(shape[1])),
        ));
    }
    let of = |name, shape, elements: Vec<([usize; 2], f64)>| {
        Case::new(
            name,
            Triplets::try_from_triplets(shape, elements).expect("they are inside"),
        )
    };
    cases.push(of("last row", [50, 50], (0..50).map(|j| ([49, j], 2.0)).collect()));
    cases.push(of("first column", [50, 50], (0..50).map(|i| ([i, 0], 3.0)).collect()));
    cases.push(of(
        "arrow",
        [60, 60],
        (0..60)
            .flat_map(|i| [([i, i], 1.0), ([0, i], 2.0), ([i, 0], 3.0)])
            .collect(),
    ));
    cases.push(of("reversed", [33, 33], (0..33).map(|i| ([i, 32 - i], 4.0)).collect()));
    cases
}
