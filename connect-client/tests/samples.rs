//! The Rust samples of the API documents, which have to compile. The documents show the bodies of these
//! functions, each named after its operation.
#![allow(dead_code, clippy::print_stdout, reason = "samples are compiled, and not run")]

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

async fn get_document() -> Result {
    use connect_client::{Client, Method};
    use serde_json::Value;

    let client = Client::from_env()?;
    let document: Value = client.request(Method::GET, "/openapi.json").json().await?;
    println!("{document:#}");
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

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body = CategoryInput::named("Loaves").position(1);
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

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body = CategoryInput::default().is_active(false);
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
    use connect_client::{Client, Uuid, wire::{ProductInput, VatRate}};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body = ProductInput::named("Rye loaf")
        .external_id("RYE-800")
        .price_cents(425)
        .vat_rate(VatRate::percent(9))
        .category_name("Loaves");
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
    use connect_client::{Client, Uuid, wire::{Field, ProductInput}};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body = ProductInput::default()
        .price_cents(445)
        .description(Field::Null);
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

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let items = vec![
        ProductInput::default()
            .external_id("RYE-800")
            .price_cents(445),
        ProductInput::named("Currant bun")
            .external_id("BUN-1")
            .price_cents(180)
            .category_name("Loaves"),
        ProductInput::default().external_id("BUN-2"),
    ];
    let answer = location.products().batch(&Batch::new(items)).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn link_option_groups() -> Result {
    use connect_client::{Client, Uuid, wire::{Id, OptionGroupLinks, OptionGroupRef}};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body = OptionGroupLinks::default()
        .product_ids(vec![
            "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse::<Id<_>>()?,
        ])
        .product_external_ids(vec!["BUN-1".to_owned(), "BUN-2".to_owned()])
        .add(vec![OptionGroupRef::by_external_id("SAUCES")])
        .remove(vec![
            OptionGroupRef::by_id("019a8c52-8e20-7c42-8a1f-4c2d6e8fab05".parse::<Id<_>>()?),
        ]);
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
    use connect_client::{Client, Uuid, wire::{OptionGroupInput, OptionInput}};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body = OptionGroupInput::named(
        "Sauces",
        vec![
            OptionInput::named("Ketchup")
                .external_id("KETCHUP")
                .price_cents(50),
            OptionInput::named("Mayonnaise").price_cents(50),
        ],
    )
    .external_id("SAUCES")
    .max_select(2)
    .position(1);
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

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body = OptionGroupInput::default().max_select(1);
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
    use connect_client::{Client, Uuid, wire::{Batch, OptionGroupInput, OptionInput}};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let items = vec![
        OptionGroupInput::named(
            "Sauces",
            vec![OptionInput::named("Ketchup")],
        )
        .external_id("SAUCES"),
    ];
    let answer = location.option_groups().batch(&Batch::new(items)).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn update_option() -> Result {
    use connect_client::{Client, Uuid, wire::OptionInput};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let option_id: Uuid = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab06".parse()?;
    let body = OptionInput::default().is_available(false);
    let answer = location.option_groups().update_option(id, option_id, &body).await?;
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
    use connect_client::{Client, Uuid, wire::{Id, Quantity, StockCountItem, StockCounts}};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let items = vec![
        StockCountItem::default()
            .external_id("RYE-800")
            .quantity("24".parse::<Quantity>()?),
        StockCountItem::default()
            .product_id("019a8c55-1042-7c64-8c31-6e4f80a1cd05".parse::<Id<_>>()?)
            .quantity("7.25".parse::<Quantity>()?)
            .expected_quantity("8".parse::<Quantity>()?),
        StockCountItem::default()
            .external_id("BUN-2")
            .quantity("0".parse::<Quantity>()?),
    ];
    let answer = location.stock().count_many(&StockCounts { items, ..StockCounts::default() }).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn adjust_stock() -> Result {
    use connect_client::{Client, Uuid, wire::{AdjustmentType, Quantity, StockAdjustment}};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let body = StockAdjustment::default()
        .external_id("RYE-800")
        .quantity_change("12.5".parse::<Quantity>()?)
        .kind(AdjustmentType::Delivery)
        .note("Truck of Friday");
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
    let product_id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let answer = location.stock().get(product_id).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn count_stock() -> Result {
    use connect_client::{Client, Uuid, wire::{Quantity, StockCount}};

    let client = Client::from_env()?;
    let location: Uuid = std::env::var("CONNECT_LOCATION")?.parse()?;
    let location = client.location(location);
    let product_id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body = StockCount::of("24".parse::<Quantity>()?)
        .expected_quantity("25".parse::<Quantity>()?)
        .note("Shelf by the door");
    let answer = location.stock().count(product_id, &body).await?;
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
    use connect_client::{Client, Method};
    use serde_json::Value;

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = Client::builder(format!("{url}/device/v1"), key).build()?;
    let document: Value = client.request(Method::GET, "/openapi.json").json().await?;
    println!("{document:#}");
    Ok(())
}

async fn create_transaction() -> Result {
    use connect_client::device::DeviceClient;
    use connect_client::wire::{
        LineInput, LineOptionInput, PaymentInput, PaymentMethod, Quantity, Timestamp,
        TransactionInput, TransactionType, VatInput, VatRate,
    };

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = DeviceClient::builder(url, key).build()?;
    let body = TransactionInput::default()
        .kind(TransactionType::Sale)
        .employee("Noor")
        .total_cents(900)
        .lines(vec![
            LineInput::default()
                .external_id("RYE-800")
                .name("Rye loaf")
                .quantity("2".parse::<Quantity>()?)
                .unit_price_cents(425)
                .total_cents(900)
                .vat_rate(VatRate::percent(9))
                .options(vec![
                    LineOptionInput::default().name("Sliced").price_cents(25),
                ]),
        ])
        .payments(vec![PaymentInput::of(PaymentMethod::Card, 900)])
        .vat(vec![
            VatInput::default()
                .vat_rate(VatRate::percent(9))
                .net_cents(826)
                .vat_cents(74)
                .gross_cents(900),
        ])
        .note("For the office")
        .created_at("2026-11-20T09:15:30Z".parse::<Timestamp>()?);
    let answer = client.write_transaction(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn create_z_report() -> Result {
    use connect_client::{device::DeviceClient, wire::ZReportInput};

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = DeviceClient::builder(url, key).build()?;
    let body = ZReportInput::default().counted_cents(15000);
    let answer = client.close(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn create_order() -> Result {
    use connect_client::device::DeviceClient;
    use connect_client::wire::{
        Fulfilment, LineInput, OrderInput, Quantity, VatRate,
    };

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = DeviceClient::builder(url, key).build()?;
    let body = OrderInput::default()
        .fulfilment(Fulfilment::DineIn)
        .table_label("7")
        .customer_name("Noor")
        .note("Birthday table")
        .lines(vec![
            LineInput::default()
                .external_id("RYE-800")
                .name("Rye loaf")
                .quantity("2".parse::<Quantity>()?)
                .unit_price_cents(425)
                .total_cents(850)
                .vat_rate(VatRate::percent(9)),
        ]);
    let answer = client.create_order(&body).await?;
    println!("{answer:#?}");
    Ok(())
}

async fn update_order() -> Result {
    use connect_client::{device::DeviceClient, Uuid, wire::{OrderChange, OrderStatus}};

    let url = std::env::var("CONNECT_ADMIN_URL")?;
    let key = std::env::var("CONNECT_DEVICE_KEY")?;
    let client = DeviceClient::builder(url, key).build()?;
    let id: Uuid = "019a8c53-0f31-7b53-9b20-5d3e7f90bc04".parse()?;
    let body = OrderChange::default().status(OrderStatus::Ready);
    let answer = client.update_order(id, &body).await?;
    println!("{answer:#?}");
    Ok(())
}
