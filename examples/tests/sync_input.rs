//! Menus for `sync_catalog`, good and bad.

use crate::{
    service::Service,
    sync::{Run, sync},
};

const NO_FLAGS: [&str; 0] = [];

async fn sync_text(service: &Service, menu: impl AsRef<[u8]>, flags: &[&str]) -> Run {
    let menu = service.file("menu.csv", menu);
    sync(service, menu, flags).await
}

#[tokio::test]
async fn a_price_list_of_six_columns_is_enough() {
    let service = Service::start().await;
    let menu = "externalId,name,category,priceCents,vatRate,barcode\n\
                BB-001,Bread,Bread,345,9,2900000000377\n\
                BB-004,Jam,Cakes and sweets,140,5.5,2900000001480\n";
    let run = sync_text(&service, menu, &[]).await;
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.counts("products"), [2, 0, 0, 0]);
    let jam = service.find("BB-004").await.unwrap();
    assert_eq!((jam.price_cents, jam.vat_rate.hundredths()), (140, 550));
    assert_eq!(jam.barcode.as_deref(), Some("2900000001480"));
    let run = sync_text(&service, menu, &[]).await;
    assert_eq!(run.counts("products"), [0, 0, 2, 0]);
}

#[tokio::test]
async fn no_column_leaves_a_field_alone_and_an_empty_cell_clears_it() {
    let service = Service::start().await;
    let options = service.file(
        "options.csv",
        "groupExternalId,groupName,minSelect,maxSelect,externalId,name,priceCents\n\
         SIZE,Size,1,1,S,Small,0\n",
    );
    let menu = "externalId,name,category,priceCents,vatRate,barcode,imageUrl,optionGroups\n\
                A,Soup,Lunch,500,5.5,123,https://images.example/soup.jpg,SIZE\n";
    let flags = ["--option-groups", options.to_str().unwrap()];
    let run = sync_text(&service, menu, &flags).await;
    assert!(run.output.contains("images: 1 queued\n"), "{run:?}");
    let full = service.find("A").await.unwrap();

    let run = sync_text(&service, "priceCents,externalId\n525,A\n", &[]).await;
    assert_eq!(run.counts("products"), [0, 1, 0, 0], "{run:?}");
    let cheaper = service.find("A").await.unwrap();
    assert_eq!(cheaper.price_cents, 525);
    assert_eq!(
        (&cheaper.name, &cheaper.barcode, &cheaper.image_url),
        (&full.name, &full.barcode, &full.image_url)
    );
    assert_eq!(cheaper.category_id, full.category_id);
    assert_eq!(cheaper.option_group_ids, full.option_group_ids);
    assert_eq!(
        (full.option_group_ids.len(), full.category_id.is_some()),
        (1, true)
    );

    let menu = "externalId,category,vatRate,barcode,imageUrl,optionGroups\nA,,,,,\n";
    let run = sync_text(&service, menu, &[]).await;
    assert_eq!(run.counts("products"), [0, 1, 0, 0], "{run:?}");
    let bare = service.find("A").await.unwrap();
    assert_eq!(
        (bare.category_id, bare.barcode, bare.image_url),
        (None, None, None)
    );
    assert!(bare.option_group_ids.is_empty());
    assert_eq!((bare.price_cents, bare.vat_rate), (525, full.vat_rate));
}

#[tokio::test]
async fn bad_lines_are_named_and_nothing_is_sent() {
    let service = Service::start().await;
    for (row, problem) in [
        ("B,n,c,3.95,9,", "line 3, column priceCents: \"3.95\": "),
        ("B,n,c,,9,", "line 3, column priceCents: \"\": "),
        ("B,n,c,1,21%,", "line 3, column vatRate: \"21%\": must be "),
        ("B,n,c,1,NaN,", "line 3, column vatRate: \"NaN\": must be "),
        (
            "A,n,c,1,9,",
            "line 3, column externalId: \"A\" is there twice",
        ),
        ("B,n,c,1,9", "line 3, "),
        ("B,\"n,c,1,9,\nC,n,c,1,9,\n", "line 3, "),
        (
            "B,n,c,1,9,X",
            "line 3, column optionGroups: there is no group \"X\"",
        ),
        ("\n\nB,n,c,x,9,", "line 5, column priceCents: "),
    ] {
        let header = "externalId,name,category,priceCents,vatRate,optionGroups";
        let menu = format!("\u{feff}{header}\nA,Soup,Lunch,500,9,\n{row}\n");
        for menu in [menu.replace('\n', "\r\n"), menu] {
            let run = sync_text(&service, &menu, &[]).await;
            assert_eq!(run.code, Some(2), "{run:?}");
            assert_eq!(run.output, "");
            let bad = format!("menu.csv: {problem}");
            assert!(run.progress.contains(&bad), "{row}: {run:?}");
            let end = "sync_catalog: 1 bad lines, nothing was sent\n";
            assert!(run.progress.ends_with(end), "{run:?}");
        }
    }
    assert!(service.find("A").await.is_none());
}

#[tokio::test]
async fn the_good_lines_go_if_asked() {
    let service = Service::start().await;
    let menu = "externalId,name,priceCents\nA,Soup,500\nB,Tea,two\n";
    let run = sync_text(&service, menu, &["--skip-bad"]).await;
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(run.counts("products"), [1, 0, 0, 0]);
    assert!(run.output.contains("bad lines: 1 skipped\n"), "{run:?}");
    assert!(
        run.progress.contains("menu.csv: line 3, column priceCents"),
        "{run:?}"
    );
    assert!(service.find("A").await.is_some());
}

#[tokio::test]
async fn options_are_never_skipped() {
    let service = Service::start().await;
    let options = service.file(
        "options.csv",
        "groupExternalId,groupName,minSelect,maxSelect,externalId,name,priceCents\n\
         SIZE,Size,1,1,S,Small,0\nSIZE,Size,1,1,L,Large,free\n",
    );
    let flags = ["--skip-bad", "--option-groups", options.to_str().unwrap()];
    let run = sync_text(&service, "externalId,name\nA,Soup\n", &flags).await;
    assert_eq!((run.code, run.output.as_str()), (Some(2), ""), "{run:?}");
    let bad = "options.csv: line 3, column priceCents: \"free\": ";
    assert!(run.progress.contains(bad), "{run:?}");
    assert!(service.find("A").await.is_none());
}

#[tokio::test]
async fn refused_items_are_told_by_line_and_the_others_saved() {
    let service = Service::start().await;
    let menu = "externalId,name,priceCents\nA,Soup,500\n\nB#,Tea,250\nC,Jam,-1\nD,,1\n";
    for counts in [[1, 0, 0, 3], [0, 0, 1, 3]] {
        let run = sync_text(&service, menu, &[]).await;
        assert_eq!(run.code, Some(1), "{run:?}");
        assert_eq!(run.counts("products"), counts);
        for refused in [
            "\n  line 4: externalId: ",
            "\n  line 5: priceCents: ",
            "\n  line 6: name: ",
        ] {
            assert!(run.output.contains(refused), "{run:?}");
        }
    }
}

#[tokio::test]
async fn a_file_that_is_no_menu_stops_the_run() {
    let service = Service::start().await;
    let run = sync(&service, "no/such/menu.csv", NO_FLAGS).await;
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.progress.starts_with("sync_catalog: no/such/menu.csv: "),
        "{run:?}"
    );
    let run = sync_text(&service, b"externalId,name\nA,cr\xe8me\n", &[]).await;
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.progress.contains("UTF-8"), "{run:?}");
    let run = sync_text(&service, "externalId;name\nA;Soup\n", &[]).await;
    assert_eq!(run.code, Some(2), "{run:?}");
    let unknown = "line 2, unknown field `externalId;name`, expected one of `externalId`, ";
    assert!(run.progress.contains(unknown), "{run:?}");
    let run = sync_text(&service, "name\nSoup\n", &[]).await;
    assert_eq!(run.code, Some(2), "{run:?}");
    let missing = "line 2, missing field `externalId`";
    assert!(run.progress.contains(missing), "{run:?}");
}
