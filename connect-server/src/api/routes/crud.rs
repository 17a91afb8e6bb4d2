//! The common endpoints of all kinds of records and rows.

use connect_core::{
    Listed, Readable, Refusal, Resource, Upsert,
    wire::{Scope, query::NoQuery, read::BatchRequest},
};
use http::Method;

use crate::api::endpoint::{AtLocation, AtRecord, Call, Needs, Operation, Reply, Route};

/// The scopes needed by the endpoints of a kind.
pub(super) struct Scopes {
    pub(super) read: Needs,
    pub(super) write: Needs,
}

/// The scopes of the catalog.
pub(super) static CATALOG: Scopes = Scopes {
    read: Needs::Scope(Scope::CatalogRead),
    write: Needs::Scope(Scope::CatalogWrite),
};

/// The path of a segment below a location.
pub(super) fn below_location(segment: &str) -> String {
    format!("/v1/locations/{{location}}/{segment}")
}

/// List, create, read, change and delete the records of one kind.
pub(super) fn crud<R: Resource>(segment: &str, scopes: &Scopes) -> Vec<Route> {
    let all = below_location(segment);
    let one = format!("{all}/{{id}}");
    vec![
        Route::new(
            Method::GET,
            all.clone(),
            scopes.read.clone(),
            Operation::list::<R>(),
            list::<R>,
        ),
        Route::new(
            Method::POST,
            all,
            scopes.write.clone(),
            Operation::create::<R>(),
            create::<R>,
        ),
        Route::new(
            Method::GET,
            one.clone(),
            scopes.read.clone(),
            Operation::get::<R>(),
            get::<R>,
        ),
        Route::new(
            Method::PATCH,
            one.clone(),
            scopes.write.clone(),
            Operation::update::<R>(),
            update::<R>,
        ),
        Route::new(
            Method::DELETE,
            one,
            scopes.write.clone(),
            Operation::delete::<R>(),
            delete::<R>,
        ),
    ]
}

/// Write many records of one kind at once.
pub(super) fn batch<R: Upsert>(segment: &str, scopes: &Scopes) -> Vec<Route> {
    let path = below_location(segment);
    vec![Route::new(
        Method::POST,
        path,
        scopes.write.clone(),
        Operation::batch::<R>(),
        write_batch::<R>,
    )]
}

/// List the rows of one kind, read-only for clients.
pub(super) fn rows<R: Listed>(segment: &str, needs: &Needs) -> Vec<Route> {
    let path = below_location(segment);
    vec![Route::new(
        Method::GET,
        path,
        needs.clone(),
        Operation::rows::<R>(),
        list_rows::<R>,
    )]
}

/// Read one row of a kind, read-only for clients.
pub(super) fn row<R: Readable>(segment: &str, needs: &Needs) -> Vec<Route> {
    vec![Route::new(
        Method::GET,
        format!("{}/{{id}}", below_location(segment)),
        needs.clone(),
        Operation::row::<R>(),
        get_row::<R>,
    )]
}

async fn get_row<R: Readable>(call: Call<AtRecord>) -> Result<Reply, Refusal> {
    call.query::<NoQuery>()?;
    Ok(call.rows::<R>().get_json(call.target.id).await?.into())
}

pub(super) async fn list_rows<R: Listed>(call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let query = call.query()?;
    Ok(call.rows::<R>().list_json(&query).await?.into())
}

async fn list<R: Resource>(call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let query = call.query()?;
    Ok(call.records::<R>().list(&query).await?.into())
}

async fn create<R: Resource>(mut call: Call<AtLocation>) -> Result<Reply, Refusal> {
    Ok(call.records::<R>().create(call.write()).await?.into())
}

async fn get<R: Resource>(call: Call<AtRecord>) -> Result<Reply, Refusal> {
    call.query::<NoQuery>()?;
    Ok(call.records::<R>().get(call.target.id).await?.into())
}

async fn update<R: Resource>(mut call: Call<AtRecord>) -> Result<Reply, Refusal> {
    let (id, request) = (call.target.id, call.write());
    Ok(call.records::<R>().update(id, request).await?.into())
}

async fn delete<R: Resource>(mut call: Call<AtRecord>) -> Result<Reply, Refusal> {
    let (id, request) = (call.target.id, call.write());
    Ok(call.records::<R>().delete(id, request).await?.into())
}

async fn write_batch<R: Upsert>(mut call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let request = call.write::<BatchRequest<R::Input>>();
    Ok(call.records::<R>().batch(request).await?.into())
}
