//! A screen that presents its key.

use std::{fmt, sync::Arc};

use super::known::Credential;
use crate::{
    record::{
        Account, Fault, Screen, ScreenKey,
        keys::{Family, key},
    },
    storage::{Key, Value},
};

/// A screen and its account, as the key of the screen leads to them, with the rows that they were
/// parsed from.
pub(crate) struct Device {
    pub(crate) key: Key,
    pub(crate) key_row: Value,
    pub(crate) account_row: Value,
    pub(crate) account: Arc<Account>,
    pub(crate) screen: Screen,
}

impl Credential for Device {
    const ROWS: Family = Family::ScreenKey;
    const ACCOUNTS: Family = Family::AccountOfScreenKey;

    fn parse(screen_key: Key, key_row: Value, account_row: Value) -> Result<Option<Self>, Fault> {
        let parsed: ScreenKey =
            serde_json::from_slice(&key_row).map_err(|e| Fault::corrupt(&screen_key, e))?;
        let account_key = key(parsed.account_id.uuid(), Family::Account, &[]);
        let account: Account =
            serde_json::from_slice(&account_row).map_err(|e| Fault::corrupt(&account_key, e))?;
        let mut screens = account.screens.iter();
        let Some(screen) = screens.find(|screen| screen.id == parsed.screen_id) else {
            return Ok(None);
        };
        Ok(Some(Self {
            screen: screen.clone(),
            key: screen_key,
            key_row,
            account_row,
            account: Arc::new(account),
        }))
    }

    fn rows(&self) -> (&Value, &Value) {
        (&self.key_row, &self.account_row)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("screen", &self.screen.id)
            .field("account", &self.account.id)
            .finish_non_exhaustive()
    }
}
