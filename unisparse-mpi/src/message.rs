//! Messages between ranks, cut where MPI's counts end.

use std::ops::Range;

use mpi::collective::CommunicatorCollectives;
use mpi::datatype::Equivalence;
use mpi::point_to_point::{Destination, Source};
use mpi::request::{Request, scope};
use mpi::topology::Communicator;

use crate::world::World;

/// The tag of all messages. Messages from one rank to another come in the order in which they are sent.
const TAG: i32 = 1;

/// The words for or from one other rank: a range of a buffer. Ranges ascend, and do not overlap.
pub(crate) type Part = (usize, Range<usize>);

/// Sends parts of `send` and receives parts of `receive`, and meanwhile runs `work`.
pub(crate) fn exchange<W: Equivalence, R>(
    world: &World,
    (sends, send): (&[Part], &[W]),
    (receives, receive): (&[Part], &mut [W]),
    work: impl FnOnce() -> R,
) -> R {
    let most = world.most_words();
    let (mut rest, mut at) = (receive, 0);
    let mut incoming = Vec::new();
    for (rank, range) in receives {
        let (_, behind) = std::mem::take(&mut rest).split_at_mut(range.start - at);
        let (part, behind) = behind.split_at_mut(range.len());
        (rest, at) = (behind, range.end);
        incoming.extend(part.chunks_mut(most).map(|piece| (*rank, piece)));
    }
    let outgoing = sends
        .iter()
        .flat_map(|(rank, range)| send[range.clone()].chunks(most).map(move |piece| (*rank, piece)));
    let process = |rank: usize| world.comm().process_at_rank(rank as i32);
    scope(|scope| {
        let mut requests = Vec::new();
        for (rank, piece) in incoming {
            requests.push(process(rank).immediate_receive_into_with_tag(scope, piece, TAG));
        }
        let sent: Vec<_> = outgoing
            .map(|(rank, piece)| process(rank).immediate_send_with_tag(scope, piece, TAG))
            .collect();
        let result = work();
        requests.into_iter().for_each(Request::wait_without_status);
        sent.into_iter().for_each(Request::wait_without_status);
        result
    })
}

/// Returns the parts of a buffer with these numbers of words for each rank; ranks without words have none.
pub(crate) fn parts(counts: impl IntoIterator<Item = usize>) -> Vec<Part> {
    let mut at = 0;
    let parts = counts.into_iter().enumerate().map(|(rank, count)| {
        let start = at;
        at += count;
        (rank, start..at)
    });
    parts.filter(|(_, range)| !range.is_empty()).collect()
}

/// Returns the number of items that each rank sends to this one.
pub(crate) fn counts(world: &World, to_each: &[usize]) -> Vec<usize> {
    let to_each: Vec<u64> = to_each.iter().map(|count| *count as u64).collect();
    let mut from_each = vec![0u64; world.size()];
    world.comm().all_to_all_into(&to_each[..], &mut from_each[..]);
    from_each.into_iter().map(|count| count as usize).collect()
}

/// Sends `words` in the order of the ranks, some to each, and returns what the ranks send to this one, in their order. Each
/// item has `width` words; `from_each` are the numbers of items, as [`counts`] returns them.
pub(crate) fn all_to_all<W: Equivalence + Copy + Default>(
    world: &World,
    words: &[W],
    to_each: &[usize],
    from_each: &[usize],
    width: usize,
) -> Vec<W> {
    let words_of = |counts: &[usize]| parts(counts.iter().map(|count| count * width));
    let (mut sends, mut receives) = (words_of(to_each), words_of(from_each));
    let mut received = vec![W::default(); from_each.iter().sum::<usize>() * width];
    let own = |parts: &mut Vec<Part>| {
        let at = parts.iter().position(|(rank, _)| *rank == world.rank())?;
        Some(parts.remove(at).1)
    };
    if let (Some(from), Some(to)) = (own(&mut sends), own(&mut receives)) {
        received[to].copy_from_slice(&words[from]);
    }
    exchange(world, (&sends, words), (&receives, &mut received), || ());
    received
}
