//! What may know what. A dependency that is absent on purpose stays absent.

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
fn the_server_names_no_game() {
    let games = games();
    for (path, source) in sources("crates/server/src") {
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
