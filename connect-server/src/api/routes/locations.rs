//! Locations (specification: Locations).

use connect_core::{Refusal, wire::query::NoQuery};

use crate::api::endpoint::{Anywhere, Call, Reply};

pub(super) async fn list(call: Call<Anywhere>) -> Result<Reply, Refusal> {
    call.query::<NoQuery>()?;
    Ok(call.connect.list_locations(&call.target.caller)?.into())
}
