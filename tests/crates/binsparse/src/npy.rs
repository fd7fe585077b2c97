//! Files of one NumPy array.

use std::error::Error;
use std::fs;
use unisparse::{Complex32, Complex64};

/// An element of an array.
pub(crate) trait Raw: Copy {
    const DESCR: &'static str;
    fn of(bytes: &[u8]) -> Self;
    fn append(self, to: &mut Vec<u8>);
}

macro_rules! raw {
    ($($number:ty: $descr:literal),*) => {$(
        impl Raw for $number {
            const DESCR: &'static str = $descr;
            fn of(bytes: &[u8]) -> Self {
                <$number>::from_le_bytes(bytes.try_into().expect("the width of the type"))
            }
            fn append(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
        }
    )*};
}

raw!(i8: "|i1", i16: "<i2", i32: "<i4", i64: "<i8", u8: "|u1", u16: "<u2", u32: "<u4", u64: "<u8", f32: "<f4", f64: "<f8");

impl Raw for bool {
    const DESCR: &'static str = "|b1";
    fn of(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
    fn append(self, to: &mut Vec<u8>) {
        to.push(self.into());
    }
}

macro_rules! complex {
    ($($number:ty: $descr:literal),*) => {$(
        impl Raw for $number {
            const DESCR: &'static str = $descr;
            fn of(bytes: &[u8]) -> Self {
                let (real, imaginary) = bytes.split_at(bytes.len() / 2);
                <$number>::new(Raw::of(real), Raw::of(imaginary))
            }
            fn append(self, to: &mut Vec<u8>) {
                self.re.append(to);
                self.im.append(to);
            }
        }
    )*};
}

complex!(Complex32: "<c8", Complex64: "<c16");

/// An array in row-major order.
pub(crate) struct Npy {
    descr: String,
    pub(crate) shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Npy {
    pub(crate) fn of<T: Raw>(shape: &[usize], entries: &[T]) -> Self {
        let mut bytes = Vec::new();
        entries.iter().for_each(|entry| entry.append(&mut bytes));
        Npy {
            descr: T::DESCR.to_owned(),
            shape: shape.to_vec(),
            bytes,
        }
    }

    pub(crate) fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        Self::parse(&fs::read(path)?)
    }

    /// Reads an array with a header of version 1.
    pub(crate) fn parse(file: &[u8]) -> Result<Self, Box<dyn Error>> {
        let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
        let (header, bytes) = file[10..].split_at(length);
        let header = std::str::from_utf8(header)?;
        let after = |name: &str| header.split_once(&format!("'{name}': ")).map(|(_, rest)| rest).ok_or("a header");
        let shape = after("shape")?.trim_start_matches('(').split(')').next().unwrap_or_default();
        let shape: Vec<usize> = shape
            .split(',')
            .map(str::trim)
            .filter(|extent| !extent.is_empty())
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        let descr = after("descr")?.split('\'').nth(1).unwrap_or_default().to_owned();
        let size: usize = shape.iter().product();
        let mut array = Npy {
            descr,
            shape,
            bytes: bytes.to_vec(),
        };
        if after("fortran_order")?.starts_with("True") && size > 0 {
            array.bytes = array.by_rows(bytes.len() / size);
        }
        Ok(array)
    }

    /// Returns the entries of `width` bytes in row-major order, which are in column-major order.
    fn by_rows(&self, width: usize) -> Vec<u8> {
        let place = |mut number: usize| {
            let mut at = vec![0; self.shape.len()];
            for (at, extent) in at.iter_mut().zip(&self.shape).rev() {
                (*at, number) = (number % extent, number / extent);
            }
            at.iter().zip(&self.shape).rev().fold(0, |place, (at, extent)| place * extent + at)
        };
        let entry = |number: usize| &self.bytes[place(number) * width..][..width];
        (0..self.bytes.len() / width).flat_map(entry).copied().collect()
    }

    pub(crate) fn entries<T: Raw>(&self) -> impl Iterator<Item = T> {
        assert_eq!(self.descr, T::DESCR);
        self.bytes.chunks_exact(size_of::<T>()).map(T::of)
    }

    /// Returns the text of an array of characters.
    pub(crate) fn text(&self) -> String {
        let point = |bytes: &[u8]| char::from_u32(u32::of(bytes)).unwrap_or_default();
        self.bytes.chunks_exact(4).map(point).filter(|&point| point != '\0').collect()
    }

    pub(crate) fn write(&self, path: &str) -> Result<(), Box<dyn Error>> {
        let shape: String = self.shape.iter().map(|extent| format!("{extent}, ")).collect();
        let header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}\n", self.descr);
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.bytes());
        file.extend(&self.bytes);
        Ok(fs::write(path, file)?)
    }
}
