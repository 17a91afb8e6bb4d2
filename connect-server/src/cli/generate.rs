//! The hidden command `generate`: man pages and completions, for packages.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
};

use clap::{ArgMatches, Command, FromArgMatches as _, Subcommand, error::ErrorKind};
use clap_complete::Shell;

/// The name of the command.
pub(super) const NAME: &str = "generate";

#[derive(Debug, Subcommand)]
enum Generate {
    /// Write the man page of the program, and that of each command, into a folder.
    Man {
        /// The folder. It is made if it is missing.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// The command beside those of [`Arguments`](super::Arguments).
/// Neither help nor man pages nor completions have it.
pub(super) fn command() -> Command {
    Generate::augment_subcommands(Command::new(NAME).hide(true).subcommand_required(true))
}

/// Writes the texts about a command line.
pub(super) fn run(matches: &ArgMatches, mut described: Command) -> Result<(), clap::Error> {
    let written = match Generate::from_arg_matches(matches)? {
        Generate::Man { folder } => fs::create_dir_all(&folder).and_then(|()| {
            // The commit is of no use in a page, and would make each build another.
            let described = described.clone().version(env!("CARGO_PKG_VERSION"));
            clap_mangen::generate_to(described, folder)
        }),
        Generate::Completions { shell } => {
            let (name, mut text) = (described.get_name().to_owned(), Vec::new());
            clap_complete::generate(shell, &mut described, name, &mut text);
            io::stdout().lock().write_all(&text)
        }
    };
    written.map_err(|reason| described.error(ErrorKind::Io, reason))
}
