//! The streams of the stand-in: work waits in its stream until somebody waits for it, and then runs as late as the order of
//! the stream and its events allow, the stream that was opened last first. So what is not ordered runs in the wrong order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Work of a stream.
enum Work {
    Launch(Box<dyn FnOnce() + Send>),
    /// The event occurs.
    Record(u64),
    /// What follows waits for the event.
    Wait(u64),
}

/// The streams and the events of a device.
#[derive(Default)]
pub(crate) struct Queues {
    opened: u64,
    streams: BTreeMap<u64, VecDeque<Work>>,
    /// The stream of each event that has not occurred.
    pending: BTreeMap<u64, u64>,
    occurred: BTreeSet<u64>,
}

impl Queues {
    /// Opens a stream, and returns its number.
    pub(crate) fn open(&mut self) -> u64 {
        self.opened += 1;
        self.streams.insert(self.opened, VecDeque::new());
        self.opened
    }

    /// Enqueues a launch.
    pub(crate) fn launch(&mut self, stream: u64, launch: impl FnOnce() + Send + 'static) {
        self.of(stream).push_back(Work::Launch(Box::new(launch)));
    }

    /// Records an event, and returns its number.
    pub(crate) fn record(&mut self, stream: u64) -> u64 {
        self.opened += 1;
        let event = self.opened;
        self.of(stream).push_back(Work::Record(event));
        self.pending.insert(event, stream);
        event
    }

    /// Makes a stream wait for an event.
    pub(crate) fn wait(&mut self, stream: u64, event: u64) {
        self.of(stream).push_back(Work::Wait(event));
    }

    /// Runs all work of a stream, and what it waits for.
    pub(crate) fn finish(&mut self, stream: u64) {
        while let Some(work) = self.of(stream).pop_front() {
            self.run(work);
        }
    }

    /// Runs the work up to an event, if it has not occurred.
    pub(crate) fn reach(&mut self, event: u64) {
        while let Some(&stream) = self.pending.get(&event) {
            let work = self.of(stream).pop_front().expect("the event is in its stream");
            self.run(work);
        }
        assert!(self.occurred.contains(&event), "an event that was never recorded");
    }

    /// Runs all work.
    pub(crate) fn finish_all(&mut self) {
        let streams: Vec<u64> = self.streams.keys().rev().copied().collect();
        streams.into_iter().for_each(|stream| self.finish(stream));
    }

    fn run(&mut self, work: Work) {
        match work {
            Work::Launch(launch) => launch(),
            Work::Record(event) => {
                self.pending.remove(&event);
                self.occurred.insert(event);
            }
            Work::Wait(event) => self.reach(event),
        }
    }

    fn of(&mut self, stream: u64) -> &mut VecDeque<Work> {
        self.streams.get_mut(&stream).expect("a stream that was opened")
    }
}
