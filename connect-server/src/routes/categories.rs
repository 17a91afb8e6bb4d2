//! Categories (specification: Categories).

use connect_core::{
    Failure,
    wire::query::{CategoryQuery, NoQuery},
};

use crate::app::{Call, Reply};

pub(super) async fn list(call: Call) -> Result<Reply, Failure> {
    let query: CategoryQuery = call.query()?;
    Ok(call
        .connect()
        .list_categories(call.at()?, &query)
        .await?
        .into())
}

pub(super) async fn get(call: Call) -> Result<Reply, Failure> {
    call.query::<NoQuery>()?;
    Ok(call
        .connect()
        .get_category(call.at()?, call.id()?)
        .await?
        .into())
}

pub(super) async fn create(call: Call) -> Result<Reply, Failure> {
    Ok(call
        .connect()
        .create_category(call.at()?, call.write())
        .await?
        .into())
}

pub(super) async fn update(call: Call) -> Result<Reply, Failure> {
    Ok(call
        .connect()
        .update_category(call.at()?, call.id()?, call.write())
        .await?
        .into())
}

pub(super) async fn delete(call: Call) -> Result<Reply, Failure> {
    Ok(call
        .connect()
        .delete_category(call.at()?, call.id()?, call.write())
        .await?
        .into())
}
