//! Arrays on a device of one tensor, or of one part.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::buffer::Buffer;
use super::device::Device;
use super::driver::Address;
use super::element::{Element, to_bytes};
use super::error::Error;
use crate::array::{IndexArray, interleaved, longest};
use crate::element::Stored;
use crate::format::Tree;
use crate::kernel::c::{Member, MemberKind};

/// The arrays of a tensor.
pub(super) struct Part {
    levels: Vec<LevelBuffers>,
    values: Buffer,
    stored: usize,
    /// The arrays that kernels expect side by side, by the levels of their columns, made when a kernel needs them.
    packed: Mutex<BTreeMap<Vec<usize>, Buffer>>,
}

struct LevelBuffers {
    ptr: Option<Integers>,
    idx: Option<Integers>,
    size: usize,
    given: i64,
    /// The greatest number of entries below one parent, if there are pointers.
    longest: usize,
}

/// The arrays of a level that were made on the device.
#[derive(Default)]
pub(super) struct Made {
    pub(super) ptr: Option<Integers>,
    pub(super) idx: Option<Integers>,
    /// The greatest number of entries below one parent, if there are pointers.
    pub(super) longest: usize,
}

/// An array of integers.
pub(super) struct Integers {
    entries: Buffer,
    len: usize,
    /// The name of the type of entries.
    kind: &'static str,
}

impl Integers {
    fn of(device: &Arc<Device>, array: &dyn IndexArray) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        array.append_bytes(&mut bytes);
        Ok(Integers {
            entries: Buffer::of_bytes(device, &bytes)?,
            len: array.len(),
            kind: array.type_name(),
        })
    }

    /// Makes room for entries of a type, by its bytes and its name.
    pub(super) fn of_len(
        device: &Arc<Device>,
        len: usize,
        (width, kind): (usize, &'static str),
    ) -> Result<Self, Error> {
        let bytes = len.checked_mul(width).ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        Ok(Integers {
            entries: Buffer::allocate(device, bytes)?,
            len,
            kind,
        })
    }

    /// Returns the address of the entries, and the bytes of each. There is at least one entry, or none is read.
    pub(super) fn column(&self) -> [u64; 2] {
        let width = self.entries.bytes().checked_div(self.len).unwrap_or(1);
        [self.entries.address().0, width as u64]
    }

    /// Copies the entries to the host, after all work that was enqueued.
    pub(super) fn read(&self) -> Result<Vec<i64>, Error> {
        let bytes = self.entries.read()?;
        let (width, is_signed) = (
            bytes.len().checked_div(self.len).unwrap_or(1),
            self.kind.starts_with('i'),
        );
        let entries = bytes.chunks_exact(width).map(|bytes| {
            let is_negative = is_signed && bytes.last().is_some_and(|&byte| byte >= 0x80);
            let mut word = if is_negative { [0xff; 8] } else { [0; 8] };
            word[..width].copy_from_slice(bytes);
            i64::from_le_bytes(word)
        });
        Ok(entries.collect())
    }
}

impl Part {
    pub(super) fn of<F: Tree<N, M>, const N: usize, const M: usize>(
        device: &Arc<Device>,
        tensor: &F,
    ) -> Result<Self, Error>
    where
        <<F as Tree<N, M>>::Scalar as Stored>::Value: Element,
    {
        let (sizes, given) = (tensor.sizes(), tensor.given());
        let levels = tensor.arrays().into_iter().enumerate().map(|(level, arrays)| {
            let longest = arrays.ptr.map_or(0, longest);
            let [ptr, idx] = [arrays.ptr, arrays.idx].map(|array| array.map(|array| Integers::of(device, array)));
            Ok(LevelBuffers {
                ptr: ptr.transpose()?,
                idx: idx.transpose()?,
                size: sizes[level],
                given: given[level],
                longest,
            })
        });
        let stored = tensor.stored();
        let values = to_bytes((0..stored).map(|position| tensor.value(position).value()));
        Ok(Part {
            levels: levels.collect::<Result<_, Error>>()?,
            values: Buffer::of_bytes(device, &values)?,
            stored,
            packed: Mutex::default(),
        })
    }

    /// Returns the part with these levels, whose sizes are those of the shape.
    pub(super) fn made(levels: Vec<Made>, values: Buffer, stored: usize) -> Self {
        let level = |Made { ptr, idx, longest }| LevelBuffers {
            ptr,
            idx,
            size: 0,
            given: 0,
            longest,
        };
        Part {
            levels: levels.into_iter().map(level).collect(),
            values,
            stored,
            packed: Mutex::default(),
        }
    }

    pub(super) fn stored(&self) -> usize {
        self.stored
    }

    pub(super) fn bytes(&self) -> usize {
        let of_level = |level: &LevelBuffers| {
            let arrays = [&level.ptr, &level.idx].into_iter().flatten();
            arrays.map(|array| array.entries.bytes()).sum::<usize>()
        };
        self.levels.iter().map(of_level).sum::<usize>() + self.values.bytes()
    }

    /// Replaces the values. Arrays with values side by side are made again when a kernel needs them.
    pub(super) fn set_values(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.packed.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        self.values.write(bytes)
    }

    /// Returns the number of coordinates of a level.
    pub(super) fn size(&self, level: usize) -> usize {
        self.levels[level].size
    }

    /// Returns the coordinate, at a level, of the node that the part is below.
    pub(super) fn given(&self, level: usize) -> i64 {
        self.levels[level].given
    }

    /// Returns the `ptr` and the `idx` array of a level.
    pub(super) fn arrays(&self, level: usize) -> [Option<&Integers>; 2] {
        let LevelBuffers { ptr, idx, .. } = &self.levels[level];
        [ptr.as_ref(), idx.as_ref()]
    }

    /// Copies the values to the host, after all work that was enqueued.
    pub(super) fn values(&self) -> Result<Vec<u8>, Error> {
        self.values.read()
    }

    /// Returns the number of entries of a level with an `idx` array.
    pub(super) fn entries(&self, level: usize) -> Option<usize> {
        Some(self.levels[level].idx.as_ref()?.len)
    }

    /// Returns the greatest number of entries of a level below one parent, if it has pointers.
    pub(super) fn longest_below(&self, level: usize) -> Option<usize> {
        let level = &self.levels[level];
        level.ptr.as_ref().map(|_| level.longest)
    }

    /// Returns the greatest number of entries of an array, or of coordinates of a level.
    pub(super) fn longest(&self) -> usize {
        let of_level = |level: &LevelBuffers| {
            let arrays = [&level.ptr, &level.idx].into_iter().flatten();
            arrays.map(|array| array.len).max().unwrap_or(0).max(level.size)
        };
        let levels = self.levels.iter().map(of_level).max();
        levels.unwrap_or(0).max(self.stored)
    }

    /// Returns the member of a tensor's struct, which has eight bytes.
    pub(super) fn member(&self, member: &Member) -> Result<u64, Error> {
        let level = &self.levels[member.level];
        let address = |array: &Option<Integers>| array.as_ref().map_or(0, |array| array.entries.address().0);
        Ok(match member.kind {
            MemberKind::Given => level.given as u64,
            MemberKind::Size => level.size as u64,
            MemberKind::Count => level.idx.as_ref().map_or(0, |idx| idx.len) as u64,
            MemberKind::Pointers => address(&level.ptr),
            MemberKind::Indices => address(&level.idx),
            MemberKind::Values => self.values.address().0,
            MemberKind::Entries(columns) => self.packed(columns)?.0,
        })
    }

    /// Returns an array of structs with these columns.
    fn packed(&self, columns: &[Member]) -> Result<Address, Error> {
        let key: Vec<usize> = columns.iter().map(|column| column.level).collect();
        let mut packed = self.packed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entries) = packed.get(&key) {
            return Ok(entries.address());
        }
        let mut arrays = Vec::new();
        for column in columns {
            arrays.push(match (column.kind, &self.levels[column.level].idx) {
                (MemberKind::Indices, Some(idx)) => (idx.entries.read()?, idx.len),
                _ => (self.values.read()?, self.stored),
            });
        }
        let entries = Buffer::of_bytes(self.values.device(), &interleaved(&arrays))?;
        let address = entries.address();
        packed.insert(key, entries);
        Ok(address)
    }
}
