//! One gate per guard, without a lease.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

type Gate = Arc<RwLock<()>>;

#[derive(Clone, Default)]
pub(super) struct Gates(Arc<Mutex<HashMap<Vec<u8>, Gate>>>);

impl Gates {
    pub(super) async fn enter(&self, guard: &[u8]) -> OwnedRwLockReadGuard<()> {
        self.of(guard).read_owned().await
    }

    pub(super) async fn lock(&self, guard: &[u8]) -> OwnedRwLockWriteGuard<()> {
        self.of(guard).write_owned().await
    }

    fn of(&self, guard: &[u8]) -> Gate {
        self.0.lock().entry(guard.to_vec()).or_default().clone()
    }
}
