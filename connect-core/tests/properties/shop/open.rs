//! Opening a shop, fresh or again.

use std::sync::Arc;

#[cfg(all(unix, feature = "postgres"))]
use connect_core::storage::postgres::testing::TestDatabase;
use connect_core::{
    Access, Connect, NewAccount, NewLocation,
    environment::{ManualClock, SequentialIds},
    storage::{Storage, memory::MemoryStorage},
    wire::{Timestamp, VatRate},
};
use tempfile::TempDir;
use uuid::Uuid;

/// Where a shop is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    /// In memory.
    Memory,
    /// In sled, in a directory of its own.
    #[cfg(feature = "sled")]
    Sled,
    /// In redb, in a directory of its own.
    #[cfg(feature = "redb")]
    Redb,
    /// In a database of its own on PostgreSQL.
    #[cfg(all(unix, feature = "postgres"))]
    Postgres,
}

impl Backend {
    /// Says that what is asked first is answered first. A database has many connections.
    pub(crate) fn answers_in_order(self) -> bool {
        #[cfg(all(unix, feature = "postgres"))]
        if matches!(self, Self::Postgres) {
            return false;
        }
        true
    }
}

/// The place of a shop's rows. They stay there for as long as it is held.
#[derive(Clone)]
pub(crate) enum Premises {
    Memory,
    #[cfg(any(feature = "sled", feature = "redb"))]
    Directory(Arc<TempDir>),
    #[cfg(all(unix, feature = "postgres"))]
    Database(Arc<TestDatabase>),
}

/// A location with an empty catalog, a clock that stands still, and ids that count up: the same
/// writes make the same ids in every shop.
pub(crate) struct Shop {
    /// Where it is stored.
    pub(crate) on: Backend,
    /// The core.
    pub(crate) connect: Connect,
    /// The way in to the location.
    pub(crate) at: Access,
    /// The way in to another location of the account, by the same caller.
    pub(crate) there: Access,
    /// The clock of the core.
    pub(crate) clock: Arc<ManualClock>,
    /// What the core stores its rows in.
    pub(crate) storage: Arc<dyn Storage>,
    /// The ids of all processes come from here.
    ids: Arc<SequentialIds>,
    // Dropped after the storage that lies in it.
    premises: Premises,
}

/// Where every clock starts.
pub(crate) const START: Timestamp = Timestamp::from_micros(1_790_000_000_000_000);
/// Who writes.
pub(crate) const CALLER: Uuid = Uuid::from_u128(0xCA11);

impl Shop {
    /// A fresh shop.
    pub(crate) async fn open(on: Backend) -> Self {
        let (storage, premises) = empty(on).await;
        let clock = ManualClock::at(START);
        let ids = Arc::new(SequentialIds::default());
        let connect = connect_on(storage.clone(), &clock, &ids);
        let account = NewAccount {
            name: "Bakery".into(),
            owner_email: "owner@bakery.example".into(),
            sandbox: true,
        };
        let account = connect.create_account(account).await.unwrap().id;
        let mut locations = Vec::new();
        for name in ["Here", "There"] {
            let location = NewLocation {
                name: name.into(),
                currency: "EUR".into(),
                default_vat_rate: VatRate::percent(21),
            };
            locations.push(connect.create_location(account, location).await.unwrap().id);
        }
        let at = |place: usize| connect.authorize_owner(account, locations[place], CALLER);
        let (at, there) = (at(0).await.unwrap(), at(1).await.unwrap());
        Self {
            on,
            connect,
            at,
            there,
            clock,
            storage,
            ids,
            premises,
        }
    }

    /// Stops the service and starts it again.
    pub(crate) async fn reopen(&mut self) {
        let nothing: Arc<dyn Storage> = Arc::new(MemoryStorage::new());
        let storage = std::mem::replace(&mut self.storage, nothing.clone());
        self.connect = self.connect_on(nothing);
        // The task that did the last write ends by itself.
        while Arc::strong_count(&storage) > 1 {
            tokio::task::yield_now().await;
        }
        self.storage = match self.on {
            Backend::Memory => storage,
            _ => {
                drop(storage);
                opened(self.on, &self.premises).await
            }
        };
        self.connect = self.connect_on(self.storage.clone());
    }

    /// Carries the store to another backend.
    #[cfg(all(feature = "redb", feature = "sled"))]
    pub(crate) async fn move_to(&mut self, on: Backend) {
        use connect_core::transfer::{ExportOptions, export, import};
        self.reopen().await;
        let (storage, premises) = empty(on).await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop");
        let exported = export(&*self.storage, &file, ExportOptions::default(), &mut |_| {}).await;
        let imported = import(&*storage, &file, &mut |_| {}).await;
        assert_eq!(imported.unwrap(), exported.unwrap());
        self.connect = self.connect_on(storage.clone());
        (self.on, self.storage) = (on, storage);
        self.premises = premises;
    }

    /// The folder of its files, if it is in one.
    #[cfg(all(feature = "redb", feature = "sled"))]
    pub(crate) fn folder(&self) -> Option<std::path::PathBuf> {
        match &self.premises {
            Premises::Directory(folder) => Some(folder.path().to_owned()),
            _ => None,
        }
    }

    /// What keeps the files of the shop in place for as long as it is held.
    pub(crate) fn premises(&self) -> Premises {
        self.premises.clone()
    }

    /// The core as another process on the same storage would have it, with a clock of its own.
    pub(crate) fn beside(&self, clock: Arc<ManualClock>) -> Connect {
        connect_on(self.storage.clone(), &clock, &self.ids)
    }

    /// The core of another process on `storage`, with the clock and the ids of the shop.
    pub(super) fn connect_on(&self, storage: Arc<dyn Storage>) -> Connect {
        connect_on(storage, &self.clock, &self.ids)
    }
}

/// An empty store, and the place that it is in.
async fn empty(on: Backend) -> (Arc<dyn Storage>, Premises) {
    let premises = match on {
        Backend::Memory => Premises::Memory,
        #[cfg(all(unix, feature = "postgres"))]
        Backend::Postgres => Premises::Database(TestDatabase::new().unwrap().into()),
        #[cfg(any(feature = "sled", feature = "redb"))]
        _ => Premises::Directory(tempfile::tempdir().unwrap().into()),
    };
    (opened(on, &premises).await, premises)
}

/// The store of a backend in a place.
async fn opened(on: Backend, premises: &Premises) -> Arc<dyn Storage> {
    match (premises, on) {
        #[cfg(feature = "sled")]
        (Premises::Directory(directory), Backend::Sled) => {
            use connect_core::storage::sled::{SledOptions, SledStorage};
            let options = SledOptions {
                cache_bytes: 8 * 1024 * 1024,
                space: small(),
                ..Default::default()
            };
            Arc::new(SledStorage::open(directory.path(), options).unwrap())
        }
        #[cfg(feature = "redb")]
        (Premises::Directory(directory), Backend::Redb) => {
            use connect_core::storage::redb::{RedbOptions, RedbStorage};
            let options = RedbOptions {
                cache_bytes: 8 * 1024 * 1024,
                space: small(),
                ..Default::default()
            };
            Arc::new(RedbStorage::open(directory.path(), options).unwrap())
        }
        #[cfg(all(unix, feature = "postgres"))]
        (Premises::Database(database), _) => {
            use connect_core::storage::postgres::{PostgresOptions, PostgresStorage};
            let options = PostgresOptions {
                readers: 4,
                writers: 4,
                ..Default::default()
            };
            let storage = PostgresStorage::open(&database.address(), options).await;
            Arc::new(storage.unwrap())
        }
        _ => Arc::new(MemoryStorage::new()),
    }
}

fn connect_on(
    storage: Arc<dyn Storage>,
    clock: &Arc<ManualClock>,
    ids: &Arc<SequentialIds>,
) -> Connect {
    Connect::builder(storage)
        .clock(clock.clone())
        .ids(ids.clone())
        .build()
}

/// Hundreds of shops are made, none of which needs to survive a full disk.
#[cfg(any(feature = "sled", feature = "redb"))]
fn small() -> connect_core::storage::redb::SpaceOptions {
    connect_core::storage::redb::SpaceOptions {
        ballast_bytes: 0,
        ..Default::default()
    }
}
