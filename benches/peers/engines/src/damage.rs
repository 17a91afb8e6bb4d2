//! What fjall makes of damaged files. Each case damages a copy of a store as a kill leaves it, and
//! opens it in a process of its own.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::process::ExitStatusExt as _,
    panic,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::store::{Fjall, Store as _};

const BATCH: u64 = 10;
/// The bytes of a value: several sectors, and fewer than fjall compresses.
const VALUE: usize = 4000;

/// A loss of power before a sync returned: of the last batch, one sector is not on the disk.
pub fn torn() {
    let store = killed(|store| (0..3).for_each(|batch| put(store, batch)));
    let journal = store.path().join("0.jnl");
    let mut bytes = fs::read(&journal).unwrap();
    // The first value of the last batch, which is as long as several sectors.
    let value = [2; VALUE];
    let value = bytes.windows(VALUE).position(|part| part == value).unwrap();
    let sector = value.next_multiple_of(512);
    bytes[sector..sector + 512].fill(0);
    fs::write(&journal, bytes).unwrap();
    println!(
        "torn: 20 rows acknowledged, 10 more under way, one sector of these is zeros: {}",
        look(store.path())
    );
}

/// The list of tables: with one bit of it flipped, and without the file that names it.
pub fn list() {
    let base = killed(|store| {
        for batch in 0..3 {
            put(store, batch);
            store.rows.rotate_memtable_and_wait().unwrap();
        }
    });
    let folder = Path::new("keyspaces/1");
    let current = base.path().join(folder).join("current");
    let number = u64::from_le_bytes(fs::read(&current).unwrap()[..8].try_into().unwrap());
    let list = folder.join(format!("v{number}"));
    let length = fs::read(base.path().join(&list)).unwrap().len();
    let mut outcomes = BTreeMap::<_, usize>::new();
    for byte in 0..length {
        let store = copy(base.path());
        let file = store.path().join(&list);
        let mut bytes = fs::read(&file).unwrap();
        bytes[byte] ^= 1 << (byte % 8);
        fs::write(&file, bytes).unwrap();
        let outcome = look(store.path());
        // Without the reason of a refusal.
        let outcome = outcome.split(':').next().unwrap_or_default().to_owned();
        *outcomes.entry(outcome).or_default() += 1;
    }
    println!("list: 30 rows in tables; of each byte of v{number}, one bit is flipped in turn:");
    for (outcome, times) in outcomes {
        println!("  {times} times: {outcome}");
    }
    let store = copy(base.path());
    fs::remove_file(store.path().join(folder).join("current")).unwrap();
    println!("list: `current` is missing: {}", look(store.path()));
}

/// Opens a store and says what is in it: the process that [`look`] starts.
pub fn look_here(folder: &Path) {
    panic::set_hook(Box::new(|_| {}));
    let found = panic::catch_unwind(|| {
        let store = match Fjall::open(folder) {
            Ok(store) => store,
            Err(error) => return format!("does not open: {error:?}"),
        };
        let keys = (0..3 * BATCH).map(key);
        let rows = keys
            .map(|key| store.rows.get(key))
            .collect::<Result<Vec<_>, _>>();
        match rows {
            Ok(rows) => format!("opens with {} rows", rows.into_iter().flatten().count()),
            Err(error) => format!("opens, and refuses a row: {error:?}"),
        }
    });
    println!("{}", found.unwrap_or_else(|_| "panics".into()));
}

/// Opens a store in a process of its own, and counts its tables before and after.
fn look(folder: &Path) -> String {
    let before = tables(folder);
    let program = std::env::current_exe().unwrap();
    let process = Command::new(program)
        .arg("look")
        .arg(folder)
        .output()
        .unwrap();
    let found = match process.status.signal() {
        Some(signal) => format!("the process ends by signal {signal}"),
        None => String::from_utf8_lossy(&process.stdout).trim().to_owned(),
    };
    format!("{found}; tables {before} -> {}", tables(folder))
}

fn tables(folder: &Path) -> usize {
    let tables = fs::read_dir(folder.join("keyspaces/1/tables"));
    tables.map_or(0, Iterator::count)
}

/// Commits ten rows.
fn put(store: &Fjall, batch: u64) {
    let row = |number| (key(number), vec![batch as u8; VALUE]);
    store.commit(
        &(batch * BATCH..(batch + 1) * BATCH)
            .map(row)
            .collect::<Vec<_>>(),
    );
}

fn key(number: u64) -> [u8; 16] {
    u128::from(number).to_be_bytes()
}

/// Returns the files of a store that was killed after this.
fn killed(fill: impl FnOnce(&Fjall)) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = Fjall::open(folder.path()).unwrap();
    fill(&store);
    copy(folder.path())
}

fn copy(folder: &Path) -> TempDir {
    let made = tempfile::tempdir().unwrap();
    copy_into(folder, made.path().to_owned()).unwrap();
    made
}

fn copy_into(from: &Path, to: PathBuf) -> io::Result<()> {
    fs::create_dir_all(&to)?;
    for entry in fs::read_dir(from)? {
        let (entry, from) = entry.map(|entry| (entry.file_name(), entry.path()))?;
        match from.is_dir() {
            true => copy_into(&from, to.join(entry))?,
            false => fs::copy(&from, to.join(entry)).map(|_| ())?,
        }
    }
    Ok(())
}
