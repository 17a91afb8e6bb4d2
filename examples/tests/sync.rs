//! `sync_catalog` against a real service: its changes, and its output.

use std::{ffi::OsStr, path::Path};

use connect_client::wire::{ImageStatus, OptionGroup};
use tokio::process::Command;

use crate::service::{Service, shipped};

/// The output of a run, and its exit code.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) progress: String,
}

impl Run {
    /// The counts of created, updated, unchanged and failed items of a kind.
    pub(crate) fn counts(&self, kind: &str) -> [usize; 4] {
        let mut lines = self.output.lines();
        let line = lines.find_map(|line| line.strip_prefix(kind)?.strip_prefix(": "));
        let mut counts = line
            .unwrap()
            .split(", ")
            .map(|count| count.split_once(' ').unwrap().0);
        [(); 4].map(|()| counts.next().unwrap().parse().unwrap())
    }
}

pub(crate) async fn sync<A: AsRef<OsStr>>(
    service: &Service,
    menu: impl AsRef<Path>,
    flags: impl IntoIterator<Item = A>,
) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sync_catalog"));
    command
        .env("CONNECT_URL", &service.url)
        .env("CONNECT_TOKEN", &service.token)
        .env_remove("CONNECT_LOCATION");
    let run = command.arg(menu.as_ref()).args(flags).output().await;
    let run = run.unwrap();
    let [output, progress] = [run.stdout, run.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!output.contains(&service.token) && !progress.contains(&service.token));
    Run {
        code: run.status.code(),
        output,
        progress,
    }
}

/// Runs with a menu and option groups of these lines.
async fn sync_groups(service: &Service, menu: &str, options: &str) -> Run {
    let options = format!(
        "groupExternalId,groupName,minSelect,maxSelect,externalId,name,priceCents\n{options}"
    );
    let options = service.file("options.csv", options);
    let menu = service.file("menu.csv", menu);
    let flags = [OsStr::new("--option-groups"), options.as_os_str()];
    sync(service, menu, flags).await
}

/// The option group with this code at the first location.
async fn group(service: &Service, external_id: &str) -> OptionGroup {
    let groups = service
        .client()
        .location(service.locations[0])
        .option_groups();
    let all = groups.stream(&Default::default()).all().await.unwrap();
    let mut all = all.into_iter();
    all.find(|group| group.external_id.as_deref() == Some(external_id))
        .unwrap()
}

const OPTIONS: &str = "SIZE,Size,1,1,S,Small,0\nSIZE,Size,1,1,L,Large,50\n\
                       MILK,Milk,0,2,OAT,Oat milk,40\nMILK,Milk,0,2,SOY,Soy milk,30\n";

#[tokio::test]
async fn the_first_run_creates_and_the_second_changes_nothing() {
    let service = Service::start().await;
    let flags = ["--option-groups".into(), shipped("options.csv")];
    let first = sync(&service, shipped("menu.csv"), &flags).await;
    assert_eq!(first.code, Some(0), "{first:?}");
    assert_eq!(
        first.output,
        "option groups: 5 created, 0 updated, 0 unchanged, 0 failed\n\
         products: 49 created, 0 updated, 0 unchanged, 0 failed\n\
         images: 17 queued\n\
         bad lines: 0 skipped\n"
    );
    assert_eq!(first.progress, "49 of 49 products\n");
    let second = sync(&service, shipped("menu.csv"), &flags).await;
    assert_eq!(second.code, Some(0), "{second:?}");
    assert_eq!(second.counts("option groups"), [0, 0, 5, 0]);
    assert_eq!(second.counts("products"), [0, 0, 49, 0]);
    assert!(second.output.contains("images: 0 queued\n"), "{second:?}");

    let bike = service.find("BK 100").await.unwrap();
    assert_eq!(bike.name, "City bike \"Dijk\", 7 gears");
    assert_eq!(
        (bike.price_cents, bike.vat_rate.hundredths()),
        (74_900, 2100)
    );
    assert_eq!(bike.image_status, Some(ImageStatus::Pending));
    let links = bike.image_url.unwrap();
    assert_eq!(links, "https://images.example/bikes/city-7.jpg");
    assert_eq!(service.find("GIFT").await.unwrap().category_id, None);
}

#[tokio::test]
async fn groups_are_linked_in_the_order_of_the_cell() {
    let service = Service::start().await;
    let menu = "externalId,name,optionGroups\nA,Coffee,SIZE|MILK\nB,Tea, MILK | SIZE \nC,Jam,\n";
    let run = sync_groups(&service, menu, OPTIONS).await;
    assert_eq!(run.code, Some(0), "{run:?}");
    let (size, milk) = (group(&service, "SIZE").await, group(&service, "MILK").await);
    assert_eq!((size.min_select, size.max_select), (1, 1));
    let options = milk.options.iter();
    let options: Vec<_> = options
        .map(|option| (option.name.as_str(), option.price_cents))
        .collect();
    assert_eq!(options, [("Oat milk", 40), ("Soy milk", 30)]);
    for (product, groups) in [
        ("A", vec![size.id, milk.id]),
        ("B", vec![milk.id, size.id]),
        ("C", vec![]),
    ] {
        let product = service.find(product).await.unwrap();
        assert_eq!(product.option_group_ids, groups);
    }
}

#[tokio::test]
async fn a_price_of_an_option_changes_its_group_alone() {
    let service = Service::start().await;
    let menu = "externalId,name,optionGroups\nA,Coffee,SIZE|MILK\n";
    sync_groups(&service, menu, OPTIONS).await;
    let before = group(&service, "MILK").await;
    let mut lines: Vec<_> = OPTIONS.lines().collect();
    // The lines of a group need not follow each other.
    lines.swap(1, 2);
    let options = lines.join("\n").replace("Oat milk,40", "Oat milk,45");
    let run = sync_groups(&service, menu, &options).await;
    assert_eq!(run.counts("option groups"), [0, 1, 1, 0], "{run:?}");
    assert_eq!(run.counts("products"), [0, 0, 1, 0]);
    let after = group(&service, "MILK").await;
    assert_eq!(after.options[0].price_cents, 45);
    assert_eq!(after.options[0].id, before.options[0].id);
    assert_eq!(after.options[1], before.options[1]);
}

#[tokio::test]
async fn a_refused_group_leaves_the_links_alone() {
    let service = Service::start().await;
    let menu = "externalId,name,optionGroups\nA,Coffee,SIZE|MILK\n";
    sync_groups(&service, menu, OPTIONS).await;
    let before = service.find("A").await.unwrap();
    // At least three of two options.
    let options = OPTIONS.replace("MILK,Milk,0,2", "MILK,Milk,3,3");
    let menu = "externalId,name,optionGroups\nA,Tea,MILK\n";
    let run = sync_groups(&service, menu, &options).await;
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(run.counts("option groups"), [0, 0, 1, 1]);
    assert!(run.output.contains("\n  line 4: minSelect: "), "{run:?}");
    let after = service.find("A").await.unwrap();
    assert_eq!(after.name, "Tea");
    assert_eq!(after.option_group_ids, before.option_group_ids);
}

#[tokio::test]
async fn a_dry_run_saves_nothing() {
    let service = Service::start().await;
    let flags = [
        "--dry-run".into(),
        "--option-groups".into(),
        shipped("options.csv"),
    ];
    for _ in 0..2 {
        let run = sync(&service, shipped("menu.csv"), &flags).await;
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(run.counts("option groups"), [5, 0, 0, 0]);
        assert_eq!(run.counts("products"), [49, 0, 0, 0]);
        assert!(run.output.ends_with("dry run: nothing was saved\n"));
    }
    assert!(service.find("BK 100").await.is_none());
}

#[tokio::test]
async fn a_long_menu_goes_in_several_requests() {
    let service = Service::start().await;
    let rows: String = (0..1100)
        .map(|n| format!("L-{n},Article {n},{n}\n"))
        .collect();
    let menu = service.file("menu.csv", format!("externalId,name,priceCents\n{rows}"));
    let run = sync(&service, &menu, [""; 0]).await;
    assert_eq!(run.counts("products"), [1100, 0, 0, 0]);
    assert_eq!(
        run.progress,
        "500 of 1100 products\n1000 of 1100 products\n1100 of 1100 products\n"
    );
    let again = sync(&service, &menu, [""; 0]).await;
    assert_eq!(again.counts("products"), [0, 0, 1100, 0]);
}

#[tokio::test]
async fn a_location_can_be_chosen() {
    let service = Service::start().await;
    let menu = service.file("menu.csv", "externalId,name\nA,Soup\n");
    let second = service.locations[1];
    let run = sync(&service, &menu, ["--location", &second.to_string()]).await;
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(service.find("A").await.is_none());
    assert!(service.find_at(second, "A").await.is_some());

    let unknown = "00000000-0000-7000-8000-000000000000";
    let run = sync(&service, &menu, ["--location", unknown]).await;
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(run.counts("products"), [0; 4]);
    assert!(
        run.progress
            .contains("sync_catalog: stopped at line 2: POST /locations/"),
        "{run:?}"
    );
    assert!(run.progress.contains(": 403 "), "{run:?}");
}
