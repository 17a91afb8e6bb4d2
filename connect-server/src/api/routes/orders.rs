//! The endpoints of orders.

use connect_core::{
    Refusal,
    wire::{
        Scope,
        query::{NoQuery, OrderQuery},
    },
};
use http::Method;

use super::crud::below_location;
use crate::api::endpoint::{AtLocation, AtRecord, Call, Needs, Operation, Reply, Route};

/// List and read orders.
pub(super) fn orders(segment: &str) -> Vec<Route> {
    let all = below_location(segment);
    let one = format!("{all}/{{id}}");
    let needs = Needs::Scope(Scope::OrdersRead);
    vec![
        Route::new(
            Method::GET,
            all,
            needs.clone(),
            Operation::new("listOrders", "Orders", "List orders", "OrderPage")
                .with_query::<OrderQuery>(),
            list,
        ),
        Route::new(
            Method::GET,
            one,
            needs,
            Operation::new("getOrder", "Orders", "Get an order", "OrderSingle"),
            get,
        ),
    ]
}

async fn list(call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let query = call.query()?;
    let orders = call.location().orders();
    Ok(orders.list_json(&query).await?.into())
}

async fn get(call: Call<AtRecord>) -> Result<Reply, Refusal> {
    call.query::<NoQuery>()?;
    let orders = call.location().orders();
    Ok(orders.get_json(call.target.id.into()).await?.into())
}
