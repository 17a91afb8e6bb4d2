//! Serves a kiosk's menu from a store of its own: `GET /menu`, and `POST /menu` with a product.

use std::{env, error::Error, sync::Arc};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use connect_core::{
    Connect, JsonRecords, NewAccount, NewLocation, Request,
    storage::redb::{RedbOptions, RedbStorage},
    wire::{Product, VatRate, query::ProductQuery},
};
use tokio::net::TcpListener;

type Menu = JsonRecords<Product>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let storage = RedbStorage::open("store", RedbOptions::default())?;
    let connect = Connect::builder(Arc::new(storage)).build();
    connect.migrate().await?;
    let menu = open(connect).await?;
    let routes = Router::new()
        .route("/menu", get(list).post(add))
        .with_state(menu);
    axum::serve(TcpListener::bind(env::var("LISTEN")?).await?, routes).await?;
    Ok(())
}

/// Opens the menu of the only account, made at the first start.
async fn open(connect: Connect) -> Result<Menu, Box<dyn Error>> {
    let account = match connect.account_ids().await?.first() {
        Some(id) => connect.account(*id).await?,
        None => {
            let owner_email = "owner@kiosk.example".to_owned();
            let new = NewAccount {
                name: "Kiosk".to_owned(),
                owner_email,
                sandbox: false,
            };
            let id = connect.create_account(new).await?.id;
            let (currency, default_vat_rate) = ("EUR".to_owned(), VatRate::percent(9));
            let new = NewLocation {
                name: "Quay".to_owned(),
                currency,
                default_vat_rate,
            };
            connect.create_location(id, new).await?;
            connect.account(id).await?
        }
    };
    let quay = account
        .locations
        .first()
        .ok_or("the account has no location")?;
    let access = connect
        .authorize_owner(account.id, quay.id, account.id)
        .await?;
    Ok(connect.location(&access).json())
}

async fn list(State(menu): State<Menu>) -> Response {
    match menu.list(&ProductQuery::default()).await {
        Ok(page) => json(200, page.into_bytes()),
        Err(error) => refused(&error),
    }
}

async fn add(State(menu): State<Menu>, body: Bytes) -> Response {
    match menu.create(Request::json(body)).await {
        Ok(answer) => json(answer.outcome.status(), answer.body),
        Err(refusal) => refused(&refusal.error),
    }
}

fn refused(error: &connect_core::Error) -> Response {
    json(
        error.status(),
        serde_json::to_vec(&error.body()).unwrap_or_default(),
    )
}

fn json(status: u16, body: Vec<u8>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}
