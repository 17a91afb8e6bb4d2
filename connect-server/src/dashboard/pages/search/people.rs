//! Hits among the users.

use super::{
    hits::{Hit, HitGroup},
    sought::Sought,
};
use crate::dashboard::page_request::SignedIn;

const PATH: &str = "/dashboard/users";

/// Finds users by a part of name or e-mail address, or id.
pub(super) fn users(to: &SignedIn<'_>, sought: &Sought<'_>) -> HitGroup {
    let all = to.account().users.iter();
    let found = all.filter(|user| {
        sought.is_id(user.id) || sought.is_in(&user.name) || sought.is_in(&user.email)
    });
    let hits = found.map(|user| {
        Hit::new(&*user.name, format!("{PATH}/{}", user.id))
            .with([&*user.email])
            .exact(sought.is_id(user.id) || sought.is(&user.email))
    });
    HitGroup::of(text!("section-users"), hits.collect(), Some(PATH))
}
