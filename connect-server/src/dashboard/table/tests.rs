//! Tables in their orders, their links and their files.

use std::sync::Arc;

use connect_core::{Connect, Language, storage::memory::MemoryStorage, wire::Page};
use futures_util::FutureExt as _;
use http::{HeaderMap, Method};
use serde_json::json;

use super::*;
use crate::dashboard::{
    AnswerContent, DashboardContext, FormFields, IdempotentForms,
    messages::{in_language, made_in_language},
};

const PATH: &str = "/dashboard/orders";

/// A request for the page with this query.
fn asked(query: &str) -> PageRequest {
    PageRequest {
        connect: Connect::builder(Arc::new(MemoryStorage::new())).build(),
        context: DashboardContext {
            api_url: "http://127.0.0.1:8080/v1".into(),
            owner_url: "http://127.0.0.1:8081".into(),
            sandbox: None,
            providers: None,
            used: IdempotentForms::default(),
        },
        method: Method::GET,
        path: PATH.to_owned(),
        query: FormFields::parse(query.as_bytes()),
        form: FormFields::default(),
        has_too_large_file: false,
        headers: HeaderMap::new(),
        host: "127.0.0.1:8081".into(),
        address: [127, 0, 0, 1].into(),
        tls: false,
    }
}

/// A table with one row for each of these cells, named by their places.
fn table_of(cells: Vec<Cell>) -> Table {
    let columns = [
        Column::text("cell", "Cell".into()),
        Column::text("", "Place".into()),
    ];
    let mut table = Table::new(PATH, "Cells".into(), columns);
    for (place, cell) in cells.into_iter().enumerate() {
        table.add([cell, Cell::text(format!("#{place}"))]);
    }
    table
}

/// The places of the cells in the order of a query.
fn places(cells: Vec<Cell>, query: &str) -> Vec<String> {
    let page = table_of(cells).render(&asked(query)).into_string();
    let places = page.split("<td>#").skip(1);
    places
        .map(|rest| rest.split('<').next().unwrap().to_owned())
        .collect()
}

/// The text of a file, without the mark of its encoding.
fn saved(table: Table, query: &str) -> String {
    let bytes = table.written(asked(query).query.get(SORT));
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.strip_prefix('\u{FEFF}').unwrap().to_owned()
}

#[test]
fn rows_are_sorted_by_their_values_and_empty_ones_come_last() {
    let texts = || ["pear", "", "Apple", "apple", "", "Éclair"].map(Cell::text);
    let numbers = || [("10", ""), ("-2.5", ""), ("9", "")].map(|(of, as_)| Cell::number(of, as_));
    let time = |time: &str| Some(time.parse().unwrap());
    let times = [
        time("2026-11-27T10:00:00Z"),
        None,
        time("2026-03-01T10:00:00Z"),
    ];
    let times = || times.map(|time| Cell::time_or(time, "Never"));
    let amounts = || [-5, 100, -300].map(|cents| Cell::amount(cents, ""));
    for (cells, query, expected) in [
        (texts().into(), "", "0 1 2 3 4 5"),
        (texts().into(), "sort=cell", "2 3 5 0 1 4"),
        (texts().into(), "sort=-cell", "0 5 3 2 1 4"),
        // Columns that are not there, or not to be sorted by.
        (texts().into(), "sort=other", "0 1 2 3 4 5"),
        (texts().into(), "sort=-", "0 1 2 3 4 5"),
        (Vec::from(numbers()), "sort=cell", "1 2 0"),
        (numbers().into(), "sort=-cell", "0 2 1"),
        (times().into(), "sort=cell", "2 0 1"),
        (times().into(), "sort=-cell", "0 2 1"),
        (amounts().into(), "sort=cell", "2 0 1"),
        (
            vec![Cell::text("a"), Cell::empty(), Cell::number(7, "")],
            "sort=-cell",
            "0 2 1",
        ),
    ] {
        assert_eq!(places(cells, query).join(" "), expected, "{query}");
    }
}

#[test]
fn links_keep_the_other_fields_of_the_address() {
    let links = |query: &str| {
        let page = table_of(vec![Cell::text("a")]).render(&asked(query));
        let page = page.into_string().replace("&amp;", "&");
        let links = page.split("href=\"").skip(1);
        let links: Vec<_> = links
            .map(|rest| rest.split('"').next().unwrap().replace(PATH, ""))
            .collect();
        links.join(" ")
    };
    for (query, expected) in [
        ("", "?sort=cell ?format=csv"),
        (
            "at=7&status=&done=saved&cursor=c",
            "?at=7&cursor=c&sort=cell ?at=7&format=csv",
        ),
        (
            "sort=cell&at=7&format=x",
            "?at=7&sort=-cell ?sort=cell&at=7&format=csv",
        ),
        (
            "sort=-cell&cursor=c",
            "?cursor=c&sort=cell ?sort=-cell&format=csv",
        ),
        // The field is written again as a field, whatever it is.
        (
            "q=%22%3E%26x%3D1",
            "?q=%22%3E%26x%3D1&sort=cell ?q=%22%3E%26x%3D1&format=csv",
        ),
    ] {
        assert_eq!(links(query), expected, "{query}");
    }
}

#[test]
fn a_head_says_the_order_and_a_part_that_it_is_one() {
    let page = |query: &str, is_part| {
        let table = table_of(vec![Cell::text("a")]).part(is_part);
        table.render(&asked(query)).into_string()
    };
    for (query, is_part, order, is_told) in [
        ("", true, None, false),
        ("sort=cell", false, Some("ascending"), false),
        ("sort=-cell", true, Some("descending"), true),
    ] {
        let page = page(query, is_part);
        let sorted = page.split_once("aria-sort=\"");
        let sorted = sorted.map(|(_, rest)| rest.split('"').next().unwrap());
        assert_eq!(sorted, order, "{page}");
        assert_eq!(
            page.contains(&*text!("table-part")),
            is_told,
            "{query}: {page}"
        );
    }
}

#[test]
fn a_file_is_written_as_the_spreadsheet_of_its_reader_expects() {
    let table = || {
        let columns = [
            Column::text("name", "Name".into()),
            Column::number("price", "Price".into()).detail(),
            Column::file("Place".into()),
            Column::text("at", "Time".into()),
            Column::action("Actions".into()),
        ];
        let mut table = Table::new(PATH, "Products".into(), columns);
        table.add_as(
            "row".into(),
            [
                Cell::link("/x", "Rye; \"large\", sliced"),
                Cell::amount(-1_234_505, "−€12,345.05"),
                Cell::text("Market\nSquare"),
                Cell::time("2026-07-01T22:30:00Z".parse().unwrap()),
                Cell::action(html! { button { "Remove" } }),
            ],
        );
        table.add([
            Cell::code("Bag"),
            Cell::empty(),
            Cell::empty(),
            Cell::time_or(None, "Never"),
            Cell::empty(),
        ]);
        table
    };
    for (language, query, expected) in [
        (
            Language::En,
            "",
            "Name,Price,Place,Time\n\
             \"Rye; \"\"large\"\", sliced\",-12345.05,\"Market\nSquare\",2026-07-02 00:30:00\n\
             Bag,,,\n",
        ),
        (
            Language::Nl,
            "sort=name",
            "Name;Price;Place;Time\n\
             Bag;;;\n\
             \"Rye; \"\"large\"\", sliced\";-12345,05;\"Market\nSquare\";2026-07-02 00:30:00\n",
        ),
    ] {
        let written = made_in_language(language, || saved(table(), query));
        assert_eq!(written, expected);
    }
    let page = table().render(&asked("")).into_string();
    assert!(!page.contains("Place") && page.contains("<button>Remove"));
    assert!(page.contains("<tr id=\"row\">") && page.contains("<th class=\"number detail\">"));
}

#[tokio::test]
async fn a_file_is_in_the_language_of_its_reader_and_keeps_no_markup() {
    let columns = [Column::number("price", "Price".into())];
    let mut table = Table::new(PATH, "Products".into(), columns).for_file(true);
    table.add([Cell::amount(345, "€3.45")]);
    assert!(table.rows.iter().all(|row| row.shown.is_empty()));
    let to = asked("format=csv");
    let answer = in_language(Language::Nl, table.file(&to, "cells")).await;
    let AnswerContent::File(name, kind, bytes) = answer.content else {
        panic!("no file");
    };
    assert_eq!((&*name, kind), ("cells.csv", "text/csv; charset=utf-8"));
    assert_eq!(&bytes[..], "\u{FEFF}Price\n3,45\n".as_bytes());
}

/// Each file holds all of its rows, so only a few are made at once.
#[tokio::test]
async fn a_file_waits_for_its_turn() {
    let (page, file) = (asked("sort=cell"), asked("format=csv"));
    let form = PageRequest {
        method: Method::POST,
        ..asked("format=csv")
    };
    let (one, two) = (turn(&file).await, turn(&file).await);
    assert!(one.is_some() && two.is_some());
    assert!(turn(&file).now_or_never().is_none());
    // Pages do not.
    for to in [&page, &form] {
        assert!(matches!(turn(to).now_or_never(), Some(None)));
    }
    drop(one);
    assert!(turn(&file).await.is_some());
}

#[test]
fn a_plain_table_has_a_head_for_each_cell() {
    let columns = [
        Column::text("name", "Name".into()),
        Column::file("Place".into()),
        Column::action("Actions".into()),
    ];
    let mut table = Table::new(PATH, "Products".into(), columns);
    table.add([Cell::text("Rye"), Cell::text("Market"), Cell::empty()]);
    let page = table.render_plain().into_string();
    assert_eq!(
        page.matches("<th").count() - page.matches("<thead").count(),
        2,
        "{page}"
    );
    assert_eq!(page.matches("<td").count(), 2, "{page}");
    assert!(
        page.contains("<span class=\"hidden\">Actions</span>"),
        "{page}"
    );
    assert!(
        !page.contains("Place") && !page.contains("Market"),
        "{page}"
    );
}

#[test]
fn a_spreadsheet_calculates_no_text() {
    for (text, expected) in [
        ("=1+1", "'=1+1"),
        ("+31 6 1", "'+31 6 1"),
        ("-2", "'-2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "\"'\r=1\""),
        ("\n=1", "\"'\n=1\""),
        ("a=1", "a=1"),
        ("'=1", "'=1"),
    ] {
        let file = saved(table_of(vec![Cell::text(text)]), "");
        assert_eq!(file, format!("Cell,Place\n{expected},#0\n"), "{text:?}");
    }
    // Numbers are numbers, also those below zero.
    let file = saved(table_of(vec![Cell::number(-2, "−2")]), "");
    assert_eq!(file, "Cell,Place\n-2,#0\n");
}

/// A page of so many rows.
fn page_of(rows: usize, next: Option<&str>) -> Page<u8> {
    serde_json::from_value(json!({ "data": vec![7; rows], "nextCursor": next })).unwrap()
}

#[tokio::test]
async fn a_file_has_all_pages_up_to_a_limit() {
    let read = async |query: &str, sizes: &[usize]| {
        let mut cursors = Vec::new();
        let to = asked(query);
        let found = rows(&to, |cursor: Option<String>| {
            let at = cursor
                .as_deref()
                .map_or(0, |cursor| cursor.parse().unwrap());
            cursors.push(cursor);
            let next = (at + 1 < sizes.len()).then(|| (at + 1).to_string());
            let page = page_of(sizes[at], next.as_deref());
            async move { Ok(page) }
        });
        let found = found.await.map(|page| {
            let is_part = is_part(&to, page.next_cursor.as_deref());
            (page.data.len(), is_part)
        });
        (found, cursors.len())
    };
    for (query, sizes, expected) in [
        ("", &[2, 3][..], (2, true, 1)),
        ("cursor=1", &[2, 3], (3, true, 1)),
        ("", &[2], (2, false, 1)),
        ("format=csv", &[2, 0, 3], (5, false, 3)),
        ("format=csv", &[60_000, 40_000], (100_000, false, 2)),
    ] {
        let (found, read) = read(query, sizes).await;
        let (rows, is_part) = found.unwrap();
        assert_eq!((rows, is_part, read), expected, "{query} {sizes:?}");
    }
    // It stops as soon as it is too long, or was looked for too far.
    let (long, far) = (&[60_000, 40_001, 1][..], &[0; 1001][..]);
    for (sizes, expected, pages) in [
        (long, "at most 100,000 rows", 2),
        (far, "Too many rows would have to be searched", 1000),
    ] {
        let (refused, read) = read("format=csv", sizes).await;
        let problem = refused.unwrap_err().to_string();
        assert!(problem.contains(expected), "{problem}");
        assert_eq!(read, pages);
    }
    assert!(read("format=csv", &far[1..]).await.0.is_ok());
}
