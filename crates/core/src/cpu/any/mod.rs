//! What serves on a CPU without kernels of its own: portable code, or the answer that there is no
//! kernel.
