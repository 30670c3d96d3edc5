//! The README's own calls, executed: what it shows is what is answered.

use serde_json::Value;

use crate::support::{contains, over_http, text};

/// A call of the README: the words of the command, and the answer that it shows.
struct Call {
    words: Vec<String>,
    answer: String,
}

/// Every `sh` block that calls curl, with the `json` block after it.
fn calls() -> Vec<Call> {
    let readme = text("README.md");
    let mut blocks = Vec::new();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((language.to_owned(), body.join("\n")));
        }
    }
    let mut calls = Vec::new();
    for (index, (language, body)) in blocks.iter().enumerate() {
        if language == "sh" && body.trim_start().starts_with("curl") {
            let (kind, answer) = blocks.get(index + 1).expect("a curl without an answer");
            assert_eq!(kind, "json", "the answer to {body}");
            calls.push(Call { words: shell_words::split(body).unwrap(), answer: answer.clone() });
        }
    }
    calls
}

#[test]
fn every_call_is_answered_as_shown() {
    let calls = calls();
    assert!(calls.len() >= 5, "the README shows {} calls", calls.len());
    for Call { words, answer } in calls {
        let (mut headers, mut data, mut url) = (Vec::new(), None, None);
        let mut words = words.iter().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "-s" | "-i" => {}
                "--json" => {
                    headers.push(("content-type", "application/json"));
                    data = words.next();
                }
                "-H" => {
                    let (name, value) = words.next().unwrap().split_once(": ").unwrap();
                    headers.push((name, value));
                }
                "-d" => data = words.next(),
                address => url = Some(address),
            }
        }
        let path = url.unwrap().strip_prefix("http://localhost:8080").expect("the README calls its own service");
        let method = if data.is_some() { "POST" } else { "GET" };
        let found = over_http(method, path, &headers, data.cloned().unwrap_or_default());
        // A fresh seed is not shown; all that is shown must be there.
        let shown: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        assert!(contains(&found.json(), &shown), "{path}\nshown: {shown:#}\nfound: {:#}", found.json());
    }
}
