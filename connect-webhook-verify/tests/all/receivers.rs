//! The receivers in the documentation, run by the interpreters that are installed.

mod live;

use std::{
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

    /// The two blocks of code under the language's heading: the check and the server.
    fn code(&self) -> [String; 2] {
        let page = fs::read_to_string(here("docs/receivers.md")).unwrap();
        let (_, section) = page.split_once(&format!("\n## {}\n", self.name)).unwrap();
        let mut blocks = section.split("\n```");
        [(); 2].map(|()| {
            let block = blocks.nth(1).unwrap();
            block.split_once('\n').unwrap().1.to_owned() + "\n"
        })
    }

    /// Writes the code to files and gives the paths of the check and the server.
    fn unpack(&self, directory: &Path) -> [PathBuf; 2] {
        let [verify, server] = self.code();
        [("verify", verify), ("server", server)].map(|(name, code)| {
            let path = directory.join(name).with_extension(self.ending);
            fs::write(&path, code).unwrap();
            path
        })
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
fn each_check_is_about_fifteen_lines() {
    for language in LANGUAGES {
        let [verify, _] = language.code();
        let lines = verify
            .lines()
            .filter(|line| !line.trim().is_empty())
            .count();
        assert!(
            (12..=18).contains(&lines),
            "{}: {lines} lines",
            language.name
        );
    }
}

#[test]
fn each_check_agrees_with_every_case() {
    let cases = vectors().cases;
    for language in LANGUAGES.into_iter().filter(Language::is_installed) {
        let directory = Directory::new(&format!("webhook-vectors-{}", language.ending));
        let [verify, _] = language.unpack(&directory.0);
        let run = here("tests/receivers/vectors").with_extension(language.ending);
        let output = Command::new(language.program)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .arg(run)
            .arg(verify)
            .arg(here("vectors.json"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {text}{error}", language.name);

        let statuses: Vec<_> = text.lines().collect();
        assert_eq!(statuses.len(), cases.len(), "{}: {error}", language.name);
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
