//! The journal, from the register to the integrator.

use connect_core::ScreenType;
use connect_tests::{
    http::Request,
    shop::{Shop, device_path},
};
use http::Method;
use serde_json::{Value, json};

use super::{cash, events, holds, id, line, sale, soup};

#[tokio::test]
async fn rows_of_all_five_types_are_read_as_they_were_written() {
    let shop = Shop::open().await;
    let till = shop.register("Till 7").await;
    let float = till
        .make("transactions", &cash("opening_float", 10_000))
        .await;
    let sold = till.make("transactions", &sale("Rye loaf", 425)).await;
    let refund = json!({
        "type": "refund",
        "totalCents": -425,
        "lines": [line("Rye loaf", -1, 425)],
        "payments": [{ "method": "card", "amountCents": -425 }],
        "refundOf": id(&sold),
        "employee": "Noor",
        "note": "Stale",
    });
    let refund = till.make("transactions", &refund).await;
    let cash_in = till.make("transactions", &cash("cash_in", 500)).await;
    let cash_out = till.make("transactions", &cash("cash_out", -2000)).await;

    let register = json!({ "id": till.id, "name": "Till 7" });
    let rows = [float, sold, refund, cash_in, cash_out];
    for (row, number) in rows.iter().zip(1..) {
        let given = json!({ "receiptNumber": number, "register": register, "currency": "EUR" });
        holds(row, &given);
    }
    let vat = json!([{ "vatRate": 9, "netCents": -390, "vatCents": -35, "grossCents": -425 }]);
    let refunded = json!({
        "vat": vat, "refundOf": rows[1]["id"], "employee": "Noor", "note": "Stale",
        "discountCents": 0, "orderId": null, "createdAt": "2026-11-20T10:00:00.000000Z",
    });
    holds(&rows[2], &refunded);
    holds(
        &rows[4],
        &json!({ "lines": [], "vat": [], "employee": null }),
    );

    assert_eq!(shop.all("transactions", "limit=2").await, rows);
    for row in &rows {
        let one = shop.get(&format!("transactions/{}", id(row))).await;
        assert_eq!(one.expect(200).data(), *row);
    }
    assert_eq!(events(&shop, "pos.transaction.created").await, rows);
    let summary = shop.get("daily-summary").await.expect(200).data();
    let sums = json!({
        "date": "2026-11-20",
        "sales": { "count": 1, "totalCents": 425 },
        "refunds": { "count": 1, "totalCents": -425 },
        "netCents": 0,
        "lastReceiptNumber": 5,
    });
    holds(&summary, &sums);
}

/// The figures were computed by hand: 3 cappuccinos at 3.25 with oat milk for 0.50, 1.00 off, and
/// 0.350 kg of cheese at 19.90, which is 6.965.
#[tokio::test]
async fn options_discounts_weights_and_two_vat_rates_add_up() {
    let shop = Shop::open().await;
    let till = shop.register("Till").await;
    let mut coffee = line("Cappuccino", 3, 325);
    coffee["options"] = json!([{ "name": "Oat milk", "priceCents": 50 }]);
    coffee["discountCents"] = 100.into();
    coffee["totalCents"] = 1025.into();
    let mut cheese = line("Cheese", 1, 1990);
    cheese["quantity"] = json!(0.35);
    cheese["totalCents"] = 697.into();
    cheese["vatRate"] = 21.into();
    let receipt = json!({
        "type": "sale",
        "totalCents": 1722,
        "lines": [coffee, cheese],
        "payments": [
            { "method": "voucher", "amountCents": 1000 },
            { "method": "cash", "amountCents": 722 },
        ],
        "vat": [
            { "vatRate": 9, "netCents": 940, "vatCents": 85, "grossCents": 1025 },
            { "vatRate": 21, "netCents": 576, "vatCents": 121, "grossCents": 697 },
        ],
    });
    let row = till.make("transactions", &receipt).await;
    holds(
        &row,
        &json!({ "discountCents": 100, "vat": receipt["vat"] }),
    );
    assert_eq!(row["lines"][0]["options"][0]["optionId"], Value::Null);

    // One cent less for the cheese, and every sum behind it is named with what it should be.
    for (pointer, found, says) in [
        (
            "/lines/1/totalCents",
            696,
            "lines[1].totalCents: must be 697, not 696",
        ),
        ("/totalCents", 1721, "totalCents: must be 1722"),
        (
            "/payments/1/amountCents",
            721,
            "payments: must add up to 1722",
        ),
        ("/vat/1/vatCents", 120, "vat[1].vatCents: must be 121"),
    ] {
        let mut wrong = receipt.clone();
        *wrong.pointer_mut(pointer).unwrap() = found.into();
        let refused = till.post("transactions", &wrong).await;
        let (status, _, message) = refused.failure();
        assert_eq!(status, 422, "{message}");
        assert!(message.starts_with(says), "{message}");
    }
    assert_eq!(shop.all("transactions", "").await, [row]);
}

/// A register that was offline delivers late: the receipt number follows the arrival, the day
/// follows the register's clock.
#[tokio::test]
async fn late_rows_count_for_the_day_on_which_they_happened() {
    let shop = Shop::open().await;
    let (till, other) = (shop.register("Till").await, shop.register("Bar").await);
    till.make("transactions", &sale("Tea", 200)).await;
    let mut late = sale("Beer", 400);
    // 23:30 of the day before in Amsterdam, with an offset of the register's own.
    late["createdAt"] = "2026-11-20T00:30:00+02:00".into();
    let late = other.make("transactions", &late).await;
    let expected = json!({ "receiptNumber": 2, "createdAt": "2026-11-19T22:30:00.000000Z" });
    holds(&late, &expected);
    for (day, cents, last) in [("2026-11-19", 400, 2), ("2026-11-20", 200, 1)] {
        let summary = shop.get(&format!("daily-summary?date={day}")).await.data();
        let sums = json!({
            "sales": { "count": 1, "totalCents": cents }, "lastReceiptNumber": last,
        });
        holds(&summary, &sums);
        let rows = shop
            .all("transactions", &format!("from={day}&to={day}"))
            .await;
        assert_eq!(rows.len(), 1, "{day}");
        assert_eq!(rows[0]["receiptNumber"], last);
    }
    // A clock that is a day ahead is believed, one that is further is not.
    let mut early = sale("Tea", 200);
    early["createdAt"] = "2026-11-21T10:00:00Z".into();
    till.make("transactions", &early).await;
    early["createdAt"] = "2026-11-21T10:00:00.000001Z".into();
    let refused = till.post("transactions", &early).await;
    let (_, _, message) = refused.fails(422, "validation_failed").failure();
    assert!(message.starts_with("createdAt: must be at most 24 hours ahead"));
}

#[tokio::test]
async fn z_reports_close_registers_one_by_one() {
    let shop = Shop::open().await;
    let (till, bar) = (shop.register("Till").await, shop.register("Bar").await);
    till.make("transactions", &cash("opening_float", 5000))
        .await;
    till.make("transactions", &sale("Tea", 200)).await;
    let mut paid_in_cash = sale("Cake", 350);
    paid_in_cash["payments"][0]["method"] = "cash".into();
    bar.make("transactions", &sale("Beer", 400)).await;
    till.make("transactions", &paid_in_cash).await;
    till.make("transactions", &cash("cash_out", -1000)).await;

    shop.clock.advance(3600);
    let counted = till
        .make("z-reports", &json!({ "countedCents": 4300 }))
        .await;
    let expected = json!({
        "number": 1,
        "register": { "id": till.id, "name": "Till" },
        "openedAt": "2026-11-20T10:00:00.000000Z",
        "firstReceiptNumber": 1,
        "lastReceiptNumber": 5,
        "sales": { "count": 2, "totalCents": 550 },
        "cash": {
            "openingFloatCents": 5000, "salesCents": 350, "refundsCents": 0,
            "inCents": 0, "outCents": -1000, "expectedCents": 4350,
            "countedCents": 4300, "differenceCents": -50,
        },
    });
    holds(&counted, &expected);
    // Nobody counted at the bar, and the till has sold nothing since.
    let uncounted = bar.make("z-reports", &json!({})).await;
    let expected = json!({ "number": 1, "firstReceiptNumber": 3, "lastReceiptNumber": 3 });
    holds(&uncounted, &expected);
    for field in ["countedCents", "differenceCents"] {
        assert_eq!(uncounted["cash"][field], Value::Null);
    }
    let none = till
        .make("z-reports", &json!({ "countedCents": null }))
        .await;
    let nothing = json!({
        "number": 2, "firstReceiptNumber": null, "lastReceiptNumber": null,
        "sales": { "count": 0, "totalCents": 0 }, "payments": [], "vat": [],
        "openedAt": counted["closedAt"],
    });
    holds(&none, &nothing);

    let reports = [counted, uncounted, none];
    assert_eq!(shop.all("z-reports", "limit=2").await, reports);
    assert_eq!(events(&shop, "pos.zreport.created").await, reports);
    let one = shop.get(&format!("z-reports/{}", id(&reports[1]))).await;
    assert_eq!(one.expect(200).data(), reports[1]);
}

/// Sales and refunds move the stock of a tracked product in their own commit, once per row.
#[tokio::test]
async fn sales_move_the_stock_of_tracked_products() {
    let shop = Shop::open().await;
    let till = shop.register("Till 7").await;
    let product = async |name: &str| {
        let made = shop.make("products", &json!({ "name": name })).await;
        id(&made)
    };
    let (tracked, untracked) = (product("Rye").await, product("Bag").await);
    let count = Request::new(Method::PUT, shop.at(&format!("stock/{tracked}")));
    shop.send(count.json(&json!({ "quantity": 10 })))
        .await
        .expect(200);
    let mut receipt = sale("Rye", 425);
    receipt["lines"] = json!([line("Rye", 3, 100), line("Bag", 1, 125)]);
    receipt["lines"][0]["productId"] = tracked.as_str().into();
    receipt["lines"][1]["productId"] = untracked.as_str().into();
    let row = || Request::post(device_path("transactions"), &receipt).key("row-1");
    let sold = till.send(row()).await.expect(201).data();
    till.send(row()).await.expect(201);

    let level = shop.get(&format!("stock/{tracked}")).await.expect(200);
    assert_eq!(level.data()["quantity"], 7);
    let none = shop.get(&format!("stock/{untracked}")).await;
    none.fails(404, "not_found");
    let moved = shop.all("stock/movements", "type=sale").await;
    assert_eq!(moved.len(), 1, "{moved:?}");
    let expected = json!({
        "productId": tracked, "quantityChange": -3, "quantityAfter": 7,
        "source": "Register: Till 7", "transactionId": sold["id"],
    });
    holds(&moved[0], &expected);
}

/// A register that knows its article codes alone sells what the location has under them.
#[tokio::test]
async fn lines_that_name_a_product_by_its_code_move_its_stock() {
    let shop = Shop::open().await;
    let (till, kiosk) = (shop.register("Till 7").await, shop.kiosk("Kiosk").await);
    let product = async |name: &str, code: &str| {
        let made = json!({ "name": name, "externalId": code });
        id(&shop.make("products", &made).await)
    };
    let (rye, tea) = (product("Rye", "R-1").await, product("Tea", "T-1").await);
    let count = Request::new(Method::PUT, shop.at("stock"));
    let items = json!({ "items": [{ "productId": rye, "quantity": 10 },
                                  { "productId": tea, "quantity": 10 }] });
    shop.send(count.json(&items)).await.expect(200);
    let receipt = |kind: &str, pieces: i64, lines: &[(Option<&str>, Option<&str>)]| {
        let lines: Vec<Value> = (lines.iter())
            .map(|(product, code)| {
                let mut line = line("Article", pieces, 100);
                line["productId"] = json!(product);
                line["externalId"] = json!(code);
                line
            })
            .collect();
        let total = 100 * pieces * lines.len() as i64;
        json!({ "type": kind, "totalCents": total, "lines": lines,
                "payments": [{ "method": "card", "amountCents": total }] })
    };
    let (rye, tea) = (rye.as_str(), tea.as_str());
    for (kind, pieces, sent, shown, left) in [
        // By its code; one that is not in the catalog stays as it is.
        (
            "sale",
            1,
            vec![(None, Some("R-1")), (None, Some("X-9"))],
            vec![(Some(rye), Some("R-1")), (None, Some("X-9"))],
            (9, 10),
        ),
        // By its code and by its id in one receipt.
        (
            "sale",
            2,
            vec![(None, Some("R-1")), (Some(rye), None)],
            vec![(Some(rye), Some("R-1")), (Some(rye), None)],
            (5, 10),
        ),
        // The id counts, whatever the code.
        (
            "sale",
            1,
            vec![(Some(tea), Some("R-1"))],
            vec![(Some(tea), Some("R-1"))],
            (5, 9),
        ),
        (
            "refund",
            -1,
            vec![(None, Some("T-1"))],
            vec![(Some(tea), Some("T-1"))],
            (5, 10),
        ),
    ] {
        let row = till
            .make("transactions", &receipt(kind, pieces, &sent))
            .await;
        let read = shop.get(&format!("transactions/{}", id(&row))).await;
        assert_eq!(read.expect(200).data(), row);
        for (line, (product, code)) in row["lines"].as_array().unwrap().iter().zip(shown) {
            assert_eq!(line["productId"], json!(product), "{row}");
            assert_eq!(line["externalId"], json!(code), "{row}");
        }
        for (product, left) in [(rye, left.0), (tea, left.1)] {
            let level = shop.get(&format!("stock/{product}")).await.expect(200);
            assert_eq!(level.data()["quantity"], left, "{sent:?}");
        }
    }
    // An order shows the product too, so that its sale can be about it.
    let mut order = soup();
    order["lines"][0]["productId"] = Value::Null;
    order["lines"][0]["externalId"] = json!("R-1");
    let made = kiosk.make("orders", &order).await;
    assert_eq!(made["lines"][0]["productId"], rye);
}

/// Receipt numbers and orders are those of a location; another location's rows cannot be named.
#[tokio::test]
async fn locations_have_journals_of_their_own() {
    let shop = Shop::open().await;
    let here = shop.register("Till").await;
    let there = shop.device(shop.there, ScreenType::Pos, "Till").await;
    let sold = here.make("transactions", &sale("Tea", 200)).await;
    let theirs = there.make("transactions", &sale("Tea", 200)).await;
    assert_eq!(
        (&sold["receiptNumber"], &theirs["receiptNumber"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(shop.all("transactions", "").await, [sold]);
    let refund = json!({
        "type": "refund",
        "totalCents": -200,
        "lines": [line("Tea", -1, 200)],
        "payments": [{ "method": "cash", "amountCents": -200 }],
        "refundOf": theirs["id"],
    });
    let refused = here.post("transactions", &refund).await;
    let (_, _, message) = refused.fails(422, "validation_failed").failure();
    assert!(
        message.starts_with("refundOf: there is no sale"),
        "{message}"
    );
}
