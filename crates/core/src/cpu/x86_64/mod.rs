//! The kernels of x86-64: the same names as in [`any`](super::any), which serves what has no kernel
//! here.
