//! A strict reader of Prometheus' text form.

use std::collections::BTreeMap;

/// A metric of the text.
#[derive(Debug, Default)]
pub(super) struct Metric {
    pub(super) kind: String,
    /// The samples: the whole line in front of the value, and the value.
    pub(super) samples: Vec<(Sample, f64)>,
}

/// The name and the labels of a sample.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
}

/// All metrics of a text, by name.
#[derive(Debug)]
pub(super) struct Text(pub(super) BTreeMap<String, Metric>);

impl Text {
    /// Reads a text. Each metric has its help, then its type, then at least one sample, and no sample
    /// stands twice.
    ///
    /// # Panics
    /// It is not of that form.
    pub(super) fn read(text: &str) -> Self {
        assert!(text.ends_with('\n') && !text.contains('\r'));
        let mut metrics: BTreeMap<String, Metric> = BTreeMap::new();
        let mut current = String::new();
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, help) = help.split_once(' ').unwrap();
                assert!(is_name(name) && !help.is_empty(), "{line}");
                let is_new = metrics.insert(name.to_owned(), Metric::default()).is_none();
                assert!(is_new, "{line}");
                current = name.to_owned();
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').unwrap();
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                assert_eq!(name, current, "{line}");
                metrics.get_mut(name).unwrap().kind = kind.to_owned();
            } else {
                let (sample, value) = read_sample(line);
                let metric = metrics.get_mut(&current).unwrap();
                assert_eq!(family(&sample.name, &metric.kind), current, "{line}");
                let is_new = metric.samples.iter().all(|(other, _)| *other != sample);
                assert!(is_new, "twice: {line}");
                assert!(metric.kind == "gauge" || value >= 0.0, "{line}");
                metric.samples.push((sample, value));
            }
        }
        for (name, metric) in &metrics {
            assert!(!metric.samples.is_empty(), "{name} has no sample");
            assert!(!metric.kind.is_empty(), "{name} has no type");
            assert_eq!(metric.kind == "counter", name.ends_with("_total"), "{name}");
            if metric.kind == "histogram" {
                check_histogram(name, metric);
            }
        }
        Self(metrics)
    }

    /// The sum of the samples of a metric that have these labels.
    pub(super) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let mut all = self.0.values().flat_map(|metric| &metric.samples);
        assert!(
            all.any(|(sample, _)| sample.name == name),
            "there is no {name}"
        );
        self.values(name, labels).sum()
    }

    /// By how much a counter has risen since, as Prometheus sees it: from a sample that was there.
    pub(super) fn rise_since(&self, before: &Self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let had = before.values(name, labels).count();
        assert!(had > 0, "{name} {labels:?} was not there before");
        assert_eq!(self.values(name, labels).count(), had, "{name} {labels:?}");
        self.sum(name, labels) - before.sum(name, labels)
    }

    /// The values of the samples of a metric that have these labels.
    fn values(&self, name: &str, labels: &[(&str, &str)]) -> impl Iterator<Item = f64> {
        let samples = self.0.values().flat_map(|metric| &metric.samples);
        let has = move |sample: &Sample| {
            let mut wanted = labels.iter();
            let is_in = |(label, value): &(&str, &str)| {
                sample.labels.get(*label).is_some_and(|held| held == value)
            };
            sample.name == name && wanted.all(is_in)
        };
        samples
            .filter(move |(sample, _)| has(sample))
            .map(|(_, value)| *value)
    }
}

/// The metric that a sample of this name belongs to.
fn family<'n>(name: &'n str, kind: &str) -> &'n str {
    if kind != "histogram" {
        return name;
    }
    let mut ends = ["_bucket", "_sum", "_count"].into_iter();
    ends.find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Buckets grow, end with infinity, and hold as many as the count says.
fn check_histogram(name: &str, metric: &Metric) {
    let mut buckets: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
    let mut counts = BTreeMap::new();
    for (sample, value) in &metric.samples {
        let mut labels = sample.labels.clone();
        if let Some(bound) = labels.remove("le") {
            let bound = match &*bound {
                "+Inf" => f64::INFINITY,
                bound => bound.parse().unwrap(),
            };
            buckets.entry(labels).or_default().push((bound, *value));
        } else if sample.name.ends_with("_count") {
            counts.insert(labels, *value);
        }
    }
    assert_eq!(buckets.len(), counts.len(), "{name}");
    for (labels, buckets) in buckets {
        let grows = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
        assert!(buckets.windows(2).all(grows), "{name} {labels:?}");
        let last = buckets.last().unwrap();
        assert_eq!(*last, (f64::INFINITY, counts[&labels]), "{name} {labels:?}");
    }
}

fn read_sample(line: &str) -> (Sample, f64) {
    let end = line.find(['{', ' ']).unwrap();
    let (name, mut rest) = line.split_at(end);
    assert!(is_name(name), "{line}");
    let mut labels = BTreeMap::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            let (label, value) = rest.split_once("=\"").unwrap();
            assert!(is_name(label) && !label.contains(':'), "{line}");
            let (value, behind) = value.split_once('"').unwrap();
            // Ours hold nothing that would have to be escaped.
            assert!(!value.contains('\\'), "{line}");
            assert!(labels.insert(label.to_owned(), value.to_owned()).is_none());
            if let Some(behind) = behind.strip_prefix('}') {
                rest = behind;
                break;
            }
            rest = behind.strip_prefix(',').unwrap();
        }
    }
    let value = rest.strip_prefix(' ').unwrap();
    let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
    assert!(value.is_finite(), "{line}");
    let name = name.to_owned();
    (Sample { name, labels }, value)
}

fn is_name(name: &str) -> bool {
    let is_good = |letter: char| letter.is_ascii_alphanumeric() || "_:".contains(letter);
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_good)
}
