//! A screen that presents its key, and what screens of its type may do.

use std::{fmt, sync::Arc};

use super::credential_cache::Credential;
use crate::{
    rules::secret::SCREEN_KEY,
    storage::{Key, Value},
    transaction::{
        Account, Error, Fault, Reason, Screen, ScreenKey, ScreenType,
        keys::{Family, key},
    },
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
    const PREFIXES: &'static [&'static str] = &[SCREEN_KEY];

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
}

/// A right that screens have by their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenRight {
    /// To write rows and Z reports: registers.
    WriteJournal,
    /// To make orders: kiosks and Scan & Order.
    MakeOrders,
    /// To change orders: all of them.
    ChangeOrders,
}

impl ScreenRight {
    /// Passes a screen on whose type has the right. `None` stands for whoever is no screen.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`].
    pub(super) fn of(self, screen: Option<&Screen>) -> Result<&Screen, Error> {
        use ScreenType::{OrderKiosk, Pos, ScanAndOrder};
        let types: &[ScreenType] = match self {
            Self::WriteJournal => &[Pos],
            Self::MakeOrders => &[OrderKiosk, ScanAndOrder],
            Self::ChangeOrders => &[Pos, OrderKiosk, ScanAndOrder],
        };
        let screen = screen.filter(|screen| types.contains(&screen.kind));
        screen.ok_or_else(|| {
            Error::ForbiddenScope(Reason::new(match self {
                Self::WriteJournal => {
                    "only a register may do this: use the key of a screen of type pos"
                }
                Self::MakeOrders => {
                    "only kiosks and Scan & Order make orders; use the key of such a screen"
                }
                Self::ChangeOrders => {
                    "only registers, kiosks and Scan & Order change orders; use the key of such a \
                     screen"
                }
            }))
        })
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
