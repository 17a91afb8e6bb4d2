//! The screens of simulated shops. They have keys like others, which nobody sees.

use std::net::{IpAddr, Ipv4Addr};

use connect_core::{
    Access, Account, Connect, Error, NewScreen, ScreenType,
    wire::{Id, Location},
};

/// Lets the simulated screen of this type in. It is made when there is none.
pub(super) async fn access(
    connect: &Connect,
    account: &Account,
    location_id: Id<Location>,
    kind: ScreenType,
) -> Result<Access, Error> {
    let name = match kind {
        ScreenType::Pos => "Simulated register",
        ScreenType::OrderKiosk => "Simulated kiosk",
        ScreenType::ScanAndOrder => "Simulated Scan & Order",
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
