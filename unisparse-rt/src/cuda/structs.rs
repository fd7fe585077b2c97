//! Arguments of kernels that are arrays of structs, one for each part of a tensor.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::buffer::Buffer;
use super::device::Device;
use super::driver::Address;
use super::error::Error;
use super::part::Part;
use crate::kernel::c::Member;

/// The arrays that were made, by the place of the description of their structs.
#[derive(Default)]
pub(super) struct Structs {
    made: Mutex<BTreeMap<(usize, usize), Buffer>>,
}

impl Structs {
    /// Returns the array of the structs of all parts.
    pub(super) fn address(
        &self,
        device: &Arc<Device>,
        members: &'static [Member],
        parts: &[Part],
    ) -> Result<Address, Error> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (members.as_ptr() as usize, members.len());
        if let Some(structs) = made.get(&key) {
            return Ok(structs.address());
        }
        let mut bytes = Vec::new();
        for part in parts {
            for member in members {
                bytes.extend_from_slice(&part.member(member)?.to_le_bytes());
            }
        }
        let structs = Buffer::of_bytes(device, &bytes)?;
        let address = structs.address();
        made.insert(key, structs);
        Ok(address)
    }
}
