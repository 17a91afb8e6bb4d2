//! The row of a user's sign-in.

use crate::{
    owner::accounts::parse,
    transaction::{Error, SignIn, UnitOfWork, User},
    wire::Id,
};

/// The sign-in of a user; `None` without a password.
pub(super) async fn get_sign_in(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
) -> Result<Option<SignIn>, Error> {
    let row_key = SignIn::key(unit.partition(), user);
    let row = unit.get(&row_key).await?;
    Ok(row.map(|row| parse(&row_key, &row)).transpose()?)
}

/// Writes the sign-in of a user.
/// Refuses an address in use by another user.
pub(super) async fn put_sign_in(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
    sign_in: &SignIn,
) -> Result<(), Error> {
    let account = unit.partition();
    let entry = SignIn::email_key(&sign_in.email);
    let holder = [*account.as_bytes(), *user.uuid().as_bytes()].concat();
    match unit.get(&entry).await? {
        Some(held) if *held != *holder => {
            return Err(Error::conflict(
                "email",
                "is not available; choose another address",
            ));
        }
        Some(_) => {}
        None => unit.put_unversioned(entry, holder.into()),
    }
    let row = unit.json(sign_in);
    unit.put(SignIn::key(account, user), row);
    Ok(())
}
