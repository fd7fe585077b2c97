//! Loops on threads give what they give on one.

use super::*;
use crate::kernel::chunks::even_borders;
use crate::machine::parallel::{PIECE, SHORT};

/// Runs a check on one thread and on three, with little work, with short work that is shared, and with much.
fn everywhere(check: impl Fn(usize) + Sync) {
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| [0, 3 * SHORT, 10 * PIECE].into_iter().for_each(&check));
    }
}

#[test]
fn owners_write_their_own() {
    everywhere(|work| {
        // The last position owns fewer elements.
        let mut output = vec![0; 98];
        owned(
            Loop {
                work,
                count: 25,
                borders: |pieces| even_borders(25, pieces),
            },
            4,
            &mut output,
            |range, part| {
                for at in range.clone() {
                    for place in part.iter_mut().skip((at - range.start) * 4).take(4) {
                        *place += at + 1;
                    }
                }
            },
        );
        assert!(output.iter().enumerate().all(|(at, &value)| value == at / 4 + 1));
    });
}

#[test]
fn positions_with_many_entries_are_divided() {
    for lengths in [
        &[3usize, 900, 0, 40][..],
        &[1000],
        &[0, 0, 500, 500],
        &[900, 1, 2, 3, 800],
        &[],
    ] {
        let starts: Vec<u32> = core::iter::once(0)
            .chain(lengths.iter().scan(0, |end, &length| {
                *end += length as u32;
                Some(*end)
            }))
            .collect();
        let total = starts[lengths.len()];
        let pointers = Pointers::try_new("row", starts).unwrap();
        let below = |at: usize| at.checked_sub(1).map_or(0, |last| pointers.range(last).end);
        everywhere(|work| {
            // Each position owns two elements, except for the last, which owns one.
            let mut output = vec![100u64; (2 * lengths.len()).saturating_sub(1)];
            let most = std::sync::atomic::AtomicUsize::new(0);
            divided(
                Loop {
                    work,
                    count: lengths.len(),
                    borders: |pieces| crate::format::balance::balanced(lengths.len(), pieces, below),
                },
                2,
                &mut output,
                &pointers,
                0,
                |a, b| a + b,
                |positions, part, pointers| {
                    let mut entries = 0;
                    for at in positions.clone() {
                        for position in pointers.range(at) {
                            entries += 1;
                            for place in part.iter_mut().skip((at - positions.start) * 2).take(2) {
                                *place += position as u64;
                            }
                        }
                    }
                    most.fetch_max(entries, std::sync::atomic::Ordering::Relaxed);
                },
            );
            for (at, &sum) in output.iter().enumerate() {
                let expected = 100 + pointers.range(at / 2).sum::<usize>();
                assert_eq!(sum, expected as u64, "{lengths:?} {at}");
            }
            // On three threads, no piece has much more than a third.
            let threads = if work == 0 { 1 } else { rayon::current_num_threads() };
            let share = total as usize / threads;
            assert!(most.into_inner() <= share + share / 2 + 1, "{lengths:?}");
        });
    }
}

#[test]
fn runs_of_one_coordinate_stay_in_one_piece() {
    let coordinates: Vec<u32> = [[3; 40].as_slice(), &[5, 5, 9], &[12; 60], &[19]].concat();
    everywhere(|work| {
        let mut output = vec![0u32; 42];
        ascending(
            Loop {
                work,
                count: coordinates.len(),
                borders: |pieces| even_borders(coordinates.len(), pieces),
            },
            |at| coordinates[at] as usize,
            2,
            &mut output,
            |range, part, first| {
                for at in range {
                    part[2 * (coordinates[at] as usize - first)] += 1;
                }
            },
        );
        let count = |row: u32| coordinates.iter().filter(|&&at| at == row).count() as u32;
        assert!((0..21).all(|row| output[2 * row as usize..][..2] == [count(row), 0]));
    });
}

#[test]
fn copies_are_added_up() {
    everywhere(|work| {
        let mut output = vec![7; 10];
        shared(
            Loop {
                work,
                count: 1000,
                borders: |pieces| even_borders(1000, pieces),
            },
            &mut output,
            false,
            0,
            |a, b| a + b,
            |range, part| {
                range.for_each(|at| part[at % 10] += at);
            },
        );
        assert!((0..10).all(|digit| output[digit] == 7 + (0..100).map(|ten| 10 * ten + digit).sum::<usize>()));
    });
}

#[test]
fn what_a_stored_output_holds_does_not_count() {
    everywhere(|work| {
        let mut output = vec![7; 1000];
        shared(
            Loop {
                work,
                count: 1000,
                borders: |pieces| even_borders(1000, pieces),
            },
            &mut output,
            true,
            0,
            |a, b| a + b,
            |range, part| range.for_each(|at| part[at] = at),
        );
        assert!((0..1000).all(|at| output[at] == at));
    });
}

#[test]
fn pieces_come_in_order() {
    everywhere(|work| {
        let outer = || Loop {
            work,
            count: 50,
            borders: |pieces| even_borders(50, pieces),
        };
        let (given, results) = (each(outer(), Vec::from_iter), built(outer(), Vec::from_iter));
        for (pieces, work) in [(given, work), (results, work * BUILD)] {
            assert_eq!(pieces.concat(), (0..50).collect::<Vec<_>>());
            assert_eq!(pieces.len() == 1, work < 2 * PIECE || rayon::current_num_threads() == 1);
        }
    });
}
