//! Hands elements on by their level coordinates, some at a time.

/// Number of elements that are handed on at once: they stay in the nearest cache, and a call for each chunk is cheap.
const CHUNK: usize = 64;

/// Visits the coordinates of all elements, some at a time: at each level, those of the same elements.
pub(super) type Visit<'a> = dyn Fn(&mut Take<'_>) + 'a;

/// What a visit calls for each chunk.
pub(super) type Take<'a> = dyn FnMut(&[&[i64]]) + 'a;

/// Collects elements of `M` levels, and hands them on whenever there are enough.
pub(super) struct Chunk<'a, 't, const M: usize> {
    levels: [[i64; CHUNK]; M],
    len: usize,
    take: &'a mut Take<'t>,
}

impl<'a, 't, const M: usize> Chunk<'a, 't, M> {
    pub(super) fn new(take: &'a mut Take<'t>) -> Self {
        Chunk {
            levels: [[0; CHUNK]; M],
            len: 0,
            take,
        }
    }

    /// Adds an element.
    #[inline(always)]
    pub(super) fn push(&mut self, coordinates: &[i64; M]) {
        if self.len == CHUNK {
            self.hand_on();
        }
        for (of_level, &at) in self.levels.iter_mut().zip(coordinates) {
            of_level[self.len] = at;
        }
        self.len += 1;
    }

    /// Hands on the elements that are left.
    pub(super) fn hand_on(&mut self) {
        let levels: [&[i64]; M] = self.levels.each_ref().map(|of_level| &of_level[..self.len]);
        (self.take)(&levels);
        self.len = 0;
    }
}
