//! Undoing the last bulk change.

use connect_core::{Error, Reason, UserRight, wire::Timestamp};

use super::{PATH, last_bulk::TIME, list::refused, start};
use crate::dashboard::{
    Answer,
    notices::{self, Notice},
    page_request::SignedIn,
    pages::shop::{PageLocation, nowhere},
};

/// Undoes the bulk change named by the form.
pub(crate) async fn undo(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ChangeCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let undone = match to.form.get(TIME).parse::<Timestamp>() {
        Ok(at) => shop.records.products().undo_last_bulk(at).await,
        Err(_) => Err(Error::Invalid(Reason::new(text!("form-too-old")))),
    };
    match undone {
        Ok(_) => {
            let start = start(to, &shop);
            Ok(Answer::redirect(&notices::at(&start, Notice::BulkUndone)))
        }
        Err(error) => refused(to, &shop, error).await,
    }
}
