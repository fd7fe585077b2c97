//! Sparse outputs, which launches find in phases: the host makes room for what those before have counted.

use std::sync::Arc;

use super::buffer::Buffer;
use super::device::Device;
use super::driver::Address;
use super::element::{Element, of_bytes};
use super::error::Error;
use super::given::{OfPhases, Words};
use crate::kernel::c::Allocation;

/// The arrays of a call with a sparse output.
pub(super) struct Phases {
    device: Arc<Device>,
    dims: usize,
    workers: usize,
    /// The bytes of a coordinate and of an element.
    widths: [usize; 2],
    starts: Buffer,
    /// Where the tables of workers begin, if there are tables.
    tables: Option<Buffer>,
    /// The keys and the sums of tables.
    in_tables: Vec<Buffer>,
    elements: Option<OutputElements>,
}

impl Phases {
    /// Makes room for one number of each worker and their sum.
    pub(super) fn new(
        device: &Arc<Device>,
        dims: usize,
        workers: u32,
        widths: [usize; 2],
        arguments: &mut Words,
    ) -> Result<Self, Error> {
        let numbers = || Buffer::allocate(device, (workers as usize + 1) * size_of::<u64>());
        let starts = numbers()?;
        let tables = arguments.has(OfPhases::Tables).then(numbers).transpose()?;
        arguments.set_addresses(OfPhases::Starts, [starts.address()]);
        arguments.set_addresses(OfPhases::Tables, tables.as_ref().map(Buffer::address));
        Ok(Phases {
            device: Arc::clone(device),
            dims,
            workers: workers as usize,
            widths,
            starts,
            tables,
            in_tables: Vec::new(),
            elements: None,
        })
    }

    /// Makes room for what the launches before have counted. Waits for them.
    pub(super) fn allocate(&mut self, allocation: Allocation, arguments: &mut Words) -> Result<(), Error> {
        let [of_coordinates, of_elements] = self.widths;
        match (allocation, &self.tables) {
            (Allocation::Tables, Some(tables)) => {
                let places = self.total(tables)?;
                self.in_tables = vec![self.array(places, of_coordinates)?, self.array(places, of_elements)?];
                arguments.set_addresses(OfPhases::Keys, [self.in_tables[0].address()]);
                arguments.set_addresses(OfPhases::Sums, [self.in_tables[1].address()]);
            }
            _ => {
                let count = self.total(&self.starts)?;
                let coordinates = (0..self.dims).map(|_| self.array(count, of_coordinates));
                let elements = OutputElements {
                    count,
                    coordinates: coordinates.collect::<Result<_, Error>>()?,
                    width: of_coordinates,
                    values: self.array(count, of_elements)?,
                };
                let arrays = elements.coordinates.iter().chain([&elements.values]);
                arguments.set_addresses(OfPhases::Elements, arrays.map(Buffer::address));
                self.elements = Some(elements);
            }
        }
        Ok(())
    }

    /// Returns the sum that a launch has stored behind the numbers of all workers.
    fn total(&self, numbers: &Buffer) -> Result<usize, Error> {
        let mut bytes = [0; size_of::<u64>()];
        let last = numbers.address().0 + (self.workers * size_of::<u64>()) as u64;
        self.device.driver.read(Address(last), &mut bytes)?;
        usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })
    }

    fn array(&self, len: usize, width: usize) -> Result<Buffer, Error> {
        let bytes = len.checked_mul(width).ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        Buffer::allocate(&self.device, bytes)
    }

    /// Returns what the last launch writes.
    pub(super) fn into_elements(self) -> OutputElements {
        self.elements
            .unwrap_or_else(|| unreachable!("the last launch of a sparse output has room for its elements"))
    }
}

/// The elements of a sparse output on a device, in the order of the loops.
pub(super) struct OutputElements {
    count: usize,
    /// The coordinates of each dim.
    coordinates: Vec<Buffer>,
    /// The bytes of a coordinate: 4 or 8.
    width: usize,
    values: Buffer,
}

impl OutputElements {
    /// Returns the number of elements.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns the address of the coordinates of a dim, and the bytes of each.
    pub(super) fn column(&self, dim: usize) -> [u64; 2] {
        [self.coordinates[dim].address().0, self.width as u64]
    }

    /// Returns the number of elements, and their values.
    pub(super) fn into_values(self) -> (usize, Buffer) {
        (self.count, self.values)
    }

    /// Copies the coordinates and the values to the host, after all work that was enqueued.
    pub(super) fn download<T: Element, const N: usize>(&self) -> Result<(Vec<[usize; N]>, Vec<T>), Error> {
        let mut coordinates = vec![[0; N]; self.count];
        for (dim, buffer) in self.coordinates.iter().enumerate() {
            let bytes = buffer.read()?;
            for (coordinate, bytes) in coordinates.iter_mut().zip(bytes.chunks_exact(self.width)) {
                let mut word = [0; size_of::<u64>()];
                word[..self.width].copy_from_slice(bytes);
                coordinate[dim] = u64::from_le_bytes(word) as usize;
            }
        }
        Ok((coordinates, of_bytes(&self.values.read()?)))
    }
}
