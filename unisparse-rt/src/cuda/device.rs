//! The state that all handles of one device share: driver and compiled modules.

use super::driver::Driver;
use super::modules::Modules;

/// A device with its compiled kernels.
pub(super) struct Device {
    pub(super) driver: Box<dyn Driver>,
    pub(super) modules: Modules,
}
