//! The writer of the journal: a register.

use crate::{
    auth::{Access, ScreenRight},
    transaction::Error,
    wire::Register,
};

/// Returns the acting register.
///
/// # Errors
/// The caller is no register.
pub(super) fn acting(access: &Access) -> Result<Register, Error> {
    let screen = access.screen(ScreenRight::WriteJournal)?;
    Ok(Register {
        id: screen.id.uuid().into(),
        name: screen.name.clone(),
    })
}
