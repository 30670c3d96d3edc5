//! What may know what. A dependency that is absent on purpose stays absent.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{files, text, top};

fn sources(folder: &str) -> Vec<(String, String)> {
    let named = |path: std::path::PathBuf| (path.strip_prefix(top()).unwrap().display().to_string(), text(&path));
    files(folder, ".rs").into_iter().map(named).collect()
}

fn games() -> Vec<String> {
    let list = text("crates/rules/src/rulesets/mod.rs");
    list.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).map(str::to_owned).collect()
}

#[test]
fn a_ruleset_sees_neither_another_ruleset_nor_odds() {
    let games = games();
    assert!(!games.is_empty());
    for game in &games {
        for (path, source) in sources(&format!("crates/rules/src/rulesets/{game}")) {
            assert!(!source.contains("crate::odds"), "{path} sees odds");
            for other in games.iter().filter(|other| *other != game) {
                assert!(!source.contains(&format!("{other}::")), "{path} sees {other}");
            }
            for line in source.lines().filter_map(|line| line.trim().strip_prefix("use crate::")) {
                let module: String =
                    line.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
                let known = ["ruleset", "tray", "dice", "dice_text", "check", "words"].contains(&module.as_str());
                assert!(known || line.starts_with("{") || module.is_empty(), "{path} sees {module}");
            }
        }
    }
}

#[test]
fn rules_know_no_json_no_network_no_clock_no_randomness_and_no_float() {
    let manifest = text("crates/rules/Cargo.toml");
    for dependency in ["serde_json", "axum", "tokio", "rand", "hyper", "reqwest"] {
        assert!(!manifest.contains(dependency), "rules depend on {dependency}");
    }
    for (path, source) in sources("crates/rules/src") {
        for word in ["serde_json", "std::time", "std::net", "std::fs", "async ", "f64", "f32", "rand::"] {
            assert!(!source.contains(word), "{path} mentions {word}");
        }
    }
}

#[test]
fn the_api_knows_no_http_no_clock_no_thread_and_no_randomness_of_its_own() {
    let manifest = text("crates/api/Cargo.toml");
    for dependency in ["axum", "hyper", "http", "tokio", "tower", "getrandom", "thread_rng"] {
        let named = |line: &str| line.starts_with(dependency) || line.contains(&format!("\"{dependency}\""));
        assert!(!manifest.lines().any(named), "the api depends on {dependency}");
    }
    for (path, source) in sources("crates/api/src") {
        for word in
            ["std::time", "std::thread", "std::net", "std::fs", "std::env", "async ", "rand::random", "rand::rng("]
        {
            assert!(!source.contains(word), "{path} mentions {word}");
        }
    }
}

#[test]
fn neither_the_api_nor_the_server_names_a_game() {
    let games = games();
    for (path, source) in sources("crates/api/src").into_iter().chain(sources("crates/server/src")) {
        // Examples in the texts of the document name one; code does not.
        let code = source.lines().filter(|line| !line.contains("example"));
        for line in code {
            assert!(
                !games.iter().any(|game| line.contains(&format!("\"{game}")) || line.contains(&format!("{game}::"))),
                "{path}: {line}"
            );
        }
    }
}

/// The name of the module that a file of a crate is: `http::guard` for `src/http/guard.rs`, nothing for `src/lib.rs`.
fn module(path: &str) -> String {
    let (_, inside) = path.split_once("/src/").unwrap();
    let name = inside.trim_end_matches(".rs").trim_end_matches("/mod");
    if name == "lib" { String::new() } else { name.replace('/', "::") }
}

/// The paths that a piece of a `use` names, groups taken apart: `a::{b, c::d}` names `a::b` and `a::c::d`.
fn named(tree: &str, before: &str, found: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    let mut pieces = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&tree[start..]);
    for piece in pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()) {
        match piece.split_once('{') {
            Some((path, group)) => {
                named(group.trim_end().strip_suffix('}').unwrap(), &format!("{before}{path}"), found)
            }
            None => found.push(format!("{before}{}", piece.split(" as ").next().unwrap().trim_end_matches("::self"))),
        }
    }
}

/// What a file's code names, counted from the crate's root: in its imports and in between.
fn paths(own: &str, source: &str) -> Vec<String> {
    // To tests inside a file, the module above is the file itself.
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    // An import begins a line; elsewhere, "use " may stand in a sentence.
    let begins = |at: &usize| {
        let before = code[..*at].rsplit('\n').next().unwrap_or_default().trim();
        before.is_empty() || before.starts_with("pub")
    };
    for at in code.match_indices("use ").map(|(at, _)| at).filter(begins) {
        named(code[at + "use ".len()..].split(';').next().unwrap_or_default(), "", &mut found);
    }
    let in_a_path = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
    found.extend(code.split(|letter| !in_a_path(letter)).filter(|word| word.contains("::")).map(str::to_owned));
    let own: Vec<&str> = own.split("::").filter(|part| !part.is_empty()).collect();
    let absolute = |path: String| {
        let up = path.split("::").take_while(|part| *part == "super").count();
        // What begins otherwise may be a module inside this one; if not, no module has such a name.
        let above = if path.starts_with("crate::") { 0 } else { own.len().saturating_sub(up) };
        let down = path.split("::").skip_while(|part| ["crate", "self", "super"].contains(part));
        own.iter().take(above).copied().chain(down).collect::<Vec<_>>().join("::")
    };
    found.into_iter().map(|path| path.replacen("self::super", "super", 1)).map(absolute).collect()
}

/// Which module takes from which, in one crate. A path belongs to the longest module that it begins with.
fn imports(files: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<String> = files.iter().map(|(path, _)| module(path)).collect();
    let owner = |path: String| {
        let mut parts: Vec<&str> = path.split("::").collect();
        while !parts.is_empty() && !modules.contains(&parts.join("::")) {
            parts.pop();
        }
        parts.join("::")
    };
    let taken = |path: &str, source: &str| {
        let own = module(path);
        let taken = paths(&own, source).into_iter().map(owner).filter(|taken| *taken != own).collect();
        (own, taken)
    };
    files.iter().map(|(path, source)| taken(path, source)).collect()
}

/// A way from a module back to itself, if there is one.
fn circle(imports: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    /// Goes on from the end of `way`. What led nowhere once need not be gone again.
    fn walk(imports: &BTreeMap<String, BTreeSet<String>>, way: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        let here = way.last().unwrap().clone();
        for next in imports.get(&here).into_iter().flatten() {
            if let Some(start) = way.iter().position(|module| module == next) {
                way.drain(..start);
                way.push(next.clone());
                return true;
            }
            if !done.contains(next) {
                way.push(next.clone());
                if walk(imports, way, done) {
                    return true;
                }
                way.pop();
            }
        }
        done.insert(here);
        false
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|start| {
        let mut way = vec![start.clone()];
        walk(imports, &mut way, &mut done).then_some(way)
    })
}

#[test]
fn no_files_take_from_one_another_in_a_circle() {
    // A game's `mod.rs` gathers its own files, and they take its types: no circle that anyone goes round.
    let games = games();
    let gathers = |path: &str| games.iter().any(|game| path.ends_with(&format!("/rulesets/{game}/mod.rs")));
    for name in ["rules", "api", "server"] {
        let files: Vec<_> =
            sources(&format!("crates/{name}/src")).into_iter().filter(|(path, _)| !gathers(path)).collect();
        let imports = imports(&files);
        assert!(imports.values().any(|taken| taken.len() > 2), "no imports were found in {name}");
        assert_eq!(circle(&imports), None, "crates/{name}");
    }
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let found = |files: &[(&str, &str)]| {
        let files: Vec<_> =
            files.iter().map(|(path, source)| (format!("x/src/{path}"), (*source).to_owned())).collect();
        circle(&imports(&files))
    };
    let ends_where_it_begins =
        |way: Option<Vec<String>>| way.is_some_and(|way| way.len() > 1 && way.first() == way.last());
    let b = ("b.rs", "use crate::c::{self, D};");
    assert_eq!(found(&[("a.rs", "use crate::{b::B, c};"), b, ("c.rs", "// use crate::a::A;\nuse std::fmt;")]), None);
    for c in [
        "use crate::{x, a::{A, B as C}};",
        "use super::a;",
        "use self::super::{\n    a::A,\n};",
        "fn c() { crate::a::a() }",
    ] {
        assert!(ends_where_it_begins(found(&[("a.rs", "use crate::{b::B, c};"), b, ("c.rs", c)])), "{c}");
    }
    assert!(ends_where_it_begins(found(&[("lib.rs", "use crate::a::A;"), ("a.rs", "use crate::Root;")])));
    assert!(ends_where_it_begins(found(&[
        ("d/a.rs", "use super::b::B;"),
        ("d/b.rs", "use crate::d::a::A;"),
        ("d/mod.rs", "")
    ])));
}
