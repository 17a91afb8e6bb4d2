//! Stock (specification: Stock).

use connect_core::{
    Refusal,
    wire::{Scope, StockLevel, StockMovement, limits::MAX_STOCK_COUNTS, query::NoQuery},
};
use http::{Method, StatusCode};

use super::crud::{Scopes, below_location, list_rows};
use crate::api::endpoint::{AtLocation, AtRecord, Call, Needs, Operation, Reply, Route};

/// The scopes of stock.
static STOCK: Scopes = Scopes {
    read: Needs::Scope(Scope::StockRead),
    write: Needs::Scope(Scope::StockWrite),
};

const TAG: &str = "Stock";

/// List, read and count levels; adjust them; list their movements.
pub(super) fn stock(segment: &str) -> Vec<Route> {
    let all = below_location(segment);
    let one = format!("{all}/{{id}}");
    let (read, write) = (&STOCK.read, &STOCK.write);
    vec![
        Route::new(
            Method::GET,
            all.clone(),
            read.clone(),
            Operation {
                summary: "List stock levels".to_owned(),
                ..Operation::rows::<StockLevel>()
            },
            list_rows::<StockLevel>,
        ),
        Route::new(
            Method::PUT,
            all.clone(),
            write.clone(),
            Operation {
                body: Some("StockCounts".to_owned()),
                ..Operation::new(
                    "countStocks",
                    TAG,
                    &format!("Count the stock of up to {MAX_STOCK_COUNTS} products"),
                    "StockCountsResultSingle",
                )
            },
            count_many,
        ),
        Route::new(
            Method::POST,
            format!("{all}/adjustments"),
            write.clone(),
            Operation {
                body: Some("StockAdjustment".to_owned()),
                status: StatusCode::CREATED,
                ..Operation::new(
                    "adjustStock",
                    TAG,
                    "Adjust the stock of a product",
                    "StockMovementSingle",
                )
            },
            adjust,
        ),
        Route::new(
            Method::GET,
            format!("{all}/movements"),
            read.clone(),
            Operation {
                tag: TAG.to_owned(),
                ..Operation::rows::<StockMovement>()
            },
            list_rows::<StockMovement>,
        ),
        Route::new(
            Method::GET,
            one.clone(),
            read.clone(),
            Operation::new(
                "getStock",
                TAG,
                "Get the stock of a product",
                "StockLevelSingle",
            ),
            get,
        ),
        Route::new(
            Method::PUT,
            one,
            write.clone(),
            Operation {
                body: Some("StockCount".to_owned()),
                ..Operation::new(
                    "countStock",
                    TAG,
                    "Count the stock of a product",
                    "StockLevelSingle",
                )
            },
            count,
        ),
    ]
}

async fn get(call: Call<AtRecord>) -> Result<Reply, Refusal> {
    call.query::<NoQuery>()?;
    Ok(call
        .location()
        .stock()
        .json()
        .get(call.target.id)
        .await?
        .into())
}

async fn count(mut call: Call<AtRecord>) -> Result<Reply, Refusal> {
    let (stock, product) = (call.location().stock(), call.target.id);
    Ok(stock.json().count(product, call.write()).await?.into())
}

async fn count_many(mut call: Call<AtLocation>) -> Result<Reply, Refusal> {
    Ok(call
        .location()
        .stock()
        .json()
        .count_many(call.write())
        .await?
        .into())
}

async fn adjust(mut call: Call<AtLocation>) -> Result<Reply, Refusal> {
    Ok(call
        .location()
        .stock()
        .json()
        .adjust(call.write())
        .await?
        .into())
}
