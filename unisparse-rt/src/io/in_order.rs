//! Work on the threads of the current `rayon` pool whose results are taken in order, as they come.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Runs `work` on each piece on any thread, and `meanwhile` on this one, which then takes the results in order until `accept`
/// refuses one. A single piece is worked on here, without the pool.
pub(super) fn in_order<P: Sync, R: Send>(
    pieces: &[P],
    work: impl Fn(&P) -> R + Sync,
    meanwhile: impl FnOnce(),
    mut accept: impl FnMut(R) -> bool,
) {
    if let [piece] = pieces {
        meanwhile();
        accept(work(piece));
        return;
    }
    rayon::in_place_scope_fifo(|scope| {
        let (sender, receiver) = channel();
        for (at, piece) in pieces.iter().enumerate() {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn_fifo(move |_| {
                // The receiver is gone once a result is refused.
                let _ = sender.send((at, work(piece)));
            });
        }
        drop(sender);
        meanwhile();
        let mut results: Vec<Option<R>> = pieces.iter().map(|_| None).collect();
        let mut next = 0;
        // Nothing comes any more if a task has panicked, as the scope then does.
        while let Some((at, result)) = receive(&receiver) {
            results[at] = Some(result);
            while let Some(result) = results.get_mut(next).and_then(Option::take) {
                if !accept(result) {
                    return;
                }
                next += 1;
            }
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
