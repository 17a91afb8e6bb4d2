//! The users behind stock movements.
//!
//! A movement tells its source alone: the dashboard, a token or a register. Its entry in the trail, of the same
//! time, has the user's id. So a removed user leaves no name here.

use std::{borrow::Cow, collections::HashMap};

use connect_core::{
    Author, Error, UserRight,
    wire::{StockMovement, Timestamp},
};

use crate::dashboard::{page_request::SignedIn, pages::shop::PageLocation};

/// The source of movements entered in the dashboard.
const DASHBOARD: &str = "Dashboard";

/// The names of users, by the times of their movements.
pub(super) struct MovementUsers(HashMap<Timestamp, Cow<'static, str>>);

impl MovementUsers {
    /// Finds the users behind these movements, for a reader of the trail.
    pub(super) async fn find(
        to: &SignedIn<'_>,
        shop: &PageLocation,
        movements: &[StockMovement],
    ) -> Result<Self, Error> {
        let by_people = movements.iter().filter(|moved| moved.source == DASHBOARD);
        let times: Vec<_> = by_people.map(|moved| moved.created_at).collect();
        if times.is_empty() || !to.session.has(UserRight::ReadTrail) {
            return Ok(Self(HashMap::new()));
        }
        let account = to.account();
        let authors = to
            .connect
            .authors_at(account.id, shop.location.id, &times)
            .await?;
        let named = times.into_iter().zip(authors).filter_map(|(time, author)| {
            let Author::User { id } = author? else {
                return None;
            };
            let user = account.users.iter().find(|user| user.id == id);
            let name = user.map(|user| Cow::Owned(user.name.clone()));
            Some((time, name.unwrap_or_else(|| text!("activity-former-user"))))
        });
        Ok(Self(named.collect()))
    }

    /// Returns the user behind a movement; its source if none is known.
    pub(super) fn of<'w>(&'w self, movement: &'w StockMovement) -> &'w str {
        let known = self.0.get(&movement.created_at);
        known.map_or(&movement.source, |name| name)
    }
}
