//! Products (specification: Products).

use connect_core::{
    Failure,
    wire::query::{NoQuery, ProductQuery},
};

use crate::app::{Call, Reply};

pub(super) async fn list(call: Call) -> Result<Reply, Failure> {
    let query: ProductQuery = call.query()?;
    Ok(call
        .connect()
        .list_products(call.at()?, &query)
        .await?
        .into())
}

pub(super) async fn get(call: Call) -> Result<Reply, Failure> {
    call.query::<NoQuery>()?;
    Ok(call
        .connect()
        .get_product(call.at()?, call.id()?)
        .await?
        .into())
}

pub(super) async fn create(call: Call) -> Result<Reply, Failure> {
    Ok(call
        .connect()
        .create_product(call.at()?, call.write())
        .await?
        .into())
}

pub(super) async fn update(call: Call) -> Result<Reply, Failure> {
    Ok(call
        .connect()
        .update_product(call.at()?, call.id()?, call.write())
        .await?
        .into())
}

pub(super) async fn delete(call: Call) -> Result<Reply, Failure> {
    Ok(call
        .connect()
        .delete_product(call.at()?, call.id()?, call.write())
        .await?
        .into())
}

pub(super) async fn batch(call: Call) -> Result<Reply, Failure> {
    Ok(call
        .connect()
        .write_products(call.at()?, call.write())
        .await?
        .into())
}
