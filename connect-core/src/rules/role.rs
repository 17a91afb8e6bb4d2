//! Rights of users by their roles.

use crate::{
    transaction::{Account, Error, Reason, Role, User, UserRole},
    wire::{Id, Location, Scope},
};

/// A right of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UserRight {
    /// Read the journal, its summaries, and orders.
    ReadSales,
    /// Read categories, products, option groups and stock.
    ReadCatalog,
    /// Change categories, products and option groups.
    ChangeCatalog,
    /// Count stock, book deliveries and corrections.
    ChangeStock,
    /// Manage screens and their keys.
    ManageScreens,
    /// Change locations.
    ManageLocations,
    /// Manage tokens, and see their requests.
    ManageTokens,
    /// Manage webhooks and their deliveries.
    ManageWebhooks,
    /// Simulate a shop in the sandbox.
    UseSandbox,
    /// Manage users, their roles and invitations.
    ManageUsers,
    /// Change the account itself, and make locations.
    ManageAccount,
    /// Read the audit trail.
    ReadTrail,
    /// Export and erase the account, and set how long personal data is kept.
    ManagePrivacy,
}

use Role::{Accountant, Developer, Manager};

/// The roles with each right. Owners have all.
const TABLE: [(UserRight, &[Role]); 13] = [
    (UserRight::ReadSales, &[Manager, Accountant]),
    (UserRight::ReadCatalog, &[Manager, Accountant, Developer]),
    (UserRight::ChangeCatalog, &[Manager]),
    (UserRight::ChangeStock, &[Manager]),
    (UserRight::ManageScreens, &[Manager]),
    (UserRight::ManageLocations, &[Manager]),
    (UserRight::ManageTokens, &[Manager, Developer]),
    (UserRight::ManageWebhooks, &[Manager, Developer]),
    (UserRight::UseSandbox, &[Manager, Developer]),
    (UserRight::ManageUsers, &[]),
    (UserRight::ManageAccount, &[]),
    (UserRight::ReadTrail, &[Manager, Accountant]),
    (UserRight::ManagePrivacy, &[]),
];

impl UserRight {
    /// Returns all rights.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(right, _)| *right)
    }

    /// Returns the right for a scope of the API.
    pub(crate) fn of_scope(scope: &Scope) -> Option<Self> {
        Some(match scope {
            Scope::PosRead | Scope::OrdersRead => Self::ReadSales,
            Scope::CatalogRead | Scope::StockRead => Self::ReadCatalog,
            Scope::CatalogWrite => Self::ChangeCatalog,
            Scope::StockWrite => Self::ChangeStock,
            Scope::Unknown(_) => return None,
        })
    }
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 4] = [Self::Owner, Manager, Accountant, Developer];

    /// Returns whether the role includes a right.
    pub fn includes(self, right: UserRight) -> bool {
        let mut with_right = TABLE.iter().filter(|(of, _)| *of == right);
        self == Self::Owner || with_right.any(|(_, roles)| roles.contains(&self))
    }

    /// The role with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// The name, as in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Manager => "manager",
            Accountant => "accountant",
            Developer => "developer",
        }
    }
}

/// The places of a right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The whole account, with later locations.
    Account,
    /// These locations, at least one.
    Locations(Vec<Id<Location>>),
}

impl Reach {
    /// Returns whether it includes a location.
    pub fn includes(&self, location: Id<Location>) -> bool {
        match self {
            Self::Account => true,
            Self::Locations(locations) => locations.contains(&location),
        }
    }
}

impl Account {
    /// Returns whether a user lacks the second factor demanded by the account.
    /// It is the provider's matter for users who need it.
    pub fn lacks_factor(&self, user: &User) -> bool {
        self.requires_second_factor && !user.second_factor && !user.needs_provider()
    }

    /// Returns the reach of a user's right.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`]: the user has not the right anywhere, or [lacks](Self::lacks_factor) the demanded second
    /// factor.
    pub fn reach(&self, user: &User, right: UserRight) -> Result<Reach, Error> {
        if self.lacks_factor(user) {
            return Err(Error::ForbiddenScope(Reason::new(
                "this account demands a second factor: add one to your sign-in first, on the page Account",
            )));
        }
        user.reach(right).ok_or_else(Error::lacks_right)
    }
}

impl User {
    /// Returns the reach of a right by the roles; `None` without the right anywhere.
    fn reach(&self, right: UserRight) -> Option<Reach> {
        let mut locations = Vec::new();
        for UserRole { location_id, role } in &self.roles {
            match location_id {
                _ if !role.includes(right) => {}
                None => return Some(Reach::Account),
                Some(location) => locations.push(*location),
            }
        }
        (!locations.is_empty()).then_some(Reach::Locations(locations))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::transaction::Language;

    /// The rights of each role, as `docs/design/access.md` tells them.
    #[test]
    fn each_role_has_the_rights_of_the_table() {
        use UserRight::*;
        let all: Vec<_> = UserRight::all().collect();
        let daily = [
            ReadSales,
            ReadCatalog,
            ChangeCatalog,
            ChangeStock,
            ManageScreens,
            ManageLocations,
            ManageTokens,
            ManageWebhooks,
            UseSandbox,
            ReadTrail,
        ];
        for (role, rights) in [
            (Role::Owner, &all[..]),
            (Manager, &daily),
            (Accountant, &[ReadSales, ReadCatalog, ReadTrail]),
            (
                Developer,
                &[ReadCatalog, ManageTokens, ManageWebhooks, UseSandbox],
            ),
        ] {
            for right in &all {
                assert_eq!(
                    role.includes(*right),
                    rights.contains(right),
                    "{role:?} {right:?}"
                );
            }
            assert_eq!(serde_json::to_value(role).unwrap(), role.name());
        }
    }

    #[test]
    fn a_right_reaches_the_places_of_its_roles() {
        let id = |number| Id::new(Uuid::from_u128(number));
        let of = |roles: &[(Option<u128>, Role)]| User {
            id: Id::new(Uuid::nil()),
            name: "Noor".to_owned(),
            email: "noor@rye.example".to_owned(),
            language: Language::En,
            second_factor: false,
            single_sign_on: false,
            roles: (roles.iter())
                .map(|(at, role)| UserRole {
                    location_id: at.map(id),
                    role: *role,
                })
                .collect(),
        };
        let here =
            |numbers: &[u128]| Some(Reach::Locations(numbers.iter().map(|n| id(*n)).collect()));
        let (tokens, sales) = (UserRight::ManageTokens, UserRight::ReadSales);
        for (roles, right, reach) in [
            (&[(None, Role::Owner)][..], tokens, Some(Reach::Account)),
            (&[(None, Accountant)], sales, Some(Reach::Account)),
            (&[(None, Accountant)], tokens, None),
            (
                &[(Some(1), Manager), (Some(2), Developer)],
                tokens,
                here(&[1, 2]),
            ),
            (
                &[(Some(1), Manager), (Some(2), Developer)],
                sales,
                here(&[1]),
            ),
            (&[], sales, None),
        ] {
            assert_eq!(of(roles).reach(right), reach, "{roles:?} {right:?}");
        }
        assert!(Reach::Account.includes(id(3)));
        assert!(!here(&[1, 2]).unwrap().includes(id(3)));
    }
}
