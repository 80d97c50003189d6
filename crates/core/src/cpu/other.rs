//! A CPU without kernels.

pub(crate) use crate::cpu::any::*;
