//! Derivations of several jobs at once, in lanes of one thread: scrypt of one N and r, PBKDF2 over
//! one hash.

use super::{Kdf, scratch_pool};
use crate::bytes::{Copies, Window};
use crate::job::Job;
use crate::multibuffer::{BatchInFlight, complete, failure};
use crate::task::{CompletedBatch, PoolTask};
use crate::work::{Key, Status};
use millrace_core::allocate::try_zeroed;
use millrace_core::error::Error;
use millrace_core::kdf::{Memory, pbkdf2, scrypt};
use millrace_pool::YieldPoint;
use std::panic::{AssertUnwindSafe, catch_unwind};
use zeroize::Zeroizing;

/// What one of them is given and gives. Its own: a job that nobody wants any more leaves with its
/// memory.
struct Lane {
    _copies: Copies,
    password: Window,
    salt: Window,
    target: Zeroizing<Vec<u8>>,
}

impl Lane {
    fn of(job: &Job) -> Option<Lane> {
        let Key::Bytes(password) = job.work.key else { return None };
        let mut copies = Copies::default();
        let [password, salt] = copies.secrets([password, job.work.iv])?;
        let target = Zeroizing::new(try_zeroed(job.work.target.size()).ok()?);
        Some(Lane { _copies: copies, password, salt, target })
    }
}

/// Runs jobs of one kind, all of which have begun.
pub(crate) fn run(
    mut jobs: Vec<Box<Job>>,
    yield_point: &mut YieldPoint<'_, PoolTask>,
    completed: &mut CompletedBatch,
) {
    // Kept until all memory has been given back, also that of a job which leaves early.
    let permits: Vec<_> = jobs.iter_mut().filter_map(|job| job.permit.take()).collect();
    let refuse = |jobs: Vec<Box<Job>>, status: Status, completed: &mut CompletedBatch| {
        for mut job in jobs {
            job.end(status);
            complete(job, completed);
        }
    };
    let Some(derivations) =
        jobs.iter().map(|job| job.work.derivation.decode()).collect::<Option<Vec<_>>>()
    else {
        return refuse(jobs, Status::Internal, completed);
    };
    let Some(mut lanes) = jobs.iter().map(|job| Lane::of(job)).collect::<Option<Vec<_>>>() else {
        return refuse(jobs, Status::Memory, completed);
    };
    let room = permits.iter().map(|permit| permit.bytes()).sum();
    BatchInFlight::work(jobs, yield_point, completed, |members, checkpoint| {
        let each = |index: usize, key: &[u8]| {
            if let Some(job) = &mut members.borrow_mut()[index] {
                job.answer_with(key);
            }
        };
        let result = catch_unwind(AssertUnwindSafe(|| match derivations[0] {
            Kdf::Scrypt { cost, .. } => {
                let mut jobs: Vec<_> = (lanes.iter_mut().zip(&derivations))
                    .filter_map(|(lane, kdf)| match kdf {
                        Kdf::Scrypt { p, .. } => Some(scrypt::Job {
                            password: lane.password.read(),
                            salt: lane.salt.read(),
                            p: *p,
                            target: &mut lane.target,
                        }),
                        _ => None,
                    })
                    .collect();
                let mut memory = memory(&cost, &jobs, room)?;
                let result = scrypt::derive_many(&cost, &mut jobs, &mut memory, checkpoint, each);
                scratch_pool::defer_wipe(memory);
                result
            }
            Kdf::Pbkdf2 { hash, .. } => {
                let mut jobs: Vec<_> = (lanes.iter_mut().zip(&derivations))
                    .filter_map(|(lane, kdf)| match kdf {
                        Kdf::Pbkdf2 { iterations, .. } => Some(pbkdf2::Job {
                            password: lane.password.read(),
                            salt: lane.salt.read(),
                            iterations: *iterations,
                            target: &mut lane.target,
                        }),
                        _ => None,
                    })
                    .collect();
                pbkdf2::derive_many(hash, &mut jobs, checkpoint, each)
            }
            _ => Err(Error::NotSupported),
        }));
        failure(result)
    });
    completed.deliver();
    scratch_pool::wipe_deferred(|| yield_point.run_pending_short_tasks());
    drop(permits);
}

/// As much memory as has room, and is of use.
fn memory(cost: &scrypt::Cost, jobs: &[scrypt::Job<'_>], room: u64) -> Result<Memory, Error> {
    let lanes: u64 = jobs.iter().map(|job| u64::from(job.p)).sum();
    let most = scrypt::lanes().min(usize::try_from(lanes).unwrap_or(usize::MAX));
    let size = |&together: &usize| scrypt::memory(cost, lanes, together);
    let together = (2..=most).rev().find(|together| size(together) <= room).unwrap_or(1);
    scratch_pool::take(size(&together))
}
