//! The owner sets a minimum, sees what runs low on each page, and counts it on the phone.

use http::StatusCode;

use super::{
    browser::{Browser, text},
    demo,
    filled::between,
    lists::count_all,
};

const STOCK: &str = "/dashboard/stock";

/// Sends a minimum. Returns the status, and the address or the page of the answer.
async fn set(owner: &mut Browser, product: &str, minimum: &str) -> (StatusCode, String) {
    let path = format!("{STOCK}/{product}/minimum");
    let answer = owner.submit(&path, &[("minimum", minimum)]).await;
    let location = answer.header("location").map(str::to_owned);
    (answer.status, location.unwrap_or_else(|| text(&answer)))
}

/// The number of products in a list of levels.
fn listed(page: &str) -> usize {
    page.matches("aria-label=\"History of ").count()
}

#[tokio::test]
async fn what_runs_low_is_on_each_page() {
    let (server, mut owner) = demo().await;
    count_all(&server, 5).await;
    let all = owner.read(STOCK).await;
    assert!(
        listed(&all) > 1 && !all.contains(">Under minimum<"),
        "{all}"
    );
    let product = between(&all, "<a href=\"/dashboard/stock/", "?").to_owned();
    let name = between(&all, "aria-label=\"History of ", "\"").to_owned();
    let none = owner.read(&format!("{STOCK}?level=low")).await;
    assert!(none.contains("No product is under its minimum."), "{none}");
    assert!(!owner.read("/dashboard").await.contains("under its minimum"));

    owner.read(&format!("{STOCK}/{product}")).await;
    for (typed, says) in [
        ("few", "Minimum must be a number such as 12 or 0.5"),
        ("-1", "Minimum must be from 0 to 1000000000, not -1."),
    ] {
        let (status, page) = set(&mut owner, &product, typed).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{typed}");
        assert!(page.contains(says), "{page}");
        assert!(page.contains(&format!("value=\"{typed}\"")), "{page}");
        // The form of the stock beside it has no problem.
        assert_eq!(page.matches("aria-invalid=\"true\"").count(), 1, "{page}");
    }
    let (status, location) = set(&mut owner, &product, "7.5").await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert!(location.ends_with("done=stock-minimum-set"), "{location}");
    let page = owner.read(&location).await;
    assert!(
        page.contains("value=\"7.5\"") && page.contains(">Under minimum<"),
        "{page}"
    );

    let all = owner.read(STOCK).await;
    assert_eq!(all.matches(">Under minimum<").count(), 1, "{all}");
    let low = owner.read(&format!("{STOCK}?level=low")).await;
    assert_eq!(listed(&low), 1, "{low}");
    // Another location is shown by the same filter, in the same order.
    let sorted = owner
        .read(&format!("{STOCK}?level=low&sort=-quantity"))
        .await;
    let choice = between(&sorted, "<select id=\"at\"", "</form>");
    for field in [
        "name=\"level\" value=\"low\"",
        "name=\"sort\" value=\"-quantity\"",
    ] {
        assert!(choice.contains(field), "{field}: {sorted}");
    }
    assert!(low.contains(&format!("History of {name}")), "{low}");
    let file = owner.read(&format!("{STOCK}?level=low&format=csv")).await;
    let lines: Vec<_> = file.trim_start_matches('\u{FEFF}').lines().collect();
    assert_eq!(
        lines[0],
        "Product,Code,Category,In stock,Minimum,Missing,Since"
    );
    assert!(lines[1].contains(",5,7.5,2.5,"), "{file}");
    assert_eq!(lines.len(), 2, "{file}");
    let today = owner.read("/dashboard").await;
    assert!(today.contains("1 product is under its minimum"), "{today}");
    let activity = owner.read("/dashboard/activity?kind=stock+minimum").await;
    assert!(
        activity.contains(&format!("minimum stock {name}")),
        "{activity}"
    );
    assert_eq!(
        activity.matches("<th scope=\"row\">Minimum</th>").count(),
        1
    );

    // The count sheet goes through them.
    let sheet = owner.read(&format!("{STOCK}/count?level=low")).await;
    assert!(sheet.contains("5 in stock, minimum 7.5"), "{sheet}");
    let card = between(&sheet, "<ul class=\"rows\"><li><a href=\"", "\"").replace("&amp;", "&");
    let card = owner.read(&card).await;
    assert!(card.contains(&format!("{STOCK}/{product}/count")), "{card}");
    assert!(card.contains("name=\"level\" value=\"low\""), "{card}");
    let fields = [("quantity", "9"), ("expected", "5"), ("level", "low")];
    let counted = owner
        .submit(&format!("{STOCK}/{product}/count"), &fields)
        .await;
    let location = counted.header("location").unwrap().to_owned();
    assert!(location.contains("level=low"), "{location}");
    let sheet = owner.read(&location).await;
    assert!(
        sheet.contains("No product is under its minimum."),
        "{sheet}"
    );
    assert!(!owner.read(STOCK).await.contains(">Under minimum<"));

    // A movement is by its user, and not by the dashboard.
    let page = owner.read(&format!("{STOCK}/{product}")).await;
    assert!(
        page.contains("<td>Owner</td>") && !page.contains("<td>Dashboard</td>"),
        "{page}"
    );
    assert!(page.contains("API: "), "{page}");

    let (status, location) = set(&mut owner, &product, "").await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert!(
        location.ends_with("done=stock-minimum-removed"),
        "{location}"
    );
    let page = owner.read(&location).await;
    assert!(!page.contains("<dt>Minimum</dt>"), "{page}");
    server.kill().await;
}
