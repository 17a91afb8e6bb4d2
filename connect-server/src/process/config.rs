//! `connect-server config`: the settings in force, their sources, and warnings.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use serde_json::json;

use super::warnings::{self, ProcessInfo};
use crate::cli::{ConfigOptions, Options, Setting, Source};

/// Prints the settings.
///
/// # Errors
/// Standard output could not be written.
pub(crate) fn run(config: &ConfigOptions) -> io::Result<ExitCode> {
    let options = &config.options;
    let in_force = |setting: &Setting| Setting {
        value: shown(options, setting),
        ..setting.clone()
    };
    let settings: Vec<_> = config.settings.iter().map(in_force).collect();
    let warnings = warnings::of(options, false, ProcessInfo::find());
    let mut output = io::stdout().lock();
    if options.json {
        let result = json!({ "settings": settings, "warnings": warnings });
        writeln!(output, "{result}")?;
    } else {
        write!(output, "{}", text(&settings, &warnings))?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the value of a setting, if it has one.
fn shown(options: &Options, setting: &Setting) -> Option<String> {
    // The address of a database is a secret in part.
    if setting.flag == "--storage" {
        return options.store.choice().ok().map(|choice| choice.to_string());
    }
    setting.value.clone().or_else(|| unset(options, setting))
}

/// Returns the default of an unset setting, if any.
fn unset(options: &Options, setting: &Setting) -> Option<String> {
    let choice = options.store.choice().ok();
    match &*setting.flag {
        "--data" => {
            let folder = options.store.data_folder().ok()?;
            Some(folder.display().to_string())
        }
        "--images" => Some(options.image_place(&choice?).to_string()),
        "--delivery-interval" => Some(options.webhooks.interval(false).as_secs().to_string()),
        _ => None,
    }
}

/// For people: a line for each setting, and one for each warning.
fn text(settings: &[Setting], warnings: &[String]) -> String {
    let shown = |setting: &Setting| setting.value.clone().unwrap_or_else(|| "none".to_owned());
    let width = |text: &dyn Fn(&Setting) -> String| {
        let lengths = settings.iter().map(|setting| text(setting).chars().count());
        lengths.max().unwrap_or_default()
    };
    let (flags, values) = (width(&|setting| setting.flag.clone()), width(&shown));
    let mut text = String::new();
    for setting in settings {
        let source = match setting.source {
            Source::Flag => "flag",
            Source::Environment => &setting.variable,
            Source::Default => "default",
        };
        let (flag, value) = (&setting.flag, shown(setting));
        text.push_str(&format!("{flag:<flags$}  {value:<values$}  {source}\n"));
    }
    for warning in warnings {
        text.push_str(&format!("\nWarning: {warning}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::serve;

    #[test]
    fn an_unset_setting_is_shown_with_its_default() {
        let options = serve(&["--storage", "redb:/srv/shop"]).unwrap();
        let shown = |flag: &str| {
            let setting = Setting {
                flag: flag.to_owned(),
                variable: String::new(),
                value: None,
                source: Source::Default,
            };
            shown(&options, &setting)
        };
        assert_eq!(shown("--images").as_deref(), Some("/srv/images"));
        assert_eq!(shown("--delivery-interval").as_deref(), Some("60"));
        assert!(shown("--data").unwrap().ends_with("/connect"));
        assert_eq!(shown("--tls-cert"), None);
    }
}
