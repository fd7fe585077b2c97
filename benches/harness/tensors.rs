//! Tensors of three dims, for MTTKRP.

use unisparse::Triplets;

use super::data::shared;
use super::matrices::Element;
use super::random::Random;

/// A tensor with sorted elements.
pub(crate) struct Tensor {
    pub name: &'static str,
    pub shape: [usize; 3],
    pub places: Vec<[u32; 3]>,
}

impl Tensor {
    fn new(name: &'static str, shape: [usize; 3], mut places: Vec<[u32; 3]>) -> Self {
        places.sort_unstable();
        places.dedup();
        Tensor { name, shape, places }
    }

    pub(crate) fn value<T: Element>(at: usize) -> T {
        T::rounded((at % 1021 + 1) as f64)
    }

    pub(crate) fn triplets<T: Element>(&self) -> Triplets<T, 3> {
        let elements = self.places.iter().enumerate();
        let elements = elements.map(|(at, place)| (place.map(|at| at as usize), Self::value(at)));
        Triplets::try_from_triplets(self.shape, elements).expect("the places lie in the shape")
    }

    /// Returns the position of the first element of each distinct `(i, j)`, and the end.
    pub(crate) fn fibers(&self) -> Vec<usize> {
        let starts = (0..self.places.len()).filter(|&at| at == 0 || self.places[at][..2] != self.places[at - 1][..2]);
        starts.chain([self.places.len()]).collect()
    }
}

/// A tensor of three dims as compressed fibers, for peers: the arrays of each level, the last with the values.
pub(crate) struct Fibers<T> {
    pub shape: [usize; 3],
    /// The start of the fibers of each `i`.
    pub slices: Vec<u32>,
    /// The `j` of each fiber.
    pub rows: Vec<u32>,
    /// The start of the elements of each fiber.
    pub starts: Vec<u32>,
    /// The `k` of each element.
    pub cols: Vec<u32>,
    pub values: Vec<T>,
}

impl<T: Element> Fibers<T> {
    pub(crate) fn of(tensor: &Tensor) -> Self {
        let starts = tensor.fibers();
        let first: Vec<[u32; 3]> = starts[..starts.len() - 1].iter().map(|&at| tensor.places[at]).collect();
        let slices = (0..=tensor.shape[0] as u32).map(|i| first.partition_point(|place| place[0] < i) as u32);
        Fibers {
            shape: tensor.shape,
            slices: slices.collect(),
            rows: first.iter().map(|place| place[1]).collect(),
            starts: starts.iter().map(|&at| at as u32).collect(),
            cols: tensor.places.iter().map(|place| place[2]).collect(),
            values: (0..tensor.places.len()).map(Tensor::value).collect(),
        }
    }
}

/// Random tensors with short and with long fibers, and a real one if present.
pub(crate) fn tensors(scale: f64, quick: bool) -> Vec<Tensor> {
    let mut all = vec![
        random("short fibers", [3000, 2500, 2000], 3e6 * scale, scale),
        random("long fibers", [300, 400, 500], 6e6 * scale, scale),
        random("in cache", [200, 150, 100], 2e5 * scale, scale),
    ];
    if quick {
        return all;
    }
    if let Some(path) = shared("data/tensors/kg-FB15k-237.tns.gz") {
        let triplets: Triplets<f64, 3> = unisparse::io::read_tns(path).expect("the file is a tensor");
        let places = triplets.iter().map(|(place, _)| place.map(|at| at as u32));
        all.push(Tensor::new("FB15k-237", triplets.shape(), places.collect()));
    }
    all
}

fn random(name: &'static str, shape: [usize; 3], count: f64, scale: f64) -> Tensor {
    let mut random = Random(0x8531_9ab7_1e2f_44c9);
    let shape = shape.map(|extent| (extent as f64 * scale.cbrt()).ceil() as usize);
    let place = |_| shape.map(|extent| random.below(extent) as u32);
    Tensor::new(name, shape, (0..count as usize).map(place).collect())
}
