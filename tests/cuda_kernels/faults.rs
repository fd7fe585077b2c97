//! Kernels with faults that were put in: the stand-in names each.

use std::collections::BTreeSet;

use unisparse::__private::c::Kernels;
use unisparse::prelude::*;

use super::{dot, product, sampled, scattered};
use crate::calls::{call, call_sparse};
use crate::data::{Input, arrays_as, dense};
use crate::operands::{Operands, operands};
use crate::program::{Call, run_changed};
use crate::sample::sample;

/// A fault: what is replaced in the text, and a part of what is reported.
struct Fault {
    name: &'static str,
    replaced: [&'static str; 2],
    reported: &'static str,
}

/// Changes the kernels of a call, and returns the faults that are not reported as expected: of every second report its first fault, and
/// all faults at night.
fn unnoticed(call: &Call, faults: &[Fault]) -> Vec<String> {
    let report = |fault: &Fault| {
        let reported = run_changed(fault.name, call, fault.replaced)?;
        let Fault {
            name,
            reported: expected,
            ..
        } = fault;
        (!reported.contains(expected)).then(|| format!("{name}: `{reported}` does not say `{expected}`"))
    };
    let mut reports = BTreeSet::new();
    let some = faults
        .iter()
        .filter(|fault| reports.insert(fault.reported) || cfg!(every_product));
    sample(some, 0, 2).into_iter().filter_map(report).collect()
}

/// Returns a call over a `Csr` of doubles.
fn of_csr(kernels: Kernels, others: &[&[f64]], extents: &[usize], after: &[f64], a: &Csr<f64>) -> Call {
    let mut inputs = vec![Input::Tensor(vec![arrays_as(a, |number| number)])];
    inputs.extend(others.iter().map(|other| dense(other)));
    call(
        kernels,
        inputs,
        (extents, &[]),
        (&vec![7.0; after.len()], after),
        |number| number,
    )
}

#[test]
fn faults_are_reported_by_name() {
    let all = operands();
    let Operands {
        triplets,
        rows,
        cols,
        ranks,
        x,
        s,
        p,
        q,
        ..
    } = &all[4];
    let (rows, cols, ranks) = (*rows, *cols, *ranks);
    let a: Csr<f64> = triplets.convert().unwrap();
    let mut y = vec![0.0; rows];
    spmv(&mut y, &a, x).unwrap();
    let y_of_rows = y.clone();
    let kernels = kernels!(f64 impl unisparse::kernels::spmv for Csr;);
    let of_rows = of_csr(kernels, &[x], &[rows, cols], &y, &a);
    let mut wrong = unnoticed(
        &of_rows,
        &[
            Fault {
                name: "off_by_one",
                replaced: ["row < row_end", "row <= row_end"],
                reported: "accesses memory outside of its arrays",
            },
            Fault {
                name: "wrong_mask",
                replaced: ["return 0xffffffffu;", "return 0x0000ffffu;"],
                reported: "which is not in the mask",
            },
            Fault {
                name: "returned_lane",
                replaced: [
                    "const unsigned lane = threadIdx",
                    "if (threadIdx.x == 40) return;\n    const unsigned lane = threadIdx",
                ],
                reported: "which has returned",
            },
            Fault {
                name: "lanes_left_out",
                replaced: ["unisparse_reduced<lanes>(sum", "unisparse_reduced<lanes / 2>(sum"],
                reported: "in run 0 at",
            },
            Fault {
                name: "last_part_lost",
                replaced: ["/ each + 1)", "/ each)"],
                reported: "in run 3 at",
            },
            Fault {
                name: "wrong_row",
                replaced: ["row = low + way * step;", "row = low + way * step / 2;"],
                reported: "in run 3 at",
            },
            Fault {
                name: "rows_that_no_lane_tries",
                replaced: ["1 : threadIdx.x % lanes;", "1 : threadIdx.x % lanes / 4;"],
                reported: "race: ",
            },
            // The row is summed to its end by the worker that begins it, and a part again by the next.
            Fault {
                name: "row_not_split",
                replaced: [
                    "unisparse_min(unisparse_read(&a->row_ptr[row + 1]), path.end - row)",
                    "unisparse_read(&a->row_ptr[row + 1])",
                ],
                reported: "in run 3 at",
            },
        ],
    );
    let mut y = vec![0.0; cols];
    scattered(&mut y, &a, s).unwrap();
    let of_columns = of_csr(kernels!(f64 impl scattered for Csr;), &[s], &[cols, rows], &y, &a);
    wrong.extend(unnoticed(
        &of_columns,
        &[Fault {
            name: "lost_atomic",
            replaced: [
                "unisparse_atomic_plus(&y[col], value * x_item);",
                "y[col] = y[col] + value * x_item;",
            ],
            reported: "race: ",
        }],
    ));
    let mut d = vec![0.0; rows * cols];
    sampled(&mut d, &a, p, q).unwrap();
    let of_elements = of_csr(
        kernels!(f64 impl sampled for Csr;),
        &[p, q],
        &[rows, cols, ranks],
        &d,
        &a,
    );
    wrong.extend(unnoticed(
        &of_elements,
        &[
            Fault {
                name: "missing_wait",
                replaced: ["unisparse_wait<lanes>();", ""],
                reported: "race: ",
            },
            Fault {
                name: "all_lanes_add",
                replaced: ["if (lane == 0) {", "{"],
                reported: "race: ",
            },
        ],
    ));
    let total: f64 = dot(&a, &a).unwrap();
    let inputs = [&a, &a].map(|a| Input::Tensor(vec![arrays_as(a, |number| number)]));
    let of_total = call(
        kernels!(f64 impl dot for A: Csr, B: Csr;),
        inputs.into(),
        (&[rows, cols], &[]),
        (&[7.0], &[total]),
        |number: f64| number,
    );
    wrong.extend(unnoticed(
        &of_total,
        &[
            Fault {
                name: "missing_barrier",
                replaced: [
                    "__syncthreads();\n    if (threadIdx.x == 0) {",
                    "if (threadIdx.x == 0) {",
                ],
                reported: "race: ",
            },
            Fault {
                name: "divergent_barrier",
                replaced: [
                    "__syncthreads();\n    if (threadIdx.x == 0) {",
                    "if (threadIdx.x < 40) {\n        __syncthreads();\n    }\n    if (threadIdx.x == 0) {",
                ],
                reported: "barrier divergence",
            },
        ],
    ));
    wrong.extend(of_runs(&all[4], &a, &y_of_rows));
    wrong.extend(of_holes(&all[4], &y_of_rows));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the unnoticed faults of a kernel whose workers own their elements, except those that holes look up.
fn of_holes(operands: &Operands, y: &[f64]) -> Vec<String> {
    let Operands {
        triplets,
        rows,
        cols,
        x,
        ..
    } = operands;
    let a: Sell<f64, 2, 4> = triplets.convert().unwrap();
    let inputs = vec![Input::Tensor(vec![arrays_as(&a, |number| number)]), dense(x)];
    let of_chunks = call(
        kernels!(f64 impl unisparse::kernels::spmv for Sell;),
        inputs,
        (&[*rows, *cols], &[2, 4]),
        (&vec![7.0; *rows], y),
        |number: f64| number,
    );
    let not_atomic = Fault {
        name: "holes_not_atomic",
        replaced: ["if (place == 0)", "if (false)"],
        reported: "race: ",
    };
    unnoticed(&of_chunks, &[not_atomic])
}

/// Returns the unnoticed faults of kernels in which workers take neighbouring entries, or append to a sparse output.
fn of_runs(operands: &Operands, a: &Csr<f64>, y: &[f64]) -> Vec<String> {
    let Operands {
        triplets,
        rows,
        cols,
        x,
        ..
    } = operands;
    let entries: Coo<f64> = triplets.convert().unwrap();
    let inputs = vec![Input::Tensor(vec![arrays_as(&entries, |number| number)]), dense(x)];
    let of_entries = call(
        kernels!(f64 impl unisparse::kernels::spmv for Coo;),
        inputs,
        (&[*rows, *cols], &[]),
        (&vec![7.0; *rows], y),
        |number: f64| number,
    );
    let mut wrong = unnoticed(
        &of_entries,
        &[
            Fault {
                name: "no_carry",
                replaced: ["if (key == begun) {", "if (false) {"],
                reported: "race: ",
            },
            Fault {
                name: "lost_carry",
                replaced: ["sum = both(sum, unisparse_read(&carries[of * stride + element]));", ""],
                reported: "in run 0 at",
            },
            Fault {
                name: "last_carry_lost",
                replaced: ["return last + 1;", "return last;"],
                reported: "in run 0 at",
            },
            Fault {
                name: "segments_not_added",
                replaced: ["lane >= distance && other == key", "lane > distance && other == key"],
                reported: "in run 0 at",
            },
        ],
    );
    let mut reversed = Triplets::new([*cols, *rows]);
    triplets.for_each(|[row, col], number| reversed.push([col, row], number).unwrap());
    let reversed: Csr<f64> = reversed.convert().unwrap();
    let c: Csr<f64> = product(a, &reversed).unwrap();
    let inputs = [a, &reversed].map(|a| Input::Tensor(vec![arrays_as(a, |number| number)]));
    let of_fibers = call_sparse(
        kernels!(f64 impl product for A: Csr, B: Csr;),
        inputs.into(),
        (&[*rows, *rows, *cols], &[]),
        &c,
    );
    wrong.extend(unnoticed(
        &of_fibers,
        &[
            Fault {
                name: "table_not_cleared_by_all",
                replaced: [
                    "keys[at] = SIZE_MAX;\n    }\n    unisparse_wait<lanes>();",
                    "keys[at] = SIZE_MAX;\n    }",
                ],
                reported: "race: ",
            },
            Fault {
                name: "half_of_the_count",
                replaced: ["starts[worker] = filled;", "starts[worker] = filled / 2;"],
                reported: "race: ",
            },
        ],
    ));
    wrong
}

/// Lanes that hold other parts of a matrix than the instruction expects.
#[cfg(feature = "half")]
#[test]
fn wrong_parts_of_matrices_are_found() {
    let calls = super::products::dense_blocks(&[4]);
    let of_blocks = |call: &&Call| call.kernels.name == "spmm_bell_f16";
    let call = calls.iter().find(of_blocks).expect("a product of blocks");
    let wrong = unnoticed(
        call,
        &[
            Fault {
                name: "left_part",
                replaced: [
                    "row = group + at % 2 * 8, column = pair + at / 2 * 8",
                    "row = group + at / 2 * 8, column = pair + at % 2 * 8",
                ],
                reported: "in run 0 at",
            },
            Fault {
                name: "right_part",
                replaced: [
                    "element(row, group) | (uint32_t)element(row + 1, group) << 16",
                    "element(row + 1, group) | (uint32_t)element(row, group) << 16",
                ],
                reported: "in run 0 at",
            },
        ],
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
