//! Reading menus, good and bad.

use connect_client::wire::{Field, ProductInput, VatRate};
use connect_examples::sync_catalog::{Menu, MenuError};

use crate::service::shipped;

const HEADER: &str = "externalId,name,category,priceCents,vatRate,barcode";

fn parse(rows: &str) -> Menu {
    Menu::parse(format!("{HEADER}\n{rows}").as_bytes()).unwrap()
}

#[test]
fn the_shipped_menu_is_good() {
    let menu = Menu::read(&shipped()).unwrap();
    assert_eq!(menu.rows.len(), 49);
    assert!(menu.bad.is_empty(), "{:?}", menu.bad);
    assert!(menu.unused.is_empty());
}

#[test]
fn a_row_says_what_its_cells_say() {
    let menu = parse("A-1,\"Tube 28\"\", Presta\", Tubes ,695,5.5,123\n");
    let expected = ProductInput {
        external_id: Field::Value("A-1".into()),
        category_name: Field::Value("Tubes".into()),
        price_cents: Field::Value(695),
        vat_rate: Field::Value(VatRate::from_hundredths(550).unwrap()),
        barcode: Field::Value("123".into()),
        ..ProductInput::named("Tube 28\", Presta")
    };
    assert_eq!(menu.rows[0].product, expected);
}

#[test]
fn empty_cells_clear_or_leave() {
    let menu = parse("A,Soup,,0,,\n");
    let expected = ProductInput {
        external_id: Field::Value("A".into()),
        category_id: Field::Null,
        price_cents: Field::Value(0),
        barcode: Field::Null,
        ..ProductInput::named("Soup")
    };
    assert_eq!(menu.rows[0].product, expected);
}

#[test]
fn vat_rates_are_read_exactly() {
    for (text, hundredths) in [
        ("0", 0),
        ("9", 900),
        ("21.0", 2100),
        ("5.5", 550),
        ("5.55", 555),
        ("100", 10_000),
        ("09.09", 909),
    ] {
        let menu = parse(&format!("A,Soup,c,1,{text},\n"));
        let rate = VatRate::from_hundredths(hundredths).unwrap();
        assert_eq!(menu.rows[0].product.vat_rate, Field::Value(rate), "{text}");
    }
}

#[test]
fn bad_cells_are_named_by_line_and_column() {
    let vat = "line 2, column vatRate: must be a percentage from 0 to 100 with at most two decimals, such as 9 or 5.5, not ";
    let price = "line 2, column priceCents: must be a whole number of cents, such as 395, not ";
    for (row, expected) in [
        (
            ",n,c,1,9,",
            "line 2, column externalId: is empty; products are known by it".to_owned(),
        ),
        (
            "  ,n,c,1,9,",
            "line 2, column externalId: is empty; products are known by it".to_owned(),
        ),
        (
            "A,,c,1,9,",
            "line 2, column name: is empty; every product has one".to_owned(),
        ),
        (
            "A,n,c,,9,",
            "line 2, column priceCents: is empty; must be a whole number of cents, such as 395"
                .to_owned(),
        ),
        ("A,n,c,3.95,9,", format!("{price}\"3.95\"")),
        ("A,n,c,€ 4,9,", format!("{price}\"€ 4\"")),
        (
            "A,n,c,99999999999999999999,9,",
            format!("{price}\"99999999999999999999\""),
        ),
        ("A,n,c,1,21%,", format!("{vat}\"21%\"")),
        ("A,n,c,1,-1,", format!("{vat}\"-1\"")),
        ("A,n,c,1,100.01,", format!("{vat}\"100.01\"")),
        ("A,n,c,1,5.555,", format!("{vat}\"5.555\"")),
        ("A,n,c,1,5.,", format!("{vat}\"5.\"")),
        ("A,n,c,1,.5,", format!("{vat}\".5\"")),
        ("A,n,c,1,+5,", format!("{vat}\"+5\"")),
        ("A,n,c,1,NaN,", format!("{vat}\"NaN\"")),
        ("A,n,c,1,99999999999,", format!("{vat}\"99999999999\"")),
        (
            "A,a\u{7}b,c,1,9,",
            "line 2, column name: has the control character '\\u{7}' in it".to_owned(),
        ),
        (
            "A,n,c,1,9",
            "line 2: has 5 cells, and the first line names 6 columns".to_owned(),
        ),
        (
            "A,n,c,1,9,,x",
            "line 2: has 7 cells, and the first line names 6 columns".to_owned(),
        ),
        (
            "A,n,c,1,9,\"1\nB,n,c,1,9,2\n",
            "line 2, column barcode: has a line end in it; is a quotation mark not closed?"
                .to_owned(),
        ),
    ] {
        let menu = parse(row);
        let bad: Vec<_> = menu.bad.iter().map(ToString::to_string).collect();
        assert_eq!(bad, [expected], "{row}");
        assert!(menu.rows.is_empty(), "{row}");
    }
}

#[test]
fn text_that_is_not_utf8_is_named() {
    let text = [HEADER.as_bytes(), b"\nA,cr\xe8me,c,1,9,\nB,n,c,1,9,\n"].concat();
    let menu = Menu::parse(&text).unwrap();
    assert_eq!(
        menu.bad[0].to_string(),
        "line 2, column name: is not UTF-8; save the file as such"
    );
    assert_eq!(menu.rows.len(), 1);
}

#[test]
fn a_code_may_stand_once() {
    let menu = parse("A,n,c,1,9,\nB,n,c,1,9,\nA,m,c,2,9,\n");
    assert_eq!(menu.rows.len(), 2);
    assert_eq!(
        menu.bad[0].to_string(),
        "line 4, column externalId: \"A\" is on line 2 already"
    );
}

#[test]
fn lines_are_counted_as_an_editor_does() {
    let rows = "\nA,n,c,1,9,\n\n\nB,\"two\nlines\",c,1,9,\nC,n,c,1,9,\nD,n,c,1\n";
    for end in ["\n", "\r\n"] {
        let text = format!("{HEADER}\n{rows}").replace('\n', end);
        let menu = Menu::parse(text.as_bytes()).unwrap();
        let lines: Vec<_> = menu.rows.iter().map(|row| row.line).collect();
        assert_eq!(lines, [3, 8], "{end:?}");
        let lines: Vec<_> = menu.bad.iter().map(|bad| bad.line).collect();
        assert_eq!(lines, [6, 9], "{end:?}");
    }
}

#[test]
fn columns_are_found_by_name() {
    let text = "\u{feff}barcode,stock,vatRate,priceCents,category,name,externalId\n1,7,9,2,c,n,A\n";
    let menu = Menu::parse(text.as_bytes()).unwrap();
    assert_eq!(menu.unused, ["stock"]);
    let product = &menu.rows[0].product;
    assert_eq!(product.barcode, Field::Value("1".into()));
    assert_eq!(product.external_id, Field::Value("A".into()));
}

#[test]
fn a_file_without_the_columns_is_no_menu() {
    let error = |text: &str| Menu::parse(text.as_bytes()).unwrap_err();
    assert!(matches!(error(""), MenuError::Empty));
    assert!(matches!(error("\n\n"), MenuError::Empty));
    assert_eq!(
        error("externalId;name\n").to_string(),
        "line 1: no column externalId, name, category, priceCents, vatRate, barcode; \
         found externalId;name",
    );
    assert_eq!(
        error("externalId,name,category,priceCents,vatRate\n").to_string(),
        "line 1: no column barcode; found externalId | name | category | priceCents | vatRate",
    );
    let twice = format!("{HEADER},name\n");
    assert_eq!(
        error(&twice).to_string(),
        "line 1: the column name is there twice"
    );
}
