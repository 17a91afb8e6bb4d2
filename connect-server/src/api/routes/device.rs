//! The endpoints of registers, kiosks and Scan & Order.
//! The key of a screen determines its location.

use std::sync::LazyLock;

use connect_core::{Refusal, ScreenRight};
use http::Method;

use super::find::Table;
use crate::api::endpoint::{AtLocation, AtRecord, Call, Needs, Operation, Reply, Route};

/// All endpoints for holders of a screen's key.
pub static DEVICE: LazyLock<Table> = LazyLock::new(|| {
    Table::new(vec![
        Route::new(
            Method::POST,
            "/device/v1/transactions".to_owned(),
            Needs::Screen(ScreenRight::WriteJournal),
            Operation::new(
                "createTransaction",
                "Registers",
                "Create a journal row",
                "TransactionSingle",
            )
            .creating("TransactionInput"),
            write_transaction,
        ),
        Route::new(
            Method::POST,
            "/device/v1/z-reports".to_owned(),
            Needs::Screen(ScreenRight::WriteJournal),
            Operation::new(
                "createZReport",
                "Registers",
                "Close the register",
                "ZReportSingle",
            )
            .creating("ZReportInput"),
            close_register,
        ),
        Route::new(
            Method::POST,
            "/device/v1/orders".to_owned(),
            Needs::Screen(ScreenRight::MakeOrders),
            Operation::new("createOrder", "Orders", "Create an order", "OrderSingle")
                .creating("OrderInput"),
            create_order,
        ),
        Route::new(
            Method::PATCH,
            "/device/v1/orders/{id}".to_owned(),
            Needs::Screen(ScreenRight::ChangeOrders),
            Operation {
                body: Some("OrderChange".to_owned()),
                ..Operation::new("updateOrder", "Orders", "Update an order", "OrderSingle")
            },
            update_order,
        ),
    ])
});

async fn write_transaction(mut call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let journal = call.location().transactions();
    Ok(journal.write_json(call.write()).await?.into())
}

async fn close_register(mut call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let closings = call.location().z_reports();
    Ok(closings.close_json(call.write()).await?.into())
}

async fn create_order(mut call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let orders = call.location().orders();
    Ok(orders.create_json(call.write()).await?.into())
}

async fn update_order(mut call: Call<AtRecord>) -> Result<Reply, Refusal> {
    let (orders, id) = (call.location().orders(), call.target.id);
    Ok(orders.update_json(id.into(), call.write()).await?.into())
}
