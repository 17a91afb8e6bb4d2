//! The screens of simulated shops.
//! Their keys are like any other, but never shown.

use std::net::{IpAddr, Ipv4Addr};

use connect_core::{
    Access, Account, Connect, Error, NewScreen, Reason, ScreenType,
    wire::{Id, Location},
};

/// The names of the simulated screens.
const REGISTER: &str = "Simulated register";
const KIOSK: &str = "Simulated kiosk";
const SCAN_AND_ORDER: &str = "Simulated Scan & Order";

/// Returns whether the name is of a simulated screen.
/// Each simulation replaces the key of such a screen.
pub(crate) fn is_simulated(name: &str) -> bool {
    [REGISTER, KIOSK, SCAN_AND_ORDER].contains(&name)
}

/// Checks a name given to a screen of an account.
///
/// # Errors
/// The account is a sandbox, and the name is one of a simulated screen.
pub(crate) fn check_name(account: &Account, name: &str) -> Result<(), Error> {
    if account.sandbox && is_simulated(name.trim()) {
        let problem = "is that of a simulated screen of the sandbox; choose another one";
        return Err(Error::Invalid(Reason::of("name", problem)));
    }
    Ok(())
}

/// Authorizes the simulated screen of this type.
/// Makes it if it is missing.
pub(super) async fn access(
    connect: &Connect,
    account: &Account,
    location_id: Id<Location>,
    kind: ScreenType,
) -> Result<Access, Error> {
    let name = match kind {
        ScreenType::Pos => REGISTER,
        ScreenType::OrderKiosk => KIOSK,
        ScreenType::ScanAndOrder => SCAN_AND_ORDER,
    };
    let mut screens = account.screens.iter();
    let found = screens.find(|screen| {
        screen.kind == kind && screen.location_id == location_id && screen.name == name
    });
    let screen = match found {
        Some(screen) => screen.id,
        None => {
            let new = NewScreen {
                location_id,
                kind,
                name: name.to_owned(),
            };
            connect.create_screen(account.id, new).await?.id
        }
    };
    let key = connect.roll_screen_key(account.id, screen).await?;
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let access = connect.authenticate_screen(here, Some(key.expose())).await;
    access.map_err(|denied| denied.error)
}
