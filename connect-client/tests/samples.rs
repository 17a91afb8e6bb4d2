//! The Rust samples of the API documents, which have to compile. Made with the documents by
//! `WRITE_OPENAPI=1 cargo test -p connect-server the_document`.
#![allow(dead_code, clippy::print_stdout, reason = "samples are compiled, and not run")]

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

async fn get_document() -> Result {
    let url = format!("{}/openapi.json", std::env::var("CONNECT_URL")?);
    let document = reqwest::get(url).await?.text().await?;
    println!("{document}");
    Ok(())
}

async fn list_locations() -> Result {
    use connect_client::Client;

    let client = Client::from_env()?;
    let answer = client.locations().await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_categories() -> Result {
    use connect_client::{Client, Uuid, wire::query::CategoryQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.categories().list(&CategoryQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn create_category() -> Result {
    use connect_client::{Client, Uuid, wire::CategoryInput};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body: CategoryInput = from_value(json!({
        "name": "Loaves",
        "position": 1,
    }))?;
    let answer = location.categories().create(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_category() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let answer = location.categories().get(id).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn update_category() -> Result {
    use connect_client::{Client, Uuid, wire::CategoryInput};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body: CategoryInput = from_value(json!({
        "isActive": false,
    }))?;
    let answer = location.categories().update(id, &body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn delete_category() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    location.categories().delete(id).await?;
    Ok(())
}

async fn list_products() -> Result {
    use connect_client::{Client, Uuid, wire::query::ProductQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.products().list(&ProductQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn create_product() -> Result {
    use connect_client::{Client, Uuid, wire::ProductInput};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body: ProductInput = from_value(json!({
        "externalId": "RYE-800",
        "name": "Rye loaf",
        "priceCents": 425,
        "vatRate": 9,
        "categoryName": "Loaves",
    }))?;
    let answer = location.products().create(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_product() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let answer = location.products().get(id).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn update_product() -> Result {
    use connect_client::{Client, Uuid, wire::ProductInput};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body: ProductInput = from_value(json!({
        "priceCents": 445,
        "description": null,
    }))?;
    let answer = location.products().update(id, &body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn delete_product() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    location.products().delete(id).await?;
    Ok(())
}

async fn write_product_batch() -> Result {
    use connect_client::{Client, Uuid, wire::{Batch, ProductInput}};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let items: Vec<ProductInput> = from_value(json!([
        {
            "externalId": "RYE-800",
            "priceCents": 445,
        },
        {
            "externalId": "BUN-1",
            "name": "Currant bun",
            "priceCents": 180,
            "categoryName": "Loaves",
        },
        {
            "externalId": "BUN-2",
        },
    ]))?;
    let answer = location.products().batch(&Batch::new(items)).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn link_option_groups() -> Result {
    use connect_client::{Client, Uuid, wire::OptionGroupLinks};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body: OptionGroupLinks = from_value(json!({
        "productIds": [
            "019a8c53-0f31-7b53-9b20-5d3e7f90bc04",
        ],
        "productExternalIds": [
            "BUN-1",
            "BUN-2",
        ],
        "add": [
            {
                "externalId": "SAUCES",
            },
        ],
        "remove": [
            {
                "id": "019a8c52-8e20-7c42-8a1f-4c2d6e8fab05",
            },
        ],
    }))?;
    let answer = location.products().link_option_groups(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_option_groups() -> Result {
    use connect_client::{Client, Uuid, wire::query::OptionGroupQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.option_groups().list(&OptionGroupQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn create_option_group() -> Result {
    use connect_client::{Client, Uuid, wire::OptionGroupInput};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body: OptionGroupInput = from_value(json!({
        "externalId": "SAUCES",
        "name": "Sauces",
        "maxSelect": 2,
        "position": 1,
        "options": [
            {
                "externalId": "KETCHUP",
                "name": "Ketchup",
                "priceCents": 50,
            },
            {
                "name": "Mayonnaise",
                "priceCents": 50,
            },
        ],
    }))?;
    let answer = location.option_groups().create(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_option_group() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let answer = location.option_groups().get(id).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn update_option_group() -> Result {
    use connect_client::{Client, Uuid, wire::OptionGroupInput};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body: OptionGroupInput = from_value(json!({
        "maxSelect": 1,
    }))?;
    let answer = location.option_groups().update(id, &body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn delete_option_group() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    location.option_groups().delete(id).await?;
    Ok(())
}

async fn write_option_group_batch() -> Result {
    use connect_client::{Client, Uuid, wire::{Batch, OptionGroupInput}};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let items: Vec<OptionGroupInput> = from_value(json!([
        {
            "externalId": "SAUCES",
            "name": "Sauces",
            "options": [
                {
                    "name": "Ketchup",
                },
            ],
        },
    ]))?;
    let answer = location.option_groups().batch(&Batch::new(items)).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn update_option() -> Result {
    use connect_client::{Client, Uuid, wire::OptionInput};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let part: Uuid = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab06".parse()?;
    let body: OptionInput = from_value(json!({
        "isAvailable": false,
    }))?;
    let answer = location.option_groups().update_option(id, part, &body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_orders() -> Result {
    use connect_client::{Client, Uuid, wire::query::OrderQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.orders().list(&OrderQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_order() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let answer = location.orders().get(id).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_stock() -> Result {
    use connect_client::{Client, Uuid, wire::query::StockLevelQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.stock().list(&StockLevelQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn count_stocks() -> Result {
    use connect_client::{Client, Uuid, wire::{StockCountItem, StockCounts}};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let items: Vec<StockCountItem> = from_value(json!([
        {
            "externalId": "RYE-800",
            "quantity": 24,
        },
        {
            "productId": "019a8c55-1042-7c64-8c31-6e4f80a1cd05",
            "quantity": 7.25,
            "expectedQuantity": 8,
        },
        {
            "externalId": "BUN-2",
            "quantity": 0,
        },
    ]))?;
    let answer = location.stock().count_many(&StockCounts { items, ..StockCounts::default() }).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn adjust_stock() -> Result {
    use connect_client::{Client, Uuid, wire::StockAdjustment};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body: StockAdjustment = from_value(json!({
        "externalId": "RYE-800",
        "quantityChange": 12.5,
        "type": "delivery",
        "note": "Truck of Friday",
    }))?;
    let answer = location.stock().adjust(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_stock_movements() -> Result {
    use connect_client::{Client, Uuid, wire::query::StockMovementQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.stock().movements().list(&StockMovementQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_stock() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let answer = location.stock().get(id).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn count_stock() -> Result {
    use connect_client::{Client, Uuid, wire::StockCount};
    use serde_json::{from_value, json};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body: StockCount = from_value(json!({
        "quantity": 24,
        "expectedQuantity": 25,
        "note": "Shelf by the door",
    }))?;
    let answer = location.stock().count(id, &body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_image_jobs() -> Result {
    use connect_client::{Client, Uuid, wire::query::ImageJobQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.image_jobs().list(&ImageJobQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_transactions() -> Result {
    use connect_client::{Client, Uuid, wire::query::TransactionQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.transactions().list(&TransactionQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_transaction() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let answer = location.transactions().get(id).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_z_reports() -> Result {
    use connect_client::{Client, Uuid, wire::query::ZReportQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.z_reports().list(&ZReportQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_z_report() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let answer = location.z_reports().get(id).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_daily_summary() -> Result {
    use connect_client::{Client, Uuid};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.daily_summary(None).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn list_events() -> Result {
    use connect_client::{Client, Uuid, wire::query::EventQuery};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let answer = location.events().list(&EventQuery::default()).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn get_device_document() -> Result {
    let url = format!("{}/device/v1/openapi.json", std::env::var("CONNECT_ADMIN_URL")?);
    let document = reqwest::get(url).await?.text().await?;
    println!("{document}");
    Ok(())
}

async fn create_transaction() -> Result {
    use connect_client::{device::DeviceClient, wire::TransactionInput};
    use serde_json::{from_value, json};

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = DeviceClient::builder(url, key).build()?;
    let body: TransactionInput = from_value(json!({
        "type": "sale",
        "employee": "Noor",
        "totalCents": 900,
        "lines": [
            {
                "externalId": "RYE-800",
                "name": "Rye loaf",
                "quantity": 2,
                "unitPriceCents": 425,
                "totalCents": 900,
                "vatRate": 9,
                "options": [
                    {
                        "name": "Sliced",
                        "priceCents": 25,
                    },
                ],
            },
        ],
        "payments": [
            {
                "method": "card",
                "amountCents": 900,
            },
        ],
        "vat": [
            {
                "vatRate": 9,
                "netCents": 826,
                "vatCents": 74,
                "grossCents": 900,
            },
        ],
        "note": "For the office",
        "createdAt": "2026-11-20T09:15:30Z",
    }))?;
    let answer = client.write_transaction(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn create_z_report() -> Result {
    use connect_client::{device::DeviceClient, wire::ZReportInput};
    use serde_json::{from_value, json};

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = DeviceClient::builder(url, key).build()?;
    let body: ZReportInput = from_value(json!({
        "countedCents": 15000,
    }))?;
    let answer = client.close(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn create_order() -> Result {
    use connect_client::{device::DeviceClient, wire::OrderInput};
    use serde_json::{from_value, json};

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = DeviceClient::builder(url, key).build()?;
    let body: OrderInput = from_value(json!({
        "fulfilment": "dine_in",
        "tableLabel": "7",
        "customerName": "Noor",
        "note": "Birthday table",
        "lines": [
            {
                "externalId": "RYE-800",
                "name": "Rye loaf",
                "quantity": 2,
                "unitPriceCents": 425,
                "totalCents": 850,
                "vatRate": 9,
            },
        ],
    }))?;
    let answer = client.create_order(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn update_order() -> Result {
    use connect_client::{device::DeviceClient, Uuid, wire::OrderChange};
    use serde_json::{from_value, json};

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = DeviceClient::builder(url, key).build()?;
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body: OrderChange = from_value(json!({
        "status": "ready",
    }))?;
    let answer = client.update_order(id, &body).await?;
    println!("{answer:#?}");
    Ok(())
}
