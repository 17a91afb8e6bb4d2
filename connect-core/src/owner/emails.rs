//! E-mail addresses of users.

use crate::{
    rules::text,
    transaction::{Account, Error, User},
    wire::{
        form::{Email, Form as _},
        limits::MAX_OWNER_EMAIL,
        read::Invalid,
    },
};

/// Reads an e-mail address.
pub(super) fn email(text: &str, field: &str) -> Result<String, Invalid> {
    let mut address = text.to_owned();
    Email::<MAX_OWNER_EMAIL>::check(&mut address, field)?;
    Ok(address)
}

/// Checks the address of a user: no other user of the account has it.
pub(super) fn check_email(account: &Account, user: &User) -> Result<(), Error> {
    let folded = text::folded(&user.email);
    let mut others = account.users.iter().filter(|other| other.id != user.id);
    match others.find(|other| text::folded(&other.email) == folded) {
        None => Ok(()),
        Some(_) => Err(Error::conflict(
            "email",
            "is the address of another user of this account",
        )),
    }
}
