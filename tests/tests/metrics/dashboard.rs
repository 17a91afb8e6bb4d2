//! The operator's guide and the Grafana dashboard name the metrics that there are, and all of them; their
//! queries ask for labels that these have.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use connect_tests::process::Process;
use serde_json::Value;
use tempfile::tempdir;

use super::{PROGRAM, scrape, text::Sample};

fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(path)).unwrap()
}

/// The metrics of a server, and their samples.
async fn metrics() -> (BTreeSet<String>, Vec<Sample>) {
    let data = tempdir().unwrap();
    let store = data.path().join("s");
    let server = Process::start(PROGRAM, &store, &[]).await.unwrap();
    // The first one is in the figures of the second.
    scrape(&server).await;
    let text = scrape(&server).await;
    server.kill().await;
    let samples = text.0.values().flat_map(|metric| &metric.samples);
    let samples = samples.map(|(sample, _)| sample.clone()).collect();
    (text.0.into_keys().collect(), samples)
}

/// The names of metrics in a text.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let is_metric = |word: &&str| {
        let mut prefixes = ["connect_", "process_"].into_iter();
        prefixes.any(|prefix| word.starts_with(prefix))
    };
    words.filter(is_metric).map(str::to_owned).collect()
}

/// The labels that a query asks for, with the value where that is one, and that no sample of its metrics
/// has. Every sample has those that come with scraping.
fn unknown_labels(query: &str, samples: &[Sample]) -> Vec<String> {
    const SCRAPED: [&str; 2] = ["job", "instance"];
    let names = named(query);
    let mut unknown = Vec::new();
    for name in &names {
        let of_name: Vec<_> = samples.iter().filter(|s| s.name == *name).collect();
        for (at, _) in query.match_indices(&**name) {
            let Some(inside) = query[at + name.len()..].strip_prefix('{') else {
                continue;
            };
            for matcher in inside.split('}').next().unwrap().split(',') {
                let (label, rest) = matcher.split_at(matcher.find(['=', '!']).unwrap());
                let value = rest.split('"').nth(1).unwrap();
                let is_pattern = rest.contains('~');
                let mut of_label = of_name.iter().filter_map(|s| s.labels.get(label));
                if !SCRAPED.contains(&label) && !of_label.any(|held| is_pattern || held == value) {
                    unknown.push(format!("{name}{{{matcher}}}"));
                }
            }
        }
    }
    let grouped = query.split(" by (").skip(1);
    let grouped = grouped.flat_map(|rest| rest.split(')').next().unwrap().split(", "));
    let of_query = samples.iter().filter(|sample| names.contains(&sample.name));
    unknown.extend(
        grouped
            .filter(|label| !of_query.clone().any(|s| s.labels.contains_key(*label)))
            .map(|label| format!("by ({label})")),
    );
    unknown
}

#[test]
fn labels_that_no_sample_has_are_found() {
    let sample = |name: &str, value: &str| Sample {
        name: name.to_owned(),
        labels: [("state".to_owned(), value.to_owned())].into(),
    };
    let samples = [sample("connect_a", "full"), sample("connect_a_b", "empty")];
    for (query, unknown) in [
        (
            "sum by (state) (connect_a{job=~\"$job\",state=\"full\"})",
            vec![],
        ),
        (
            "connect_a{state!=\"full\"} + connect_a_b{state=~\"e.*\"}",
            vec![],
        ),
        (
            "connect_a{state=\"empty\",kind=~\".*\"}",
            vec!["connect_a{state=\"empty\"}", "connect_a{kind=~\".*\"}"],
        ),
        ("sum by (state, kind) (connect_a)", vec!["by (kind)"]),
    ] {
        assert_eq!(unknown_labels(query, &samples), unknown, "{query}");
    }
}

/// The queries in a dashboard.
fn queries(of: &Value, found: &mut Vec<String>) {
    match of {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(query) if name == "expr" => found.push(query.clone()),
                    other => queries(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| queries(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn the_guide_the_alerts_and_the_dashboard_name_what_there_is() {
    let (metrics, all) = metrics().await;
    let samples: BTreeSet<_> = all.iter().map(|sample| sample.name.clone()).collect();
    assert!(metrics.len() > 25, "{metrics:?}");
    let guide = file("docs/monitoring.md");
    let chapter = guide.split("\n## Metrics\n").nth(1).unwrap();
    let chapter = chapter.split("\n## ").next().unwrap();
    let rows = chapter.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<_> = rows.filter_map(|row| row.split('`').next()).collect();
    let documented: BTreeSet<String> = rows
        .iter()
        .filter(|name| !named(name).is_empty())
        .map(|name| name.split('{').next().unwrap().to_owned())
        .collect();
    assert_eq!(documented, metrics, "the table in the guide");

    let alerts = file("deploy/prometheus/alerts.yaml");
    let missing: Vec<_> = named(&alerts).difference(&samples).cloned().collect();
    assert!(missing.is_empty(), "alerts ask for {missing:?}");
    assert!(named(&alerts).len() >= 8, "{alerts}");
    for alert in alerts.split("- alert:") {
        assert_eq!(unknown_labels(alert, &all), [""; 0], "{alert}");
    }

    let dashboard: Value = serde_json::from_str(&file("deploy/grafana/connect.json")).unwrap();
    let mut found = Vec::new();
    queries(&dashboard["panels"], &mut found);
    assert!(found.len() >= 20, "{found:?}");
    let mut shown = BTreeSet::new();
    for query in &found {
        let names = named(query);
        assert!(!names.is_empty(), "{query}");
        assert_eq!(unknown_labels(query, &all), [""; 0], "{query}");
        shown.extend(names);
    }
    let missing: Vec<_> = shown.difference(&samples).collect();
    assert!(missing.is_empty(), "the dashboard asks for {missing:?}");
    let is_shown = |metric: &&String| {
        let mut names = shown.iter();
        names.any(|name| name == *metric || name.strip_prefix(&***metric) == Some("_bucket"))
    };
    let unseen: Vec<_> = metrics.iter().filter(|metric| !is_shown(metric)).collect();
    assert!(unseen.is_empty(), "the dashboard does not show {unseen:?}");
}

#[test]
fn the_guide_tells_what_to_do_about_each_alert() {
    let guide = file("docs/operating.md");
    let rows = guide.lines().filter(|line| line.starts_with("| `Connect"));
    let told: Vec<_> = rows
        .map(|row| (row.split('`').nth(1).unwrap(), row.contains("(later)")))
        .collect();
    let rules = file("deploy/prometheus/alerts.yaml");
    let rules = rules.split("- alert: ").skip(1);
    let alerts: Vec<_> = rules
        .map(|rule| {
            let name = rule.lines().next().unwrap();
            (name, rule.contains("severity: ticket"))
        })
        .collect();
    assert_eq!(told, alerts);
}

/// A state missing in the query was once shown as a working store.
#[tokio::test]
async fn the_panel_of_the_store_shows_each_state() {
    let (_, all) = metrics().await;
    let of_store = all.iter().filter(|s| s.name == "connect_store_state");
    let states: BTreeSet<&str> = of_store.map(|s| &*s.labels["state"]).collect();
    let dashboard: Value = serde_json::from_str(&file("deploy/grafana/connect.json")).unwrap();
    let mut panels = dashboard["panels"].as_array().unwrap().iter();
    let panel = panels.find(|panel| panel["title"] == "Store").unwrap();
    // The text that is shown for the highest of the numbers in the query.
    let texts = &panel["fieldConfig"]["defaults"]["mappings"][0]["options"];
    let query = panel["targets"][0]["expr"].as_str().unwrap();
    let terms = query.strip_prefix("max(").unwrap().split(" or ");
    let shown = terms.map(|term| {
        let number = term.split_once(" * ").map_or("1", |(number, _)| number);
        (term.split("state=\"").nth(1).unwrap(), number)
    });
    let mut shown: BTreeMap<_, _> = shown
        .map(|(state, number)| (state.split('"').next().unwrap(), number))
        .collect();
    shown.insert("working", "0");
    assert_eq!(shown.keys().copied().collect::<BTreeSet<_>>(), states);
    for (state, number) in shown {
        assert_eq!(texts[number]["text"], state);
    }
}

/// It can be imported anywhere: the source of the data is chosen there.
#[test]
fn the_dashboard_takes_any_source() {
    let dashboard: Value = serde_json::from_str(&file("deploy/grafana/connect.json")).unwrap();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let source = variables
        .iter()
        .find(|variable| variable["type"] == "datasource");
    let source = source.unwrap();
    assert_eq!(source["name"], "datasource");
    assert_eq!(source["query"], "prometheus");
    assert_eq!(dashboard["id"], Value::Null);
    let panels = dashboard["panels"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    for panel in panels {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
        assert!(!panel["title"].as_str().unwrap().is_empty());
        let place = &panel["gridPos"];
        let right = place["x"].as_u64().unwrap() + place["w"].as_u64().unwrap();
        assert!(right <= 24, "{panel}");
        if panel["type"] == "row" {
            continue;
        }
        for target in panel["targets"].as_array().unwrap() {
            assert_eq!(target["datasource"]["uid"], "${datasource}", "{panel}");
        }
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{panel}");
        assert!(
            !panel["description"].as_str().unwrap().is_empty(),
            "{panel}"
        );
    }
}
