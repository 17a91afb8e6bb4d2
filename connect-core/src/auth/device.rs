//! Screens with a key, and the rights of each type of screen.

use std::fmt;

use super::credential_cache::Credential;
use crate::{
    rules::secret::SCREEN_KEY,
    storage::{Key, Value},
    transaction::{
        Account, Error, Fault, Reason, Screen, ScreenKey, ScreenType,
        keys::{Family, key},
    },
};

/// A screen found by its key, its account, and the rows of both.
pub(crate) struct Device {
    pub(crate) key: Key,
    pub(crate) key_row: Value,
    pub(crate) account_row: Value,
    pub(crate) account: Account,
    pub(crate) screen: Screen,
}

impl Credential for Device {
    type Row = ScreenKey;

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
            account,
        }))
    }
}

/// A right of screens by their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenRight {
    /// To write rows and Z reports: registers.
    WriteJournal,
    /// To create orders: kiosks and Scan & Order.
    MakeOrders,
    /// To change orders: all screens.
    ChangeOrders,
}

impl ScreenRight {
    /// Returns the screen if its type has the right.
    /// `None` stands for a caller other than a screen.
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
