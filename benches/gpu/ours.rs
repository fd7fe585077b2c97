//! Products by this crate.

use unisparse::cuda::{Element, Gpu};
use unisparse::kernels::{spmm, spmm_on, spmv, spmv_on};
use unisparse::prelude::*;

use super::contestant::Contestant;
use super::problem::{Problem, Real};

fn failed(error: impl ToString) -> String {
    error.to_string()
}

/// Returns the product of the problem in the format `A`, or why there is none: some formats need too much memory.
fn product<'a, T, A>(gpu: &'a Gpu, problem: &Problem<T>, name: &str) -> Result<Contestant<'a>, String>
where
    T: Real + Element<Result = T>,
    A: SparseTensor<2, Scalar = T>
        + spmv
        + spmm
        + unisparse::cuda::Upload<Uploaded = unisparse::cuda::Tensor<A>>
        + 'static,
{
    let a: A = problem.triplets.convert().map_err(failed)?;
    let bytes = a.bytes() + problem.bytes_of_vectors();
    let (a, x) = (gpu.upload(&a).map_err(failed)?, gpu.upload(&problem.x).map_err(failed)?);
    let y = gpu.zeros::<T>(problem.rows() * problem.columns).map_err(failed)?;
    let y = std::rc::Rc::new(std::cell::RefCell::new(y));
    let (into, columns) = (std::rc::Rc::clone(&y), problem.columns);
    let run = move |repeats: usize| -> Result<f64, String> {
        let mut y = into.borrow_mut();
        let start = gpu.record().map_err(failed)?;
        for _ in 0..repeats {
            let enqueued = match columns {
                1 => spmv_on(gpu, &mut y, &a, &x),
                _ => spmm_on(gpu, &mut y, &a, &x),
            };
            enqueued.map_err(failed)?;
        }
        let end = gpu.record().map_err(failed)?;
        Ok(end.since(&start).map_err(failed)?.as_secs_f64() * 1e3)
    };
    Ok(Contestant {
        name: name.to_owned(),
        bytes,
        run: Box::new(run),
        result: Box::new(move || {
            let y = y.borrow().download().map_err(failed)?;
            Ok(y.into_iter().map(Into::into).collect())
        }),
    })
}

/// Returns the products of the problem in the formats that suit devices.
pub(crate) fn products<'a, T>(gpu: &'a Gpu, problem: &Problem<T>) -> Vec<Result<Contestant<'a>, String>>
where
    T: Real + Element<Result = T>,
{
    macro_rules! all {
        ($($format:ty),*) => { vec![$(product::<T, $format>(gpu, problem, stringify!($format))),*] };
    }
    all!(Csr<T>, Coo<T>, Sell<T, 32, 1024>, Bdia<T, 64>, BdiaCsr<T, 64>, Bell<T, 16>)
}
