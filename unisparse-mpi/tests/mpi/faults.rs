//! What goes wrong on one rank: all return its error, and none waits.

use std::time::Duration;

use unisparse::formats::{Csr, Dia};
use unisparse::{Duplicates, Limit, Source, Triplets};
use unisparse_mpi::{
    Distributed, DistributedMat, DistributedVec, Error, ErrorKind, Partition, Setup, World, initialize, spgemm, spmv,
};

use crate::launch::{is_rank, on_ranks, run};

type Rows = Distributed<Csr<f64>>;

/// Checks that all ranks have an error of this rank and kind, with the same words.
fn check_same(world: &World, error: &Error, rank: usize, kind: ErrorKind) {
    assert_eq!((error.rank(), error.kind()), (rank, kind), "{error}");
    let mut length = [error.message().len() as u64; 2];
    length[1] = error.message().bytes().map(u64::from).sum();
    let total = world.sum(length[0]) + world.sum(length[1]);
    assert_eq!(total, world.size() as u64 * (length[0] + length[1]), "{error}");
}

/// A source whose last element is outside the shape.
struct Bad(bool);

impl Source<2> for Bad {
    type Scalar = f64;
    fn shape(&self) -> [usize; 2] {
        [10, 10]
    }
    fn count(&self) -> usize {
        0
    }
    fn for_each(&self, mut visit: impl FnMut([usize; 2], f64)) {
        (0..10).for_each(|i| visit([i, i], 1.0));
        if self.0 {
            visit([3, 10], 1.0);
        }
    }
    fn duplicates(&self) -> Duplicates {
        Duplicates::Sum
    }
}

#[test]
fn an_element_outside_on_one_rank() {
    on_ranks("faults::an_element_outside_on_one_rank", 1..=4, |world| {
        let bad = world.size() - 1;
        let error = Rows::new(world, &Bad(world.rank() == bad)).unwrap_err();
        check_same(world, &error, bad, ErrorKind::Tensor(unisparse::ErrorKind::OutOfBounds));
        assert_eq!(
            error.to_string(),
            format!("rank {bad}: row 3, column 10 is outside 10 x 10")
        );
        // The ranks go on.
        assert_eq!(Rows::new(world, &Bad(false)).unwrap().nnz(), 10);
    });
}

#[test]
fn other_arguments_than_on_the_first_rank() {
    on_ranks("faults::other_arguments_than_on_the_first_rank", 2..=4, |world| {
        let last = world.rank() == world.size() - 1;
        let rows = Partition::even(6, world.size());
        let one = Triplets::try_from_triplets([6, 6], [([1, 2], 1.0)]).unwrap();
        let elements = (world.rank() == 0).then_some([1.0; 12]);
        let elements = elements.as_ref().map(|elements| &elements[..]);
        let scatter = |rows: &Partition, columns, root, elements| {
            DistributedMat::<f64>::scatter(world, rows, columns, root, elements).map(|_| ())
        };
        // Another root, such that no rank sees a fault in its own arguments; another width; another partition.
        let mut found = vec![
            scatter(&rows, 2, usize::from(last), elements),
            scatter(&rows, 2 + usize::from(last), 0, elements),
            Rows::scatter(world, usize::from(last), (world.rank() == 0).then_some(&one)).map(|_: Rows| ()),
        ];
        let mut starts: Vec<usize> = (0..=world.size()).map(|rank| 6 * rank / world.size()).collect();
        starts[1] -= usize::from(last);
        found.push(scatter(&Partition::try_from_starts(starts).unwrap(), 2, 0, elements));
        for found in found {
            let rank = world.size() - 1;
            check_same(world, &found.unwrap_err(), rank, ErrorKind::Partition);
        }
        let others = Partition::even(6, world.size() + 1);
        let error = scatter(&others, 2, 0, elements).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Partition, "{error}");
    });
}

#[test]
fn many_rows_without_elements() {
    on_ranks("faults::many_rows_without_elements", 1..=2, |world| {
        let empty: Triplets<f64, 2> = Triplets::new([8_000_000_000, 1]);
        let error = Rows::new(world, &empty).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Tensor(unisparse::ErrorKind::Limit), "{error}");
    });
}

#[test]
fn many_rounds_with_an_error_in_the_first() {
    on_ranks("faults::many_rounds_with_an_error_in_the_first", [2], |world| {
        let many = Many(world.rank() == 1);
        let error = Rows::new(world, &many).unwrap_err();
        check_same(world, &error, 1, ErrorKind::Tensor(unisparse::ErrorKind::OutOfBounds));
        assert_eq!(Rows::new(world, &Many(false)).unwrap().nnz(), 600_000);
    });
}

/// More elements than a rank sends in one round, of which the first may be outside the shape.
struct Many(bool);

impl Source<2> for Many {
    type Scalar = f64;
    fn shape(&self) -> [usize; 2] {
        [600_000, 600_000]
    }
    fn count(&self) -> usize {
        0
    }
    fn for_each(&self, mut visit: impl FnMut([usize; 2], f64)) {
        if self.0 {
            visit([600_000, 0], 1.0);
        }
        (0..600_000).for_each(|i| visit([i, i], 1.0));
    }
    fn duplicates(&self) -> Duplicates {
        Duplicates::Sum
    }
}

#[test]
fn memory_that_one_rank_is_refused() {
    on_ranks("faults::memory_that_one_rank_is_refused", 1..=4, |world| {
        // The last rank has scattered elements, on as many diagonals; the others one diagonal.
        let (rank, size) = (world.rank(), world.size());
        let last = |row: usize| {
            if row / 100 == size - 1 {
                [row, (size - 1) * 100 + row * 37 % 100]
            } else {
                [row, row]
            }
        };
        let mine = (100 * rank..100 * (rank + 1)).map(|row| (last(row), 1.0));
        let mine = Triplets::try_from_triplets([100 * size; 2], mine).unwrap();
        let rows = Partition::try_from_starts((0..=size).map(|rank| 100 * rank).collect()).unwrap();
        let setup = Setup::new(world).rows(&rows).limit(Limit::bytes(5000));
        let error = setup.build::<Dia<f64>, Csr<f64>, _>(&mine).unwrap_err();
        check_same(world, &error, size - 1, ErrorKind::Tensor(unisparse::ErrorKind::Limit));
        assert!(error.message().contains("format `Dia`"), "{error}");
        let rows: Rows = setup.build(&mine).unwrap();
        let error = rows
            .convert_within::<Dia<f64>, Csr<f64>>(Limit::bytes(5000))
            .unwrap_err();
        check_same(world, &error, size - 1, ErrorKind::Tensor(unisparse::ErrorKind::Limit));
    });
}

#[test]
fn repeated_elements_of_two_ranks() {
    on_ranks("faults::repeated_elements_of_two_ranks", 1..=4, |world| {
        let (rank, size) = (world.rank(), world.size());
        let all = |policy| {
            // Every rank has an element at [6, 1], and one of its own.
            let mine = [([6, 1], 1.0 + rank as f64), ([rank, 7], 5.0)];
            Triplets::try_from_triplets([8, 8], mine).unwrap().duplicates(policy)
        };
        let at = |policy| {
            let a = Rows::new(world, &all(policy)).unwrap();
            let mut found = 0.0;
            a.for_each(|at, value| {
                if at == [6, 1] {
                    found = value;
                }
            });
            assert_eq!(a.nnz(), 1 + size);
            world.sum(found)
        };
        assert_eq!(at(Duplicates::Sum), (1..=size).sum::<usize>() as f64);
        assert_eq!(at(Duplicates::First), 1.0);
        assert_eq!(at(Duplicates::Last), size as f64);
        if size > 1 {
            let error = Rows::new(world, &all(Duplicates::Reject)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Tensor(unisparse::ErrorKind::Duplicate));
            assert!(error.message().contains("row 6, column 1 twice"), "{error}");
            let policy = if rank == 0 { Duplicates::Sum } else { Duplicates::Last };
            let error = Rows::new(world, &all(policy)).unwrap_err();
            check_same(world, &error, 1, ErrorKind::Partition);
        }
    });
}

#[test]
fn ranks_that_pass_different_arguments() {
    on_ranks("faults::ranks_that_pass_different_arguments", 2..=4, |world| {
        let (rank, size) = (world.rank(), world.size());
        let error = Rows::new(world, &Triplets::new([5, 5 + rank])).unwrap_err();
        check_same(world, &error, 1, ErrorKind::Partition);
        let even = Partition::even(10, size);
        let mut starts = even.starts().to_vec();
        starts[1] = if rank == size - 1 { 0 } else { starts[1] };
        let other = Partition::try_from_starts(starts).unwrap();
        let error = Setup::new(world)
            .rows(&other)
            .build::<Csr<f64>, Csr<f64>, _>(&Bad(false))
            .unwrap_err();
        check_same(world, &error, size - 1, ErrorKind::Partition);
        let setup = Setup::new(world);
        let setup = if rank == 0 { setup } else { setup.columns(&even) };
        let error = setup.build::<Csr<f64>, Csr<f64>, _>(&Bad(false)).unwrap_err();
        check_same(world, &error, 1, ErrorKind::Partition);
        let nine = Setup::new(world).rows(&Partition::even(9, size));
        let error = nine.build::<Csr<f64>, Csr<f64>, _>(&Bad(false)).unwrap_err();
        check_same(world, &error, 0, ErrorKind::Partition);
        let error = Rows::scatter(world, 1, (rank == 0).then_some(&Bad(false))).unwrap_err();
        check_same(world, &error, 0, ErrorKind::Partition);
        let error = Rows::scatter::<Bad>(world, size, None).unwrap_err();
        check_same(world, &error, 0, ErrorKind::Partition);
        let error = DistributedVec::<f64>::scatter(world, &even, size, None).unwrap_err();
        check_same(world, &error, 0, ErrorKind::Partition);
        assert_eq!(Rows::new(world, &Bad(false)).unwrap().gather(size).unwrap(), None);
        let error = DistributedVec::scatter(world, &even, 1, (rank == 1).then_some(&[1.0; 9])).unwrap_err();
        check_same(world, &error, 1, ErrorKind::Tensor(unisparse::ErrorKind::Length));
    });
}

#[test]
fn operands_that_do_not_fit() {
    on_ranks("faults::operands_that_do_not_fit", 1..=4, |world| {
        let size = world.size();
        let a = Setup::new(world)
            .rows(&Partition::even(10, size))
            .build::<Csr<f64>, Csr<f64>, _>(&Bad(false))
            .unwrap();
        let zeros = |partition: &Partition| DistributedVec::<f64>::zeros(world, partition);
        let nine = zeros(&Partition::even(9, size));
        let error = spmv(&mut zeros(a.rows()), &a, &nine).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Tensor(unisparse::ErrorKind::Shape));
        assert_eq!(error.message(), "spmv, input: found 9 elements, expected 10");
        if size > 1 {
            let mut starts = vec![10; size + 1];
            starts[0] = 0;
            let first = Partition::try_from_starts(starts).unwrap();
            let error = spmv(&mut zeros(&first), &a, &zeros(a.columns())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Partition);
            let b: Rows = Setup::new(world).rows(&first).build(&Bad(false)).unwrap();
            let error = spgemm::<_, _, _, _, _, Csr<f64>, Csr<f64>>(&a, &b).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Partition);
            assert_eq!(
                zeros(&first).dot(&zeros(a.rows())).unwrap_err().kind(),
                ErrorKind::Partition
            );
        }
    });
}

#[test]
fn what_a_rank_reports_itself() {
    on_ranks("faults::what_a_rank_reports_itself", 1..=4, |world| {
        let last = world.size() - 1;
        let mine = if world.rank() == last {
            Err(Error::new(ErrorKind::User, "no convergence"))
        } else {
            Ok(())
        };
        let error = world.agree(mine).unwrap_err();
        check_same(world, &error, last, ErrorKind::User);
        assert_eq!(error.message(), "no convergence");
        assert_eq!(world.agree::<usize, Error>(Ok(world.rank())).unwrap(), world.rank());
        let again = initialize().unwrap_err();
        assert_eq!(again.kind(), ErrorKind::Initialize);
    });
}

/// Time within which a run has to end after a rank died.
const SOON: Duration = Duration::from_secs(60);

/// Lets the ranks multiply for ever; one of them ends after a while.
fn multiply_until(end: impl Fn(&World)) {
    let world = initialize().expect("MPI starts");
    let ring = (0..100).flat_map(|i| [([i, i], 1.0), ([i, (i + 1) % 100], 1.0)]);
    let ring = Triplets::try_from_triplets([100, 100], ring).unwrap();
    let mine = if world.rank() == 0 {
        ring
    } else {
        Triplets::new([100, 100])
    };
    let a = Rows::new(&world, &mine).unwrap();
    let x = DistributedVec::from_fn(&world, a.columns(), |_| 1.0);
    let mut y = DistributedVec::zeros(&world, a.rows());
    for step in 0.. {
        spmv(&mut y, &a, &x).unwrap();
        if step == 100 && world.rank() == 1 {
            end(&world);
        }
    }
}

#[test]
fn a_rank_that_is_killed_ends_the_run() {
    let name = "faults::a_rank_that_is_killed_ends_the_run";
    if is_rank(name) {
        return multiply_until(|_| {
            // As the system kills a process that takes too much memory.
            let own = std::process::id().to_string();
            let _ = std::process::Command::new("kill").args(["-9", &own]).status();
        });
    }
    let ended = run(name, 3, &[]);
    assert!(!ended.status.success(), "{}", ended.output);
    assert!(ended.took < SOON, "{:?}", ended.took);
    assert!(ended.output.contains("signal"), "{}", ended.output);
    println!("killed: the run ended after {:?}", ended.took);
}

#[test]
fn a_rank_that_panics_ends_the_run() {
    let name = "faults::a_rank_that_panics_ends_the_run";
    if is_rank(name) {
        return multiply_until(|_| panic!("a bug on one rank"));
    }
    let ended = run(name, 3, &[]);
    assert!(!ended.status.success(), "{}", ended.output);
    assert!(ended.took < SOON, "{:?}", ended.took);
    assert!(ended.output.contains("a bug on one rank"), "{}", ended.output);
    println!("panicked: the run ended after {:?}", ended.took);
}
