//! The Node-API binding: thin on purpose. JavaScript parses and explains; this crate reads the
//! numbers and bytes of one flat call, checks the ranges again, and runs the core over them,
//! here (synchronous) or on the pool (asynchronous).
//!
//! Read downward:
//! - `calls`: what JavaScript can call;
//! - `everyday`: the digests most often asked for, with less ado;
//! - `bigint`: bytes as a BigInt and back;
//! - `work`: one operation with all its inputs, able to run on any thread;
//! - `job`: a work on its way through the pool and back;
//! - `errand`: what the pool's workers are given;
//! - `pacer`: long jobs in slices;
//! - `cut`: a large message cut into parts;
//! - `parts`: one large job by all workers;
//! - `company`: hashes of several jobs at once;
//! - `running`: work on the state of a running hash;
//! - `batch`: many messages in one work;
//! - `files`: messages in files;
//! - `cost`: how long a job is predicted to take;
//! - `kernel`: work that the kernel does;
//! - `kdf`: key derivation, its lanes and its memory;
//! - `keys`: prepared keys, held by number;
//! - `completion`: how finished jobs come back, many in one wake-up;
//! - `environment`: the state of one environment;
//! - `lifecycle`: how the library is loaded, and how an environment begins and ends;
//! - `bytes`: who owns the bytes, argued in one place;
//! - `pages`: what large fresh memory costs, and what helps;
//! - `values`: reading and making JavaScript values.
//!
//! `unsafe` stands in `values`, `bytes`, `completion`, `lifecycle` and `pages` only.

// Jobs travel as boxes: a vector of them is a handful on their way, not a list of jobs.
#![allow(clippy::vec_box)]

mod batch;
mod bigint;
mod bytes;
mod calls;
mod chunks;
mod company;
mod completion;
mod cost;
mod cut;
mod environment;
mod errand;
mod everyday;
mod files;
mod job;
mod kdf;
mod kernel;
mod keys;
mod lifecycle;
mod pacer;
mod pages;
mod parts;
mod running;
mod values;
mod work;
