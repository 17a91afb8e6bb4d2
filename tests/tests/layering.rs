//! Files import each other in no circle, and rooms only by the arrows of a table.
//!
//! The sources are read as plain text: `use` declarations, and other paths that start with `crate`,
//! `super`, `self` or a module of the file. A name that a module re-exports belongs to the file that
//! defines it, and a module that re-exports what its own child defines does not import it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The path of a module in its crate; that of `lib.rs` is empty.
type Module = Vec<String>;

/// A path that a file names.
struct Import {
    path: Vec<String>,
    /// The name that a `use` gives it; empty for a path in other code.
    name: String,
    is_public: bool,
}

impl Import {
    /// Takes a path without braces, perhaps with a name: `a::b as c`.
    fn declared(path: &str, is_public: bool) -> Self {
        let (path, name) = path.split_once(" as ").unwrap_or((path, ""));
        let path = segments(path);
        let name = match name {
            "" => path.last().cloned().unwrap_or_default(),
            name => name.to_owned(),
        };
        Self {
            path,
            name,
            is_public,
        }
    }

    /// Takes a path in code; `None` for a name alone.
    fn in_code(path: &str) -> Option<Self> {
        path.contains("::").then(|| Self {
            path: segments(path),
            name: String::new(),
            is_public: false,
        })
    }
}

/// The files of a crate, and the imports of each.
struct Crate(BTreeMap<Module, Vec<Import>>);

impl Crate {
    /// Reads a crate of the workspace.
    fn read(name: &str) -> Self {
        let files = sources(name);
        Self::of(files.iter().map(|(name, text)| (&**name, &**text)))
    }

    /// Takes the paths of files in `src`, with their texts.
    fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let module = |file: &str| {
            let mut module = segments(&file.trim_end_matches(".rs").replace('/', "::"));
            module.pop_if(|last| last == "mod" || last == "lib");
            module
        };
        let files = files.into_iter();
        let files = files.map(|(file, text)| (module(file), imports(text)));
        Self(files.collect())
    }

    /// The module that defines what a file calls `path`; `None` for what another crate does.
    fn definer(&self, file: &[String], path: &[String]) -> Option<Module> {
        let child = |of: &[String], name: &String| {
            let child = [of, std::slice::from_ref(name)].concat();
            self.0.contains_key(&child).then_some(child)
        };
        let (first, mut rest) = path.split_first()?;
        let mut place = match first.as_str() {
            "crate" => Module::new(),
            "self" => file.to_vec(),
            "super" => file.split_last()?.1.to_vec(),
            _ => child(file, first)?,
        };
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                place.pop();
            } else if let Some(child) = child(&place, name) {
                place = child;
            } else {
                let mut imports = self.0.get(&place)?.iter();
                return match imports.find(|import| import.name == *name) {
                    Some(import) => self.definer(&place, &import.path),
                    None => Some(place),
                };
            }
            rest = after;
        }
        Some(place)
    }

    /// Pairs of a file and one that it imports.
    fn arrows(&self) -> BTreeSet<(Module, Module)> {
        let mut arrows = BTreeSet::new();
        for (file, imports) in &self.0 {
            for import in imports {
                if let Some(to) = self.definer(file, &import.path)
                    && to != *file
                    && !(import.is_public && to.starts_with(file))
                {
                    arrows.insert((file.clone(), to));
                }
            }
        }
        arrows
    }

    /// The groups of files that lead to one another, each sorted.
    fn circles(&self) -> Vec<Vec<String>> {
        let mut links = BTreeMap::<_, Vec<_>>::new();
        for (from, to) in self.arrows() {
            links
                .entry(from.join("::"))
                .or_default()
                .push(to.join("::"));
        }
        circles(&links)
    }

    /// The imports of one room by another, each with a file as example.
    fn between_rooms(&self) -> BTreeMap<(String, String), String> {
        let mut between = BTreeMap::new();
        for (from, to) in self.arrows() {
            if let (Some(here), Some(there)) = (from.first(), to.first())
                && here != there
            {
                let example = format!("{} imports {}", from.join("::"), to.join("::"));
                between.insert((here.clone(), there.clone()), example);
            }
        }
        between
    }
}

/// The strongly connected parts of a graph with more than one node, by Tarjan's algorithm.
fn circles(links: &BTreeMap<String, Vec<String>>) -> Vec<Vec<String>> {
    #[derive(Default)]
    struct Walk<'a> {
        order: BTreeMap<&'a str, usize>,
        low: BTreeMap<&'a str, usize>,
        stack: Vec<&'a str>,
        found: Vec<Vec<String>>,
    }

    fn visit<'a>(node: &'a str, links: &'a BTreeMap<String, Vec<String>>, walk: &mut Walk<'a>) {
        let number = walk.order.len();
        walk.order.insert(node, number);
        walk.low.insert(node, number);
        walk.stack.push(node);
        for next in links.get(node).into_iter().flatten() {
            let reached = if walk.order.contains_key(next.as_str()) {
                walk.stack
                    .contains(&next.as_str())
                    .then(|| walk.order[next.as_str()])
            } else {
                visit(next, links, walk);
                Some(walk.low[next.as_str()])
            };
            if let Some(reached) = reached {
                let low = walk.low[node].min(reached);
                walk.low.insert(node, low);
            }
        }
        if walk.low[node] == number {
            let start = walk.stack.iter().position(|on| *on == node).unwrap();
            let mut part: Vec<_> = walk.stack.drain(start..).map(str::to_owned).collect();
            part.sort();
            if part.len() > 1 {
                walk.found.push(part);
            }
        }
    }

    let mut walk = Walk::default();
    for node in links.keys() {
        if !walk.order.contains_key(node.as_str()) {
            visit(node, links, &mut walk);
        }
    }
    walk.found
}

/// The paths that a file names, but for its tests.
fn imports(text: &str) -> Vec<Import> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let mut lines = code.lines().map(|line| line.split("//").next().unwrap());
    let mut imports = Vec::new();
    while let Some(line) = lines.next() {
        let declaration = line.trim_start().split_once("use ");
        let is_use = |before: &str| before.is_empty() || before.starts_with("pub");
        if let Some((before, tree)) = declaration.filter(|(before, _)| is_use(before)) {
            let mut tree = tree.to_owned();
            while !tree.contains(';') {
                tree += lines.next().unwrap_or(";");
            }
            let paths = leaves(tree.trim_end_matches(';'));
            let is_public = !before.is_empty();
            imports.extend(paths.iter().map(|path| Import::declared(path, is_public)));
        } else {
            // `pub(in crate::room)` imports nothing.
            let mut parts = line.split("pub(in ");
            let first = parts.next();
            let rest = parts.filter_map(|part| Some(part.split_once(')')?.1));
            for part in first.into_iter().chain(rest) {
                let paths = part.split(|c: char| !c.is_alphanumeric() && !"_:$".contains(c));
                imports.extend(paths.filter_map(Import::in_code));
            }
        }
    }
    imports
}

/// The paths in a tree of imports: `a::{b, c::{d, e}}` has three.
fn leaves(tree: &str) -> Vec<String> {
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let mut depth = 0;
    let branches = rest.rsplit_once('}').unwrap().0.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    branches
        .filter(|branch| !branch.trim().is_empty())
        .flat_map(|branch| leaves(&format!("{head}{}", branch.trim())))
        .collect()
}

/// The names in a path. `a::{self}` and `a::*` are `a`.
fn segments(path: &str) -> Vec<String> {
    let names = path.split("::").map(str::trim);
    let names = names.filter(|name| !name.is_empty() && *name != "*");
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    if names.len() > 1 {
        names.pop_if(|last| last == "self");
    }
    names
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The folders of the crates of the workspace.
pub(crate) fn members() -> Vec<String> {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let (_, members) = manifest.split_once("members = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    let members = members.split('"').skip(1).step_by(2);
    members.map(str::to_owned).collect()
}

/// The files of a crate: their paths in its `src`, and their texts.
pub(crate) fn sources(member: &str) -> Vec<(String, String)> {
    let src = workspace().join(member).join("src");
    let mut files = Vec::new();
    let mut folders = vec![src.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&src).unwrap().display().to_string();
                files.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    files
}

/// The rooms of a crate from the bottom up, each with the rooms that it imports.
type Rooms = &'static [(&'static str, &'static str)];

/// The picture of the two large crates, as ARCHITECTURE.md shows it.
const PICTURE: [(&str, Rooms); 2] = [
    (
        "connect-core",
        &[
            ("wire", ""),
            ("storage", ""),
            ("transaction", "storage wire"),
            ("rules", "transaction wire"),
            ("auth", "rules storage transaction wire"),
            ("engine", "auth rules storage transaction wire"),
            ("resources", "auth engine rules storage transaction wire"),
            ("owner", "auth engine rules storage transaction wire"),
            (
                "jobs",
                "engine owner resources rules storage transaction wire",
            ),
            (
                "integrity",
                "engine jobs owner resources rules storage transaction wire",
            ),
            ("backup", "storage transaction"),
        ],
    ),
    (
        "connect-server",
        &[
            ("net", ""),
            ("sandbox", "net"),
            ("telemetry", "net"),
            ("workers", "net"),
            ("commands", "sandbox telemetry"),
            ("dashboard", "commands net sandbox telemetry workers"),
            ("cli", "commands net sandbox telemetry workers"),
            (
                "api",
                "cli commands dashboard net sandbox telemetry workers",
            ),
            ("process", "api cli net sandbox telemetry workers"),
            ("testing", "api net"),
        ],
    ),
];

#[test]
fn files_import_each_other_in_no_circle() {
    let mut arrows = 0;
    for member in members() {
        let member = Crate::read(&member);
        arrows += member.arrows().len();
        assert_eq!(member.circles(), Vec::<Vec<String>>::new());
    }
    assert!(arrows > 500, "only {arrows} imports were found");
}

#[test]
fn rooms_import_by_the_table() {
    let guide = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    for (member, rooms) in PICTURE {
        let mut between = Crate::read(member).between_rooms();
        for (place, (room, imported)) in rooms.iter().enumerate() {
            for other in imported.split_whitespace() {
                let is_below = rooms[..place].iter().any(|(below, _)| *below == other);
                assert!(
                    is_below,
                    "{member}: {room} imports {other}, which stands above it"
                );
                let used = between.remove(&((*room).into(), other.into()));
                assert!(used.is_some(), "{member}: {room} does not import {other}");
            }
            let line = format!("{room:<12} {imported}");
            let line = line.trim_end();
            let is_shown = guide.lines().any(|shown| shown == line);
            assert!(
                is_shown,
                "ARCHITECTURE.md has no line {line:?} for {member}"
            );
        }
        let others: Vec<_> = between.into_values().collect();
        assert_eq!(others, Vec::<String>::new(), "{member}");
    }
}

/// A backend is small because it has nothing of the domain in it.
#[test]
fn storage_knows_nothing_of_the_domain() {
    for (file, text) in sources("connect-core") {
        for word in ["Product", "Category", "Location", "tombstone"] {
            let speaks = file.starts_with("storage/") && text.contains(word);
            assert!(!speaks, "{file} speaks of {word}");
        }
    }
}

/// A crate has at most twelve rooms, and no folder is there for one file.
#[test]
fn the_tree_is_read_at_a_glance() {
    for member in members() {
        let mut entries = BTreeMap::<_, BTreeSet<String>>::new();
        for (file, _) in sources(&member) {
            let mut path = Path::new(&file);
            while let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
                let name = name.to_str().unwrap().to_owned();
                entries.entry(folder.to_owned()).or_default().insert(name);
                path = folder;
            }
        }
        for (folder, entries) in entries {
            let (folder, count) = (folder.display(), entries.len());
            let is_root = folder.to_string().is_empty();
            assert!(count > 1 || is_root, "{member}: one file in {folder}");
            assert!(count <= 12 || !is_root, "{member}: {count} entries in src");
        }
    }
}

#[test]
fn a_circle_is_found_through_what_is_re_exported() {
    let shop = "mod drawer;\nmod till;\npub use {drawer::Drawer, till::Till};\n";
    let till = "use super::{\n    Drawer as Money,\n};\n";
    let files = |drawer| {
        Crate::of([
            ("lib.rs", "mod shop;\npub use shop::Till;\n"),
            ("shop/mod.rs", shop),
            ("shop/till.rs", till),
            ("shop/drawer.rs", drawer),
        ])
    };
    for circle in [
        "use crate::Till;\n",
        "pub(crate) use super::till::{self, Till};\n",
        "use crate::{\n    Other,\n    shop::{Other, Till as Register},\n};\n",
        "fn open(till: &super::Till) {}\n",
    ] {
        let found = files(circle).circles();
        assert_eq!(found, [["shop::drawer", "shop::till"]], "{circle}");
    }
    for none in [
        "use other::Till;\n",
        "// use super::Till;\n",
        "#[cfg(test)]\nmod tests {\n    use super::super::Till;\n}\n",
    ] {
        assert_eq!(files(none).circles(), Vec::<Vec<String>>::new(), "{none}");
    }

    let parent = "mod till;\nfn open() -> Money {\n    till::open()\n}\n";
    let both = Crate::of([
        ("lib.rs", "mod shop;\n"),
        ("shop/mod.rs", parent),
        ("shop/till.rs", "use super::Money;\n"),
    ]);
    assert_eq!(both.circles(), [["shop", "shop::till"]]);
}
