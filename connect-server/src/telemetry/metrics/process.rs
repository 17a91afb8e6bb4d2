//! The metrics of the process: time, memory and files.
//! Their names are the names in Prometheus' own libraries.

use std::{fs, time::Duration};

use connect_core::wire::Timestamp;
use prometheus::proto::MetricFamily;
use rustix::{
    process::{Resource, getrlimit},
    time::{ClockId, clock_gettime},
};

use super::family::Family;

/// Returns the metrics of a process begun at `started`.
/// Values unknown to the system are left out. Reads files of the kernel, without waiting for a disk.
pub(super) fn families(started: Timestamp) -> Vec<MetricFamily> {
    let cpu = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
    let mut families = vec![
        Family::counter(
            "process_cpu_seconds_total",
            "The processor time that the process has used.",
        )
        .of(cpu.as_secs_f64()),
        Family::gauge(
            "process_start_time_seconds",
            "The start of the process, in seconds since 1970.",
        )
        .of(started.micros() as f64 / 1e6),
        Family::gauge("connect_build_info", "1, with the version of the server.")
            .by("version", [(env!("CARGO_PKG_VERSION"), 1.0)]),
    ];
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = [
        (
            "VmRSS:",
            Family::gauge(
                "process_resident_memory_bytes",
                "The memory that the process has in use.",
            ),
        ),
        (
            "VmSize:",
            Family::gauge(
                "process_virtual_memory_bytes",
                "The addresses that the process has reserved.",
            ),
        ),
    ];
    let known = memory
        .into_iter()
        .filter_map(|(name, family)| Some(family.of(kilobytes(&status, name)? * 1024.0)));
    families.extend(known);
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        let family = Family::gauge("process_open_fds", "Open files and connections.");
        // One of them is the listing itself.
        families.push(family.of(open.count().saturating_sub(1) as f64));
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        let family = Family::gauge("process_max_fds", "The most that may be open.");
        families.push(family.of(most as f64));
    }
    families
}

/// Finds a line such as `VmRSS:     1234 kB`.
fn kilobytes(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_lines_of_the_kernel() {
        let status = "Name:\tx\nVmSize:\t    9000 kB\nVmRSS:\t    1234 kB\nThreads:\t1\n";
        assert_eq!(kilobytes(status, "VmRSS:"), Some(1234.0));
        assert_eq!(kilobytes(status, "VmSize:"), Some(9000.0));
        assert_eq!(kilobytes(status, "Threads:"), None);
        assert_eq!(kilobytes("", "VmRSS:"), None);
        // It is given in bytes: a megabyte at least, and less than the machine can address.
        let families = families(Timestamp::EPOCH);
        let of = |name| families.iter().find(|family| family.name() == name);
        let memory = of("process_resident_memory_bytes").unwrap().get_metric()[0].get_gauge();
        assert!((1e6..1e12).contains(&memory.get_value()), "{memory:?}");
    }
}
