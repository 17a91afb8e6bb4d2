//! The one who writes to the journal: a register.

use crate::{
    access::{Access, Actor},
    error::{Error, Reason},
    record::ScreenType,
    wire::Register,
};

/// Returns the register that acts.
///
/// # Errors
/// Somebody else acts.
pub(super) fn acting(access: &Access) -> Result<Register, Error> {
    match access.actor() {
        Actor::Screen {
            id,
            kind: ScreenType::Pos,
            name,
        } => Ok(Register {
            id: id.uuid().into(),
            name: name.to_owned(),
        }),
        _ => Err(Error::ForbiddenScope(Reason::new(
            "only a register may do this: use the key of a screen of type pos",
        ))),
    }
}
