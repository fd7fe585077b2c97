//! The ranks of an MPI run, and what they agree on.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;

use mpi::Threading;
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::environment::Universe;
use mpi::topology::{Communicator, SimpleCommunicator};
use unisparse::Scalar;

use crate::element::{Element, of_words, to_words};
use crate::error::{Error, ErrorKind};

/// Maximum number of words of a message: MPI counts them in an `i32`, and twice the memory of a message is needed where it
/// is copied.
const MOST_WORDS: usize = 1 << 26;

/// All ranks of the run. Clones are handles to the same; the last one ends the run of MPI.
///
/// Every call that takes a `World`, or a tensor or a vector that holds one, is *collective* unless it says otherwise: all ranks
/// make it, in the same order, from the thread that called [`initialize`]. Where a rank panics, the whole run is aborted.
#[derive(Clone)]
pub struct World {
    run: Rc<Run>,
    most_words: usize,
}

struct Run {
    world: SimpleCommunicator,
    /// Ends MPI when it is dropped.
    _universe: Universe,
}

impl Drop for Run {
    fn drop(&mut self) {
        // The end of MPI waits for all ranks, which may wait for this one elsewhere.
        if std::thread::panicking() {
            self.world.abort(101);
        }
    }
}

/// Initializes MPI.
///
/// The thread that calls this is the one that communicates; kernels run on the threads of the current `rayon` pool, whose
/// number `RAYON_NUM_THREADS` sets.
///
/// # Errors
/// [`ErrorKind::Initialize`] if MPI was initialized before, or does not allow other threads beside the one that communicates.
pub fn initialize() -> Result<World, Error> {
    let refused = |message: &str| Error::new(ErrorKind::Initialize, message);
    let (universe, threading) =
        mpi::initialize_with_threading(Threading::Funneled).ok_or_else(|| refused("MPI was initialized before"))?;
    if threading < Threading::Funneled {
        return Err(refused("this MPI allows only one thread in each process"));
    }
    let run = Rc::new(Run {
        world: universe.world(),
        _universe: universe,
    });
    Ok(World {
        run,
        most_words: MOST_WORDS,
    })
}

impl World {
    /// Returns the number of this rank. Not collective.
    #[must_use]
    pub fn rank(&self) -> usize {
        usize::try_from(self.comm().rank()).unwrap_or(0)
    }

    /// Returns the number of ranks. Not collective.
    #[must_use]
    pub fn size(&self) -> usize {
        usize::try_from(self.comm().size()).unwrap_or(1)
    }

    /// Returns a handle whose messages have at most this number of words, as some networks need it: longer ones are sent in
    /// pieces. All ranks pass the same number. By default `2^26`, as MPI counts in 32 bits.
    #[must_use]
    pub fn with_messages_of(&self, words: usize) -> World {
        World {
            run: Rc::clone(&self.run),
            most_words: words.clamp(1, MOST_WORDS),
        }
    }

    pub(crate) fn most_words(&self) -> usize {
        self.most_words
    }

    pub(crate) fn comm(&self) -> &SimpleCommunicator {
        &self.run.world
    }

    /// Returns the seconds of a clock that only counts up. Not collective.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        mpi::time()
    }

    /// Waits until all ranks call this.
    pub fn wait(&self) {
        self.comm().barrier();
    }

    /// Returns the result of this rank if all ranks succeeded, else the error of the lowest rank that failed: what a rank
    /// must do with a result of its own, such that none waits for another that has given up.
    ///
    /// # Errors
    /// The error of the lowest rank that failed, the same on all ranks.
    pub fn agree<T, E: Into<Error>>(&self, result: Result<T, E>) -> Result<T, Error> {
        let result = result.map_err(Into::into);
        let failed = if result.is_ok() { self.size() } else { self.rank() };
        let lowest = self.least([failed as u64])[0] as usize;
        if lowest >= self.size() {
            return result;
        }
        Err(self.error_of(lowest, result.err()))
    }

    /// Returns the error of a rank, which passes it.
    pub(crate) fn error_of(&self, rank: usize, error: Option<Error>) -> Error {
        let error = error.unwrap_or_else(|| Error::new(ErrorKind::User, ""));
        let mut code = [error.code()];
        self.broadcast(rank, &mut code);
        let message = self.text_of(rank, error.message().as_bytes().to_vec());
        Error::of_code(rank, code[0], message)
    }

    /// Returns the text that one rank passes.
    pub(crate) fn text_of(&self, rank: usize, mut text: Vec<u8>) -> String {
        let mut length = [text.len() as u64];
        self.broadcast(rank, &mut length);
        text.resize(length[0] as usize, 0);
        self.broadcast(rank, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Sends words of one rank to all.
    pub(crate) fn broadcast<W: mpi::datatype::Equivalence>(&self, root: usize, words: &mut [W]) {
        let root = self.comm().process_at_rank(root as i32);
        for piece in words.chunks_mut(self.most_words) {
            root.broadcast_into(piece);
        }
    }

    /// Returns the least of all ranks' numbers, one by one.
    pub(crate) fn least<const N: usize>(&self, numbers: [u64; N]) -> [u64; N] {
        let mut least = [0; N];
        self.comm()
            .all_reduce_into(&numbers[..], &mut least[..], SystemOperation::min());
        least
    }

    /// Returns the greatest of all ranks' numbers, one by one.
    pub(crate) fn greatest_each(&self, numbers: &[u64]) -> Vec<u64> {
        let mut greatest = vec![0; numbers.len()];
        self.comm()
            .all_reduce_into(numbers, &mut greatest[..], SystemOperation::max());
        greatest
    }

    /// Returns the words of all ranks, which have as many each.
    pub(crate) fn all_gather<W: mpi::datatype::Equivalence + Copy + Default>(&self, words: &[W]) -> Vec<W> {
        let mut all = vec![W::default(); words.len() * self.size()];
        self.comm().all_gather_into(words, &mut all[..]);
        all
    }

    /// Checks that all ranks pass the same numbers as rank 0, of several kinds, each with what it is. One message.
    pub(crate) fn same<const N: usize>(&self, kinds: [(&str, &[u64]); N]) -> Result<(), Error> {
        let all = self.all_gather(&kinds.map(|(_, numbers)| hash(numbers)));
        // All ranks find the same, as they have the hashes of all.
        for (rank, of_rank) in all.chunks_exact(N).enumerate() {
            for ((what, _), (found, expected)) in kinds.iter().zip(of_rank.iter().zip(&all)) {
                if found != expected {
                    let message = format!("{what}: another one than on rank 0");
                    return Err(Error::of_rank(rank, ErrorKind::Partition, message));
                }
            }
        }
        Ok(())
    }

    /// Returns the greatest of the values of all ranks; NaN is less than all.
    #[must_use]
    pub fn greatest(&self, value: f64) -> f64 {
        self.all_gather(&[value]).into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the sum of the values of all ranks, in the order of the ranks: the same on all of them, and from run to run.
    #[must_use]
    pub fn sum<T: Scalar + Element>(&self, value: T) -> T {
        let all = self.all_gather(&to_words([value].into_iter()));
        of_words::<T>(&all).reduce(T::plus).unwrap_or(T::ZERO)
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "World(rank {} of {})", self.rank(), self.size())
    }
}

/// Returns a hash of numbers, and of how many there are: the same in all processes of one program.
fn hash(numbers: &[u64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    numbers.hash(&mut hasher);
    hasher.finish()
}
