//! Rights of tokens and accounts (specification: Authentication).

use super::role::{Reach, UserRight};
use crate::{
    transaction::{Account, AccountLocation, Token, User},
    wire::{Id, Location, Scope, Timestamp, limits::EXPIRY_WARNING_DAYS},
};

/// The reason for refusing access to a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lacks {
    /// The token has no access to the location.
    /// The same is returned for a missing location, so that callers cannot probe for existing ones.
    Location,
    /// The token has access to the location, but not with this scope.
    Scope,
}

/// The end of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Revoked(Timestamp),
    Expired(Timestamp),
}

/// Returns the end of a token, if it has ended at `now`.
pub(crate) fn ended(token: &Token, now: Timestamp) -> Option<Ended> {
    let expiry = token.expires_at.filter(|expiry| *expiry <= now);
    let revoked = token.revoked_at.map(Ended::Revoked);
    revoked.or_else(|| expiry.map(Ended::Expired))
}

/// Returns whether users are to be warned now of a token's expiry.
/// Whoever makes a token for a few days knows when it ends.
pub(crate) fn is_warning_due(token: &Token, now: Timestamp) -> bool {
    let Some(expiry) = token.expires_at else {
        return false;
    };
    let is_lasting = token.created_at.plus_days(EXPIRY_WARNING_DAYS + 1) <= expiry;
    let is_near = expiry.plus_days(-EXPIRY_WARNING_DAYS) <= now;
    is_lasting && is_near && token.expiry_warned_at.is_none() && ended(token, now).is_none()
}

/// Returns whether all locations of a token are within reach.
/// A token that lost its last location, by the erasure of it, is within that of the whole account alone.
pub(crate) fn is_within(reach: &Reach, token: &Token) -> bool {
    let mut grants = token.grants.iter();
    *reach == Reach::Account
        || !token.grants.is_empty() && grants.all(|grant| reach.includes(grant.location_id))
}

/// Returns the users with the right to manage a token of their account.
pub(crate) fn managers<'a>(
    account: &'a Account,
    token: &'a Token,
) -> impl Iterator<Item = &'a User> {
    account.users.iter().filter(|user| {
        let reach = account.reach(user, UserRight::ManageTokens);
        reach.is_ok_and(|reach| is_within(&reach, token))
    })
}

/// Returns true if the API is available: the account has a screen.
/// A screen is a till, a kiosk or Scan & Order.
pub(crate) fn is_available(account: &Account) -> bool {
    !account.screens.is_empty()
}

/// Returns the location, if the token may use `scope` there.
pub(crate) fn authorize<'a>(
    token: &Token,
    account: &'a Account,
    location: Id<Location>,
    scope: &Scope,
) -> Result<&'a AccountLocation, Lacks> {
    let grant = token
        .grants
        .iter()
        .find(|grant| grant.location_id == location);
    let place = account.locations.iter().find(|place| place.id == location);
    let (Some(grant), Some(place)) = (grant, place) else {
        return Err(Lacks::Location);
    };
    if grant.scopes.contains(scope) {
        Ok(place)
    } else {
        Err(Lacks::Scope)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{transaction::Grant, wire::VatRate};

    fn id<T>(number: u128) -> Id<T> {
        Uuid::from_u128(number).into()
    }

    fn token() -> Token {
        let grant = Grant {
            location_id: id(1),
            scopes: vec![Scope::CatalogRead],
        };
        Token {
            id: id(9),
            account_id: id(8),
            name: "till".into(),
            prefix: "ck_test_abcd".into(),
            grants: vec![grant],
            created_at: Timestamp::EPOCH,
            expires_at: None,
            revoked_at: None,
            expiry_warned_at: None,
        }
    }

    #[test]
    fn a_token_is_within_reach_with_all_its_locations() {
        let of = |locations: &[u128]| {
            let grant = |number: &u128| Grant {
                location_id: id(*number),
                scopes: vec![Scope::CatalogRead],
            };
            Token {
                grants: locations.iter().map(grant).collect(),
                ..token()
            }
        };
        let some = Reach::Locations(vec![id(1), id(2)]);
        for (locations, is_expected) in [
            (&[1][..], true),
            (&[1, 2], true),
            (&[1, 3], false),
            (&[3], false),
            // Its locations are erased.
            (&[], false),
        ] {
            let token = of(locations);
            assert_eq!(is_within(&some, &token), is_expected, "{locations:?}");
            assert!(is_within(&Reach::Account, &token), "{locations:?}");
        }
    }

    #[test]
    fn tokens_end() {
        let at = |seconds| Timestamp::EPOCH.plus_seconds(seconds);
        let expiring = Token {
            expires_at: Some(at(10)),
            ..token()
        };
        assert_eq!(ended(&token(), at(99)), None);
        assert_eq!(ended(&expiring, at(9)), None);
        assert_eq!(ended(&expiring, at(10)), Some(Ended::Expired(at(10))));
        let revoked = Token {
            revoked_at: Some(at(0)),
            ..expiring
        };
        assert_eq!(ended(&revoked, at(99)), Some(Ended::Revoked(at(0))));
    }

    #[test]
    fn a_lasting_token_is_warned_of_once_in_its_last_days() {
        let day = |days| Timestamp::EPOCH.plus_days(days);
        let of = |expires_at| Token {
            expires_at,
            ..token()
        };
        let year = of(Some(day(365)));
        let warned = Token {
            expiry_warned_at: Some(day(351)),
            ..year.clone()
        };
        let revoked = Token {
            revoked_at: Some(day(7)),
            ..year.clone()
        };
        for (token, now, is_due) in [
            (of(None), day(999), false),
            (year.clone(), day(351).plus_micros(-1), false),
            (year.clone(), day(351), true),
            (year.clone(), day(365).plus_micros(-1), true),
            (year, day(365), false),
            (warned, day(352), false),
            (revoked, day(352), false),
            (of(Some(day(15))), day(1), true),
            (of(Some(day(15).plus_micros(-1))), day(1), false),
            (of(Some(day(7))), day(0), false),
        ] {
            assert_eq!(is_warning_due(&token, now), is_due, "{token:?} at {now}");
        }
    }

    #[test]
    fn a_location_that_is_not_granted_is_as_one_that_does_not_exist() {
        let place = |number| AccountLocation {
            id: id(number),
            name: String::new(),
            currency: "EUR".into(),
            default_vat_rate: VatRate::percent(21),
        };
        let account = Account {
            id: id(8),
            name: String::new(),
            sandbox: true,
            locations: vec![place(1), place(2)],
            screens: Vec::new(),
            users: Vec::new(),
            requires_second_factor: false,
            erasures: Vec::new(),
            retention: crate::transaction::Retention::default(),
        };
        let authorize = |location, scope| {
            authorize(&token(), &account, id(location), &scope).map(|place| place.id)
        };
        assert_eq!(authorize(1, Scope::CatalogRead), Ok(id(1)));
        assert_eq!(authorize(1, Scope::CatalogWrite), Err(Lacks::Scope));
        assert_eq!(authorize(2, Scope::CatalogRead), Err(Lacks::Location));
        assert_eq!(authorize(3, Scope::CatalogRead), Err(Lacks::Location));
    }
}
