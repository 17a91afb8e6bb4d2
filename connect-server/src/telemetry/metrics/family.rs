//! A metric with its samples, in the library's form.

use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};

/// A metric with numbers as samples.
/// It is built from current values and written once.
pub(super) struct Family(MetricFamily);

impl Family {
    /// A gauge: it goes up and down.
    pub(super) fn gauge(name: &'static str, help: &'static str) -> Self {
        Self::new(MetricType::GAUGE, name, help)
    }

    /// A counter: it only grows.
    pub(super) fn counter(name: &'static str, help: &'static str) -> Self {
        Self::new(MetricType::COUNTER, name, help)
    }

    fn new(kind: MetricType, name: &'static str, help: &'static str) -> Self {
        let mut family = MetricFamily::default();
        family.set_name(name.to_owned());
        family.set_help(help.to_owned());
        family.set_field_type(kind);
        Self(family)
    }

    /// The metric with its one sample.
    pub(super) fn of(self, value: f64) -> MetricFamily {
        self.samples(Vec::new(), value).0
    }

    /// The metric with a sample for each value of a label.
    pub(super) fn by<const N: usize>(
        self,
        label: &'static str,
        samples: [(&str, f64); N],
    ) -> MetricFamily {
        let all = samples.into_iter();
        let family = all.fold(self, |family, (value, sample)| {
            let mut pair = LabelPair::default();
            pair.set_name(label.to_owned());
            pair.set_value(value.to_owned());
            family.samples(vec![pair], sample)
        });
        family.0
    }

    fn samples(mut self, labels: Vec<LabelPair>, value: f64) -> Self {
        let mut metric = Metric::from_label(labels);
        if self.0.get_field_type() == MetricType::COUNTER {
            let mut counter = Counter::default();
            counter.set_value(value);
            metric.set_counter(counter);
        } else {
            let mut gauge = Gauge::default();
            gauge.set_value(value);
            metric.set_gauge(gauge);
        }
        self.0.mut_metric().push(metric);
        self
    }
}
