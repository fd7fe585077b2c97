//! The matricised tensor times the Khatri-Rao product.

use unisparse::SparseTensor;
use unisparse::formats::Csf;
use unisparse::kernels::mttkrp as kernel;

use crate::harness::computation::is_close;
use crate::harness::matrices::Element;
use crate::harness::measure::{Contestant, Rules, Shot};
use crate::harness::peers::Peers;
use crate::harness::report::{Row, Subject};
use crate::harness::tensors::{Fibers, Tensor};

pub(crate) fn mttkrp<T: Element>(tensor: &Tensor, rank: usize, peers: &Peers, rules: Rules) -> Row {
    let factor = |extent: usize| -> Vec<T> {
        (0..extent * rank)
            .map(|at| T::rounded(1.0 + (at % 13) as f64 / 8.0))
            .collect()
    };
    let (b, c) = (factor(tensor.shape[1]), factor(tensor.shape[2]));
    let zeros = || vec![T::default(); tensor.shape[0] * rank];
    let expected = sums(tensor, rank, &b, &c);
    let check = |name: &str, found: &[T]| {
        let close = found.iter().zip(&expected).all(|(&found, &sum)| is_close(found, sum));
        assert!(close && found.len() == expected.len(), "{name}: another result");
    };

    let x: Csf<T> = tensor.triplets().convert().expect("fibers are never refused here");
    let mut own = zeros();
    kernel(&mut own, &x, &b, &c).expect("the operands fit");
    check("Csf", &own);
    let dense = (own.len() + b.len() + c.len()) * size_of::<T>();
    let (left, right) = (&b, &c);
    let bytes = SparseTensor::bytes(&x) + dense;
    let ours = Contestant::ours("Csf", move |shot| shot.time(|| kernel(&mut own, &x, left, right)));
    let mut contestants = vec![ours.of_bytes(bytes)];

    if let Some(plain) = &peers.shims.c {
        let fibers = Fibers::of(tensor);
        let mut m = zeros();
        plain.mttkrp(&fibers, rank, &mut m, &b, &c);
        check("plain C", &m);
        let run = move |shot: Shot| shot.time(|| plain.mttkrp(&fibers, rank, &mut m, left, right));
        contestants.push(Contestant::new("plain C", run));
    }
    let flops = 2.0 * (tensor.places.len() + tensor.fibers().len()) as f64 * rank as f64;
    let subject = Subject {
        name: tensor.name.to_owned(),
        structured: false,
        elements: tensor.places.len(),
        flops,
    };
    Row::measured(subject, contestants, rules)
}

fn sums<T: Element>(tensor: &Tensor, rank: usize, b: &[T], c: &[T]) -> Vec<f64> {
    let mut sums = vec![0.0; tensor.shape[0] * rank];
    for (at, place) in tensor.places.iter().enumerate() {
        let [i, j, k] = place.map(|at| at as usize * rank);
        let value: f64 = Tensor::value::<T>(at).into();
        for r in 0..rank {
            sums[i + r] += value * Into::<f64>::into(b[j + r]) * Into::<f64>::into(c[k + r]);
        }
    }
    sums
}
