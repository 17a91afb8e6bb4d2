//! Locations (specification: Locations).

use connect_core::{Failure, wire::query::NoQuery};

use crate::app::{Call, Reply};

pub(super) async fn list(call: Call) -> Result<Reply, Failure> {
    call.query::<NoQuery>()?;
    Ok(call.connect().list_locations(call.caller())?.into())
}
