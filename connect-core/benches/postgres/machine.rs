//! The load of the machine, and the speed of its disk.

use std::{
    fs::{self, File},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    process::Child,
    time::{Duration, Instant},
};

/// The time that the processors have worked, and been there for, in ticks.
#[derive(Clone, Copy)]
pub struct Processors {
    busy: u64,
    all: u64,
}

impl Processors {
    /// The ticks so far; nothing where the system does not tell.
    pub fn now() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = stat.lines().next().unwrap_or_default();
        let ticks = line.split_whitespace().skip(1).take(8);
        let ticks: Vec<u64> = ticks.filter_map(|tick| tick.parse().ok()).collect();
        let all: u64 = ticks.iter().sum();
        // The fourth and fifth are times without work, or waiting for the disk.
        let idle: u64 = ticks.iter().skip(3).take(2).sum();
        Self {
            busy: all - idle,
            all,
        }
    }

    /// The share of all processors that was in use since then, in percent.
    pub fn busy_since(self) -> u64 {
        let now = Self::now();
        100 * (now.busy - self.busy) / (now.all - self.all).max(1)
    }
}

/// The time that the disk for temporary files takes to keep 8 kB that were appended: the median of 200.
pub fn sync_time() -> Duration {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let file: &mut File = file.as_file_mut();
    // As PostgreSQL's log, which writes over what is there already.
    file.write_all(&vec![0; 200 * 8192]).unwrap();
    file.sync_all().unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let mut times: Vec<_> = (0..200)
        .map(|_| {
            let start = Instant::now();
            file.write_all(&[1; 8192]).unwrap();
            file.sync_data().unwrap();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[100]
}

/// A share of a processor that a process has, as if on a small machine of its own. Lasts until it is dropped,
/// after the process has ended.
pub struct Share(PathBuf);

impl Share {
    /// Where control groups of processors are made.
    const GROUPS: &str = "/sys/fs/cgroup/cpu";
    /// The time, in microseconds, of which a process has its share. It is short, so that a process that has used up
    /// its share is not stopped for long.
    const PERIOD: u64 = 10_000;

    /// Returns whether this system lets us give shares: it has control groups of version 1, and we are root.
    pub fn is_possible() -> bool {
        let group = Path::new(Self::GROUPS).join("connect-bench");
        let quota = group.join("cpu.cfs_quota_us");
        let is_possible = fs::create_dir(&group).is_ok() && quota.exists();
        drop(fs::remove_dir(group));
        is_possible
    }

    /// Gives a process so many percent of a processor.
    pub fn give(process: &Child, percent: u64) -> io::Result<Self> {
        let id = process.id().to_string();
        let share = Self(Path::new(Self::GROUPS).join(format!("connect-bench-{id}")));
        fs::create_dir(&share.0)?;
        let put = |file: &str, value: &str| fs::write(share.0.join(file), value);
        put("cpu.cfs_period_us", &Self::PERIOD.to_string())?;
        let quota = Self::PERIOD * percent / 100;
        put("cpu.cfs_quota_us", &quota.to_string())?;
        put("cgroup.procs", &id)?;
        Ok(share)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        drop(fs::remove_dir(&self.0));
    }
}
