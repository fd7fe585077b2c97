//! Work on the threads of the current `rayon` pool whose results are taken in order, as they come.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Runs `meanwhile` on this thread, and `work` on each piece, on as many threads as the pool has, of which this is one. It takes the
/// results in order until `accept` refuses one, and works on pieces while the next result is not there.
pub(super) fn in_order<P: Sync, R: Send>(
    pieces: &[P],
    work: impl Fn(&P) -> R + Sync,
    meanwhile: impl FnOnce(),
    mut accept: impl FnMut(R) -> bool,
) {
    let begun = AtomicUsize::new(0);
    let work_on_next = || {
        let at = begun.fetch_add(1, Ordering::Relaxed);
        pieces.get(at).map(|piece| (at, work(piece)))
    };
    let others = rayon::current_num_threads().min(pieces.len()).saturating_sub(1);
    rayon::in_place_scope_fifo(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..others {
            let (sender, work_on_next) = (sender.clone(), &work_on_next);
            scope.spawn_fifo(move |_| {
                // The receiver is gone once a result is refused.
                while work_on_next().is_some_and(|result| sender.send(result).is_ok()) {}
            });
        }
        drop(sender);
        meanwhile();
        let mut results: Vec<Option<R>> = pieces.iter().map(|_| None).collect();
        let mut next = 0;
        while next < pieces.len() {
            receiver.try_iter().for_each(|(at, result)| results[at] = Some(result));
            if let Some(result) = results[next].take() {
                if !accept(result) {
                    return;
                }
                next += 1;
                continue;
            }
            // Nothing comes any more if a task has panicked, as the scope then does.
            let Some((at, result)) = work_on_next().or_else(|| receive(&receiver)) else {
                return;
            };
            results[at] = Some(result);
        }
    });
}

/// Receives the next result, and works on other tasks until there is one. A thread of the pool must not block: it may be the only one.
fn receive<R>(receiver: &Receiver<R>) -> Option<R> {
    loop {
        match receiver.try_recv() {
            Ok(result) => return Some(result),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => match rayon::yield_now() {
                None => return receiver.recv().ok(),
                Some(rayon::Yield::Executed) => {}
                Some(rayon::Yield::Idle) => std::thread::yield_now(),
            },
        }
    }
}
