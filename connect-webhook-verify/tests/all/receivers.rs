//! The receivers in the documentation, run by the interpreters that are installed.

mod live;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::support::{here, vectors};

/// A language of the documentation: how its page names it and what runs it.
struct Language {
    /// Heading on the page and name in what the test prints.
    name: &'static str,
    program: &'static str,
    ending: &'static str,
}

const LANGUAGES: [Language; 3] = [
    Language {
        name: "Node",
        program: "node",
        ending: "mjs",
    },
    Language {
        name: "Python",
        program: "python3",
        ending: "py",
    },
    Language {
        name: "PHP",
        program: "php",
        ending: "php",
    },
];

impl Language {
    /// Returns whether the interpreter is there. If not, the test says so and leaves it out.
    fn is_installed(&self) -> bool {
        let found = Command::new(self.program).arg("--version").output().is_ok();
        if !found {
            println!("left out: {}, there is no {} here", self.name, self.program);
        }
        found
    }

    /// The blocks of code on the page that have a file name of this language, each with its name.
    /// A paragraph that begins with the name comes before the block.
    fn files(&self) -> BTreeMap<String, String> {
        let page = fs::read_to_string(here("docs/receivers.md")).unwrap();
        let mut parts = page.split("\n```");
        let mut files = BTreeMap::new();
        while let (Some(text), Some(block)) = (parts.next(), parts.next()) {
            let named = text.rsplit_once("\n\n`").map(|(_, named)| named);
            let name = named.and_then(|named| named.split('`').next());
            let name = name.filter(|name| name.ends_with(&format!(".{}", self.ending)));
            if let (Some(name), Some((_, code))) = (name, block.split_once('\n')) {
                files.insert(name.to_owned(), format!("{code}\n"));
            }
        }
        files
    }

    /// Writes the code to files.
    fn unpack(&self, directory: &Path) {
        for (name, code) in self.files() {
            fs::write(directory.join(name), code).unwrap();
        }
    }

    /// The path of one of these files, such as that of `verify`.
    fn file(&self, directory: &Path, name: &str) -> PathBuf {
        directory.join(name).with_extension(self.ending)
    }

    /// Runs one of the programs in `tests/receivers` with these arguments; what it prints.
    fn run(&self, program: &str, arguments: &[PathBuf]) -> String {
        let run = here("tests/receivers").join(program);
        let output = Command::new(self.program)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .arg(run.with_extension(self.ending))
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {text}{error}", self.name);
        text
    }
}

/// A directory that is gone when the test is.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn each_check_is_less_than_twenty_lines() {
    for language in LANGUAGES {
        let verify = &language.files()[&format!("verify.{}", language.ending)];
        let lines = verify.lines().filter(|line| !line.trim().is_empty());
        let lines = lines.count();
        assert!((12..20).contains(&lines), "{}: {lines}", language.name);
    }
}

#[test]
fn each_check_agrees_with_every_case() {
    let cases = vectors().cases;
    for language in LANGUAGES.into_iter().filter(Language::is_installed) {
        let directory = Directory::new(&format!("webhook-vectors-{}", language.ending));
        language.unpack(&directory.0);
        let verify = language.file(&directory.0, "verify");
        let text = language.run("vectors", &[verify, here("vectors.json")]);
        let statuses: Vec<_> = text.lines().collect();
        assert_eq!(statuses.len(), cases.len(), "{}: {text}", language.name);
        for (case, status) in cases.iter().zip(statuses) {
            assert_eq!(
                status,
                case.expect.status.to_string(),
                "{}: {}",
                language.name,
                case.name
            );
        }
        println!("{}: {} cases", language.name, cases.len());
    }
}

/// Habits from the webhooks of other services that are mistakes with these.
#[test]
fn a_receiver_with_a_usual_mistake_is_told_so() {
    const AS_SHOWN: &str = "take it as it was shown";
    const AS_IT_ARRIVED: &str = "verify takes the body as it arrived";
    const BYTES: &str = "take the bytes as they arrived";
    const NOT_DECODED: &str = "verify takes secrets as they were shown, not decoded";
    let told = [
        ("none", "taken"),
        ("parsed body", AS_IT_ARRIVED),
        ("body as text", AS_IT_ARRIVED),
        ("body printed again", BYTES),
        ("wrong secret", "is it the secret of this webhook"),
        ("secret without its prefix", AS_SHOWN),
        ("secret decoded from base64", NOT_DECODED),
        ("clock an hour ahead", "is its clock right?"),
        ("no header", "there is no Service-Signature header"),
    ];
    let languages = LANGUAGES.into_iter().filter(|it| it.name != "PHP");
    for language in languages.filter(Language::is_installed) {
        let directory = Directory::new(&format!("webhook-mistakes-{}", language.ending));
        language.unpack(&directory.0);
        let files = ["verify", "explain"].map(|name| language.file(&directory.0, name));
        let text = language.run("mistakes", &files);
        assert_eq!(text.lines().count(), told.len(), "{}", language.name);
        for ((mistake, says), line) in told.iter().zip(text.lines()) {
            let said = line.strip_prefix(&format!("{mistake}: ")).unwrap();
            assert!(said.contains(says), "{}: {line}", language.name);
        }
    }
}
