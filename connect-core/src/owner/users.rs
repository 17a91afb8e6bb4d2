//! Users of an account: people, with a role for the account or for some locations.

use uuid::Uuid;

use super::{
    account_changes::replace,
    accounts::{check_location, get_account, put_account, whole_account},
    emails::{check_email, email},
    owned::{self, Owned},
    sign_in::{self, SignInStatus},
};
use crate::{
    engine::Connect,
    rules::{
        role::{Reach, UserRight},
        text,
    },
    storage::Read,
    transaction::{
        Account, Author, End, Error, Fault, Language, Reason, Role, UnitOfWork, User, UserRole,
    },
    wire::{
        Id,
        limits::MAX_USERS,
        read::{Invalid, missing},
    },
};

/// The values for a new user.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// The person's name, 1 to 100 characters.
    pub name: String,
    /// The e-mail address, of no other user of the account.
    pub email: String,
    /// The language of pages and mail.
    pub language: Language,
    /// The roles: one for the whole account, or one for each of some locations.
    pub roles: Vec<UserRole>,
}

/// A change of a user. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default)]
pub struct UserChange {
    /// The person's name, 1 to 100 characters.
    pub name: Option<String>,
    /// The e-mail address, of no other user of the account.
    pub email: Option<String>,
    /// The language of pages and mail.
    pub language: Option<Language>,
    /// The roles: one for the whole account, or one for each of some locations.
    pub roles: Option<Vec<UserRole>>,
}

impl Owned for User {
    const NAME: &'static str = "user";
    const MOST: usize = MAX_USERS;
    const REMOVE: &'static str = "remove";

    fn id(&self) -> Uuid {
        self.id.uuid()
    }
}

impl Connect {
    /// Makes a user. The person signs in after an [invitation](Self::invite_user).
    ///
    /// # Errors
    /// A field is invalid, the account has 50 users, or there is no such account.
    pub async fn create_user(&self, account: Id<Account>, new: NewUser) -> Result<User, Error> {
        let user = User {
            id: self.store().environment().ids.next().into(),
            name: text::owner_name(&new.name)?,
            email: email(&new.email, "email")?,
            language: new.language,
            roles: new.roles,
            second_factor: false,
            single_sign_on: false,
        };
        self.change_row(account, UserRight::ManageUsers, |account, reach| {
            whole_account(reach)?;
            check_roles(account, &user.roles)?;
            check_email(account, &user)?;
            owned::add(&mut account.users, user.clone())?;
            Ok(user.clone())
        })
        .await
    }

    /// The users of an account with the state of their sign-in, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn users(&self, account: Id<Account>) -> Result<Vec<(User, SignInStatus)>, Error> {
        let (account, reach) = self.account_with(account, UserRight::ManageUsers).await?;
        whole_account(&reach)?;
        let keys = account
            .users
            .iter()
            .flat_map(|user| sign_in::keys(account.id, user.id));
        let keys: Vec<_> = keys.collect();
        let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
        let mut state = self.store().read(&reads).await?;
        let mut row = || state.value().map_err(Fault::from);
        let now = self.now();
        let with_status = |user| {
            let (sign_in, invitation) = (row()?, row()?);
            Ok((user, SignInStatus::of(sign_in, invitation, now)))
        };
        account.users.into_iter().map(with_status).collect()
    }

    /// Changes a user and returns it.
    /// Each user may change the own name and language, and the own address by
    /// [`change_email`](Self::change_email). A user with a password then signs in with the new address, and the former
    /// one gets mail; an open invitation and all sessions end.
    ///
    /// # Errors
    /// A field is invalid; there is no such account or user; [`Error::Conflict`] when the change leaves no
    /// owner, or a user of another account signs in with this address; [`Error::RateLimited`]: a user had ten refused
    /// changes of an address within a minute.
    pub async fn change_user(
        &self,
        account: Id<Account>,
        user: Id<User>,
        change: UserChange,
    ) -> Result<User, Error> {
        let name = change
            .name
            .map(|name| text::owner_name(&name))
            .transpose()?;
        let address = change.email.map(|text| email(&text, "email")).transpose()?;
        let (name, address, roles) = (&name, &address, &change.roles);
        // A refusal tells of a user of another account.
        let counted = match (self.authorship().author, address) {
            (Author::User { id }, Some(_)) => Some(id),
            _ => None,
        };
        if let Some(caller) = counted {
            self.core.sign_ins.confirm(caller)?;
        }
        let changed = self
            .store()
            .transact(account, |mut unit| async move {
                let mut account = get_account(&mut unit).await?;
                let is_self = self.is_user(user);
                if is_self && address.is_some() {
                    return Err(own_sign_in("email"));
                }
                if !is_self || address.is_some() || roles.is_some() {
                    whole_account(&self.reach_in(&account, UserRight::ManageUsers)?)?;
                }
                if let Some(roles) = roles {
                    check_roles(&account, roles)?;
                }
                let found = owned::find(&mut account.users, user)?;
                let before = found.clone();
                replace(&mut found.name, name);
                replace(&mut found.email, address);
                replace(&mut found.language, &change.language);
                replace(&mut found.roles, roles);
                if before.email != found.email {
                    found.single_sign_on = false;
                }
                let found = found.clone();
                check_email(&account, &found)?;
                check_owner(&account)?;
                put_account(&mut unit, &account).await?;
                self.move_sign_in(&mut unit, &account, (&before, &found))
                    .await?;
                if before.email != found.email {
                    // The person behind the identity may be another one.
                    sign_in::unlink(&mut unit, user).await?;
                    sign_in::end_sessions(&mut unit, user).await?;
                }
                Ok::<_, Error>(End::commit(unit, found))
            })
            .await?;
        if let Some(caller) = counted {
            self.core.sign_ins.confirmed(caller);
        }
        Ok(changed)
    }

    /// Removes a user with password, sessions and invitation.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] for the last owner.
    pub async fn remove_user(&self, account: Id<Account>, user: Id<User>) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                let right = UserRight::ManageUsers;
                let mut account = self.whole_account_of(&mut unit, right).await?;
                owned::remove(&mut account.users, user)?;
                check_owner(&account)?;
                put_account(&mut unit, &account).await?;
                sign_in::remove_sign_in(&mut unit, user).await?;
                sign_in::unlink(&mut unit, user).await?;
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// The account of a unit and one of its users, for a caller managing users.
    /// The own password takes the current one, and no invitation.
    pub(super) async fn managed_user(
        &self,
        unit: &mut UnitOfWork<'_>,
        user: Id<User>,
    ) -> Result<(Account, User), Error> {
        if self.is_user(user) {
            return Err(own_sign_in("user"));
        }
        let mut account = self.whole_account_of(unit, UserRight::ManageUsers).await?;
        let found = owned::find(&mut account.users, user)?.clone();
        Ok((account, found))
    }
}

/// The refusal of another way to the own address or password.
fn own_sign_in(field: &str) -> Error {
    let problem = "is you: change the own address and password with the current password";
    Invalid::new(field, problem).into()
}

/// Checks roles: one for the account, or one for each of some locations.
fn check_roles(account: &Account, roles: &[UserRole]) -> Result<(), Error> {
    if roles.is_empty() {
        return Err(missing("roles").into());
    }
    for (index, UserRole { location_id, role }) in roles.iter().enumerate() {
        let field = |name| format!("roles[{index}].{name}");
        let Some(location) = location_id else {
            if roles.len() > 1 {
                let problem = "for the whole account, a role must be the only one";
                return Err(Invalid::new("roles", problem).into());
            }
            continue;
        };
        check_location(account, &Reach::Account, &field("locationId"), *location)?;
        if *role == Role::Owner {
            let problem = "owner is a role for the whole account, not for a location";
            return Err(Invalid::new(field("role"), problem).into());
        }
        if roles[..index]
            .iter()
            .any(|other| other.location_id == *location_id)
        {
            return Err(Invalid::new(field("locationId"), "repeats an earlier location").into());
        }
    }
    Ok(())
}

/// Checks the account to have an owner.
fn check_owner(account: &Account) -> Result<(), Error> {
    if account.users.iter().any(User::is_owner) {
        return Ok(());
    }
    Err(Error::Conflict(Reason::new(
        "this is the last owner of the account; make another user an owner first",
    )))
}
