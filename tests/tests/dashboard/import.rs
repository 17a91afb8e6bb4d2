//! Products are imported from a CSV file: upload, columns, dry run, result.

use connect_tests::{
    http::{Answer, Request},
    process::Process,
};
use http::StatusCode;
use serde_json::Value;

use super::{
    browser::{Browser, text},
    demo,
    filled::between,
};

const PATH: &str = "/dashboard/products/import";
const CHECK: &str = "/dashboard/products/import/check";
const APPLY: &str = "/dashboard/products/import/apply";

/// The fields of a form, as a browser sends them on.
type Fields = Vec<(String, String)>;

/// A menu as a Dutch register exports it: 60 products, and five faulty lines.
fn menu() -> String {
    let mut lines = vec![
        "Artikelnr.;Omschrijving;Groep;Prijs (incl. btw);BTW %;EAN-code;Actief".to_owned(),
        "F-1;\"=HYPERLINK(\"\"http://evil.example\"\")\";Overig;1,00;9;;ja".to_owned(),
        "F-2;<script>alert(1)</script>;Overig;1.00;9%;;ja".to_owned(),
    ];
    let groups = ["Broodjes", "Koffie & thee", "Soepen", "Taart"];
    for number in 3..=60 {
        let group = groups[number % groups.len()];
        let price = format!("€ {},{:02}", number / 10 + 1, number);
        lines.push(format!(
            "F-{number};Crème nr. {number};{group};{price};9,0;87123450{number:05};nee"
        ));
    }
    lines.extend(
        [
            ";Zonder code;Soepen;1,00;9;;ja",
            "F-61;Gratis;Soepen;gratis;9;;ja",
            "F-62;Te hoog;Soepen;1,00;190;;ja",
            "F-3;Dubbel;Soepen;1,00;9;;ja",
            "F#63;Vreemde code;Soepen;1,00;9;;ja",
        ]
        .map(str::to_owned),
    );
    lines.join("\r\n")
}

/// A text as older programs of Windows save it.
fn in_windows_1252(text: &str) -> Vec<u8> {
    let byte = |c| match c {
        '€' => 0x80,
        c => u8::try_from(u32::from(c)).unwrap(),
    };
    text.chars().map(byte).collect()
}

/// The form of a step as its page has filled it in.
fn form(page: &str) -> Fields {
    let form = between(page, "enctype=\"multipart/form-data\">", "</form>");
    let mut fields = Fields::new();
    for input in form.split("<input type=\"hidden\" name=\"").skip(1) {
        let (name, rest) = input.split_once("\" value=\"").unwrap();
        let value = rest.split('"').next().unwrap();
        let value = value.replace("&lt;", "<").replace("&gt;", ">");
        let value = value.replace("&quot;", "\"").replace("&amp;", "&");
        fields.push((name.to_owned(), value.replace('\n', "\r\n")));
    }
    for select in form.split("<select id=\"").skip(1) {
        let select = select.split("</select>").next().unwrap();
        let name = select.split('"').next().unwrap();
        let chosen = select.split("\" selected").next().unwrap();
        let value = chosen.rsplit("value=\"").next().unwrap();
        fields.push((name.to_owned(), value.to_owned()));
    }
    fields
}

/// Sends a step on, with more fields.
async fn send(
    owner: &mut Browser,
    path: &str,
    fields: &Fields,
    more: &[(&str, &str)],
) -> (StatusCode, String) {
    let fields = fields.iter().map(|(name, value)| (&**name, &**value));
    let fields: Vec<_> = fields.chain(more.iter().copied()).collect();
    let answer = owner.submit_parts(path, &fields, None).await;
    (answer.status, text(&answer))
}

/// Uploads a file.
async fn upload(owner: &mut Browser, file: &[u8]) -> Answer {
    owner.read(PATH).await;
    let csrf = owner.csrf().to_owned();
    owner
        .submit_parts(PATH, &[("csrf", &csrf)], Some(file))
        .await
}

/// The new, changed, unchanged and faulty lines of a report or a result.
#[track_caller]
fn counts(page: &str) -> [usize; 4] {
    let figures = between(page, "<dl class=\"figures\">", "</dl>");
    let numbers = figures.split("<dd>").skip(2);
    let numbers = numbers.map(|rest| rest.split('<').next().unwrap().parse().unwrap());
    numbers.collect::<Vec<_>>().try_into().unwrap()
}

/// All products of the location.
async fn products(server: &Process) -> Vec<Value> {
    let request = Request::get(server.at("products?limit=200"));
    server
        .send(&server.token(), request)
        .await
        .expect(200)
        .list()
}

#[tokio::test]
async fn a_menu_is_tried_first_and_then_imported_once() {
    let (server, mut owner) = demo().await;
    let before = products(&server).await;
    let answer = upload(&mut owner, &in_windows_1252(&menu())).await;
    assert_eq!(answer.status, StatusCode::OK);
    let page = text(&answer);
    // The first lines are shown as they are, and calculate and do nothing.
    assert!(page.contains("<td>=HYPERLINK(&quot;http://evil.example&quot;)</td>"));
    assert!(page.contains("<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>"));
    assert!(page.contains("<td>€ 1,03</td>") && page.contains("<td>Crème nr. 3</td>"));
    assert!(!page.contains("<script"), "{page}");
    let columns = form(&page);
    for (field, column) in [
        ("code", "0"),
        ("name", "1"),
        ("description", ""),
        ("category", "2"),
        ("price", "3"),
        ("vat", "4"),
        ("barcode", "5"),
        ("for-sale", "6"),
    ] {
        let field = (format!("column-{field}"), column.to_owned());
        assert!(columns.contains(&field), "{field:?}");
    }

    // Without their categories all lines are faulty.
    let (status, page) = send(&mut owner, CHECK, &columns, &[]).await;
    assert_eq!((status, counts(&page)), (StatusCode::OK, [0, 0, 0, 65]));
    assert!(page.contains("Does not exist; add it first"), "{page}");
    assert!(!page.contains("Import now"), "{page}");
    let create = [("create-categories", "yes")];
    let (status, page) = send(&mut owner, CHECK, &columns, &create).await;
    assert_eq!((status, counts(&page)), (StatusCode::OK, [60, 0, 0, 5]));
    for (line, field, value, problem) in [
        (
            62,
            "Code",
            "",
            "Is missing; give each product a code of its own.",
        ),
        (63, "Price", "gratis", "Must be an amount such as 3.50."),
        (64, "VAT", "190", "Must be a percentage such as 9 or 5.5."),
        (65, "Code", "F-3", "Is that of line 4 as well."),
        (66, "Code", "F#63", "May only have the letters A to Z"),
    ] {
        let row = format!(
            "<td class=\"number\">{line}</td><td>{field}</td><td class=\"wide\">{value}</td><td>{problem}"
        );
        assert!(page.contains(&row), "{row}: {page}");
    }
    // Back to the columns nothing is lost.
    let report = form(&page);
    let (status, again) = send(&mut owner, PATH, &report, &[]).await;
    assert_eq!(status, StatusCode::OK);
    let chosen = |fields: &Fields| {
        let mut fields: Vec<_> = fields
            .iter()
            .filter(|(name, value)| name.starts_with("column-") && !value.is_empty())
            .cloned()
            .collect();
        fields.sort();
        fields
    };
    assert_eq!(chosen(&form(&again)), chosen(&columns));
    assert!(again.contains("name=\"create-categories\" value=\"yes\" checked"));

    // With faulty lines nothing is written, unless they are to be left out.
    let (status, page) = send(&mut owner, APPLY, &report, &[]).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(page.contains("Nothing was written"), "{page}");
    assert_eq!(products(&server).await, before);
    let skip = [("skip-faulty", "yes")];
    let (status, page) = send(&mut owner, APPLY, &report, &skip).await;
    assert_eq!((status, counts(&page)), (StatusCode::OK, [60, 0, 0, 5]));
    assert!(page.contains("The import is done."), "{page}");
    let after = products(&server).await;
    assert_eq!(after.len(), before.len() + 60);
    let found = |code: &str| {
        let mut found = after.iter();
        found.find(|one| one["externalId"] == code).unwrap()
    };
    let soup = found("F-42");
    for (field, value) in [
        ("name", Value::from("Crème nr. 42")),
        ("priceCents", Value::from(542)),
        ("vatRate", Value::from(9)),
        ("barcode", Value::from("8712345000042")),
        ("isActive", Value::from(false)),
    ] {
        assert_eq!(soup[field], value, "{field}");
    }
    assert_eq!(found("F-46")["categoryId"], soup["categoryId"]);
    assert_eq!(found("F-1")["name"], "=HYPERLINK(\"http://evil.example\")");

    // The same form again does nothing.
    let (status, page) = send(&mut owner, APPLY, &report, &skip).await;
    assert_eq!((status, counts(&page)), (StatusCode::OK, [0, 0, 60, 5]));
    assert_eq!(products(&server).await, after);
    server.kill().await;
}

#[tokio::test]
async fn our_own_files_come_back() {
    let (server, mut owner) = demo().await;
    let file = "\u{FEFF}Naam;Code;Categorie;Prijs;Btw;Voorraad;Te koop\n\
                '=1+1;T-1;'-10 %;3,95;9;4;Ja\nThé;T-2;;2,50;5,5;;Nee\n";
    let page = text(&upload(&mut owner, file.as_bytes()).await);
    let create = [("create-categories", "yes")];
    let (_, page) = send(&mut owner, CHECK, &form(&page), &create).await;
    assert_eq!(counts(&page), [2, 0, 0, 0]);
    let (status, page) = send(&mut owner, APPLY, &form(&page), &[]).await;
    assert_eq!((status, counts(&page)), (StatusCode::OK, [2, 0, 0, 0]));
    let all = products(&server).await;
    for (code, name, cents, is_active) in [("T-1", "=1+1", 395, true), ("T-2", "Thé", 250, false)]
    {
        let found = all.iter().find(|one| one["externalId"] == code).unwrap();
        assert_eq!(found["name"], name);
        assert_eq!(found["priceCents"], cents);
        assert_eq!(found["isActive"], is_active);
    }
    // The list of products as its page saves it.
    let file = owner.open("/dashboard/products?q=T-1&format=csv").await;
    let page = text(&upload(&mut owner, &file.body).await);
    let columns = form(&page);
    let chosen = columns.iter().filter(|(_, column)| !column.is_empty());
    let chosen = chosen.filter(|(name, _)| name.starts_with("column-"));
    assert_eq!(chosen.count(), 7, "{columns:?}");
    let (_, page) = send(&mut owner, CHECK, &columns, &[]).await;
    assert_eq!(counts(&page), [0, 0, 1, 0]);
    // A changed price changes one product, without a mention of the rest.
    let file = "code,price\nT-1,4.10\nT-2,2.50\n";
    let page = text(&upload(&mut owner, file.as_bytes()).await);
    let (_, page) = send(&mut owner, CHECK, &form(&page), &[]).await;
    assert_eq!(counts(&page), [0, 1, 1, 0]);
    server.kill().await;
}

#[tokio::test]
async fn what_cannot_be_imported_is_refused_with_the_reason() {
    let (server, mut owner) = demo().await;
    let lines = |count: usize| format!("code;name\n{}", "A;B\n".repeat(count)).into_bytes();
    for (file, status, says) in [
        (Vec::new(), 422, "CSV file must be chosen."),
        (b"PK\x03\x04\0\0;".to_vec(), 422, "is not a CSV file"),
        (b"code;name\n".to_vec(), 422, "has no line with a product"),
        (
            lines(12_000),
            422,
            "has 12,000 lines; at most 10,000 can be imported at once.",
        ),
        (vec![b'x'; 2_000_001], 422, "is larger than 2 MB"),
        (
            vec![b'x'; 2_200_000],
            413,
            "id=\"file-problem\">CSV file is larger than 2 MB; divide it into several files.",
        ),
        // None of the columns is that of the code.
        (b"x;name\n1;Soup\n".to_vec(), 200, "Check all lines"),
    ] {
        let length = file.len();
        let answer = upload(&mut owner, &file).await;
        assert_eq!(answer.status.as_u16(), status, "{length} bytes");
        assert!(text(&answer).contains(says), "{says}: {}", text(&answer));
    }
    let page = text(&upload(&mut owner, b"x;name\n1;Soup\n").await);
    let fields = form(&page);
    for path in [CHECK, APPLY] {
        let (status, page) = send(&mut owner, path, &fields, &[]).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
        assert!(page.contains("Code must be chosen."), "{page}");
        assert!(page.contains("id=\"column-code-problem\""), "{page}");
    }

    // A form of another site, and a place that is not there.
    let at = |id: &str| {
        let is_kept = |(name, _): &&(String, String)| name != "at";
        let kept = fields.iter().filter(is_kept).cloned();
        let at = ("at".to_owned(), id.to_owned());
        kept.chain([at]).collect::<Fields>()
    };
    let forged: Fields = fields
        .iter()
        .filter(|(name, _)| name != "csrf")
        .cloned()
        .collect();
    for path in [PATH, CHECK, APPLY] {
        let (status, _) = send(&mut owner, path, &forged, &[("csrf", "00")]).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
        let elsewhere = at("019a8c52-8e20-7c42-8a1f-4c2d6e8fab02");
        let (status, _) = send(&mut owner, path, &elsewhere, &[]).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
    // No other form has a file.
    let csrf = owner.csrf().to_owned();
    let fields = [("csrf", &*csrf), ("name", "Rye")];
    let refused = owner
        .submit_parts("/dashboard/account", &fields, None)
        .await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);

    // An accountant reads products, and changes none.
    let person = [
        ("name", "Kim"),
        ("email", "kim@rye.example"),
        ("language", "en"),
        ("role", "accountant"),
    ];
    let made = owner.submit("/dashboard/users", &person).await;
    let user = made.header("location").unwrap().split('?').next().unwrap();
    let invited = owner.submit(&format!("{user}/invite"), &[]).await;
    let invited = text(&invited);
    let link = between(
        &invited,
        "id=\"shown-once\" type=\"text\" readonly value=\"",
        "\"",
    );
    let mut accountant = Browser::of_owner(&server, link).await;
    assert!(!accountant.read("/dashboard/products").await.contains(PATH));
    assert_eq!(accountant.open(PATH).await.status, StatusCode::FORBIDDEN);
    let csrf = accountant.csrf().to_owned();
    for path in [PATH, CHECK, APPLY] {
        let fields = [("csrf", &*csrf)];
        let refused = accountant
            .submit_parts(path, &fields, Some(b"code;name\nA;B\n"))
            .await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}");
    }
    server.kill().await;
}
