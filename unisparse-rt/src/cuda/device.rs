//! A device as all of its tensors, arrays and streams share it.

use super::driver::Driver;
use super::modules::Modules;

/// A device with its compiled kernels.
pub(super) struct Device {
    pub(super) driver: Box<dyn Driver>,
    pub(super) modules: Modules,
}
