//! What messages cost.

use crate::message::exchange;
use crate::world::World;

/// Number of exchanges of which the fastest is taken: the others were disturbed.
const EXCHANGES: usize = 101;

/// Number of bytes of long messages.
const LONG: usize = 1 << 20;

/// The cost of messages between ranks: each takes `latency`, and `byte` for each of its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Network {
    /// Seconds for each message, however short.
    pub latency: f64,
    /// Seconds for each byte.
    pub byte: f64,
    /// The share of the time of messages that passes while the rank computes: from 0 to 1.
    pub overlap: f64,
}

impl Network {
    /// Measures the network of this run: all ranks exchange messages with both neighbours at the same time, short ones, long ones, and long
    /// ones during a computation. With one rank, everything costs nothing.
    #[must_use]
    pub fn measure(world: &World) -> Self {
        if world.size() == 1 {
            return Network {
                latency: 0.0,
                byte: 0.0,
                overlap: 0.0,
            };
        }
        let (send, mut received) = (vec![1; LONG], vec![0; 2 * LONG]);
        let short = least(world, || ring(world, &send[..8], &mut received[..16], || ()));
        let long = least(world, || ring(world, &send, &mut received, || ()));
        // A computation that takes about as long as a long message.
        let work =
            |rounds: usize| std::hint::black_box((0..rounds).fold(1u64, |x, k| x.wrapping_mul(0x9E37) ^ k as u64));
        let rounds = 1 << 20;
        let alone = least(world, || {
            work(rounds);
        });
        let rounds = ((long / alone * rounds as f64) as usize).max(1);
        let alone = least(world, || {
            work(rounds);
        });
        let both = least(world, || {
            ring(world, &send, &mut received, || {
                work(rounds);
            });
        });
        let hidden = (long + alone - both) / long.min(alone);
        // Two messages at once.
        Network {
            latency: short / 2.0,
            byte: (long - short).max(0.0) / (2 * LONG) as f64,
            overlap: hidden.clamp(0.0, 1.0),
        }
    }

    /// Returns the seconds of some messages of this number of bytes in total.
    #[must_use]
    pub fn seconds(&self, messages: usize, bytes: usize) -> f64 {
        messages as f64 * self.latency + bytes as f64 * self.byte
    }
}

/// Sends bytes to both neighbours, receives as many from each, and meanwhile runs `work`.
fn ring(world: &World, send: &[u8], received: &mut [u8], work: impl FnOnce()) {
    let bytes = send.len();
    let (rank, size) = (world.rank(), world.size());
    let mut neighbours = [(rank + 1) % size, (rank + size - 1) % size];
    neighbours.sort_unstable();
    let sends = neighbours.map(|rank| (rank, 0..bytes));
    let receives = [(neighbours[0], 0..bytes), (neighbours[1], bytes..2 * bytes)];
    exchange(world, (&sends, send), (&receives, received), work);
    std::hint::black_box(received);
}

/// Returns the seconds that the slowest rank takes, the least of several runs.
fn least(world: &World, mut run: impl FnMut()) -> f64 {
    let seconds = (0..EXCHANGES).map(|_| {
        world.wait();
        let start = world.seconds();
        run();
        world.greatest(world.seconds() - start)
    });
    seconds.fold(f64::INFINITY, f64::min)
}
