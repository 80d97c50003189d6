//! Scheduling of the workers' threads by the operating system.
#![allow(unsafe_code)]

/// Makes the calling thread one that does not preempt others when it is woken: an event loop that
/// has submitted a job continues instead of waiting on its own core for the worker. (p50 of a call
/// after 1 ms of computing, both cores busy: 12 us instead of 500.) Unlike a lower priority, this
/// takes no CPU share from the worker.
pub(crate) fn avoid_preempting_others() {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: all fields are numbers; 0 is the priority that this policy demands.
        let priority: libc::sched_param = unsafe { std::mem::zeroed() };
        // SAFETY: 0 names the calling thread; a refusal changes nothing.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &priority) };
    }
}
