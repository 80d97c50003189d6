//! The Node-API binding. JavaScript parses arguments and explains errors; `crates/request` decodes
//! and runs a call. This crate reads and makes JavaScript values, decides where a work runs (during
//! its call, or as a job on the pool), and returns results to the event loop.
//!
//! Each module imports only modules further down this list:
//!
//! - `lifecycle`: how the library is loaded, and how an environment begins and ends;
//! - `exports`: the functions that JavaScript can call, with `fast_path` (common digests) and
//!   `handles` (keys, incremental ciphers); `bigint`: bytes as a BigInt;
//! - `run`: the route of one call: synchronous, inline, or on the pool;
//! - `environment`: the state of one environment, and how results reach JavaScript;
//! - `admission`: derivations that wait for memory;
//! - `task`: the pool and its tasks;
//! - `multibuffer`: batches of jobs in SIMD lanes; `completed`: finished jobs of a worker;
//! - `parallel`: large messages that several workers compute;
//! - `job`: a `Work` with what the pool needs;
//! - `completion`: the queue of finished jobs that wakes the event loop;
//! - `cost`: the routes that follow from predicted nanoseconds;
//! - `values`: reads and creates JavaScript values;
//! - `list`: lists of jobs that need no memory.
//!
//! Only `values`, `completion`, `lifecycle` and `list` contain `unsafe`.

// Jobs are large and move between lists and threads: vectors hold them boxed.
#![allow(clippy::vec_box)]

mod admission;
mod bigint;
mod completed;
mod completion;
mod cost;
mod environment;
mod exports;
#[cfg(feature = "failing-allocator")]
mod failing_allocator;
mod fast_path;
mod handles;
mod job;
mod lifecycle;
mod list;
mod multibuffer;
mod parallel;
mod run;
mod task;
mod values;
