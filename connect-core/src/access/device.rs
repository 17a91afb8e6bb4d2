//! A screen that presents its key.

use std::{fmt, sync::Arc};

use crate::{
    record::{
        Account, Fault, Screen, ScreenKey, Store,
        keys::{Family, NOBODY, Part, key},
    },
    rules::secret,
    storage::{Key, Read, Value},
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

impl Device {
    /// The screen with the key of this value, if there is one.
    pub(crate) async fn find(store: &Store, value: &str) -> Result<Option<Self>, Fault> {
        let digest = secret::digest(value);
        let screen_key = key(NOBODY, Family::ScreenKey, &[Part::Digest(&digest)]);
        let account_key = key(NOBODY, Family::AccountOfScreenKey, &[Part::Digest(&digest)]);
        let follow = Read::Follow {
            key: &account_key,
            rows: &[],
        };
        let mut state = store.read(&[Read::Get(&screen_key), follow]).await?;
        let (key_row, account) = (state.value()?, state.followed()?);
        let (Some(key_row), Some((_, Some(account_row)))) = (key_row, account) else {
            return Ok(None);
        };
        Self::parse(screen_key, key_row, account_row)
    }

    /// Parses the rows. `None` when the account no longer has the screen.
    pub(crate) fn parse(
        screen_key: Key,
        key_row: Value,
        account_row: Value,
    ) -> Result<Option<Self>, Fault> {
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
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("screen", &self.screen.id)
            .field("account", &self.account.id)
            .finish_non_exhaustive()
    }
}
