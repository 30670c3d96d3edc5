//! The rule books' truth: each case in `cases/` in process and over HTTP.

use std::collections::BTreeSet;

use dashu_ratio::RBig;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Answer, Asked, contains, files, get, over_http, post, schema, schema_names, send, text};

/// A sentence of the rule book, and what must come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The sentence.
    pub name: String,
    /// The rules and readings that it rests on.
    pub cites: Vec<String>,
    /// What is asked: `damage`, or `damage/odds`.
    pub verb: String,
    /// The request, all but `ruleset`.
    pub request: Value,
    /// What the reply contains.
    #[serde(default)]
    expect: Option<Value>,
    /// The problem that is answered instead.
    #[serde(default)]
    problem: Option<String>,
    /// The places of its faults.
    #[serde(default)]
    pub fails: Vec<String>,
    /// Exact chances of outcomes.
    #[serde(default)]
    chances: Vec<Chance>,
    /// Means of numbers.
    #[serde(default)]
    means: std::collections::BTreeMap<String, f64>,
    /// Exact chances by the end of a round.
    #[serde(default)]
    rounds: Vec<Round>,
    /// The game, by the folder.
    #[serde(skip)]
    pub ruleset: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chance {
    of: Value,
    is: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Round {
    round: u64,
    #[serde(default)]
    event: Option<Value>,
    #[serde(default)]
    ended: bool,
    is: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// Every case of every game.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in files("tests/cases", ".toml") {
        let ruleset = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let file: File = toml::from_str(&text(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        cases.extend(file.case.into_iter().map(|case| Case { ruleset: ruleset.to_owned(), ..case }));
    }
    cases
}

impl Case {
    /// The request as it is sent.
    pub fn ask(&self) -> Asked {
        let mut body = self.request.clone();
        body["ruleset"] = json!(self.ruleset);
        Asked { verb: self.verb.clone(), body }
    }

    fn label(&self) -> String {
        format!("{} {}: {}", self.ruleset, self.verb, self.name)
    }

    /// Everything that the answer lacks.
    fn judge(&self, answer: &Answer) -> Vec<String> {
        let mut faults = Vec::new();
        let mut fail =
            |what: String| faults.push(format!("{}\n    {what}\n    answer: {}", self.label(), answer.text()));
        if let Some(problem) = self.problem.as_deref().or((!self.fails.is_empty()).then_some("invalid")) {
            if answer.problem().as_deref() != Some(problem) {
                fail(format!("expected the problem {problem}"));
            } else if !self.fails.is_empty() {
                let (found, wanted): (BTreeSet<_>, BTreeSet<_>) =
                    (answer.pointers().into_iter().collect(), self.fails.iter().cloned().collect());
                if found != wanted {
                    fail(format!("expected faults at {wanted:?}"));
                }
            }
            if let Some(expect) = &self.expect
                && !contains(&answer.json(), expect)
            {
                fail(format!("expected {expect}"));
            }
            return faults;
        }
        if answer.status != 200 {
            fail("expected an answer".to_owned());
            return faults;
        }
        let reply = answer.json();
        if let Some(expect) = &self.expect
            && !contains(&reply, expect)
        {
            fail(format!("expected {expect}"));
        }
        for chance in &self.chances {
            let told = reply["outcomes"].as_array().into_iter().flatten().filter(|told| contains(told, &chance.of));
            let sum = told.map(|told| exact(&told["exact"])).fold(RBig::ZERO, |sum, chance| sum + chance);
            if sum != fraction(&chance.is) {
                fail(format!("expected {} for {}, but is {sum}", chance.is, chance.of));
            }
        }
        for (number, mean) in &self.means {
            let told = reply["numbers"][number]["mean"].as_f64();
            if told.is_none_or(|told| (told - mean).abs() > 1e-6) {
                fail(format!("expected the mean {mean} for {number}, but is {told:?}"));
            }
        }
        for wanted in &self.rounds {
            let round = reply["rounds"].as_array().into_iter().flatten().find(|round| round["round"] == wanted.round);
            let Some(round) = round else {
                fail(format!("expected a round {}", wanted.round));
                continue;
            };
            let told = match &wanted.event {
                Some(event) => {
                    let events = round["events"].as_array().into_iter().flatten();
                    let told = events.filter(|told| contains(&told["event"], event)).map(|told| exact(&told["exact"]));
                    told.fold(RBig::ZERO, |sum, chance| sum + chance)
                }
                None => exact(&round["ended"]["exact"]),
            };
            if told != fraction(&wanted.is) || (wanted.event.is_none() != wanted.ended) {
                fail(format!("expected {} in round {}, but is {told}", wanted.is, wanted.round));
            }
        }
        let says =
            self.expect.is_some() || !self.chances.is_empty() || !self.means.is_empty() || !self.rounds.is_empty();
        if !says {
            fail("the case expects nothing".to_owned());
        }
        faults
    }
}

fn exact(told: &Value) -> RBig {
    fraction(told.as_str().unwrap_or_else(|| panic!("no exact chance: {told}")))
}

fn fraction(text: &str) -> RBig {
    text.parse().unwrap_or_else(|_| panic!("{text} is no fraction"))
}

fn fail_all(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_case_holds_in_process_and_over_http() {
    let mut faults = Vec::new();
    for case in all() {
        let ask = case.ask();
        let path = format!("/{}", ask.verb);
        let headers = [("content-type", "application/json"), ("x-request-id", "case")];
        let answer = send("POST", &path, &headers, ask.body.to_string());
        faults.extend(case.judge(&answer));
        let sent = over_http("POST", &path, &headers, ask.body.to_string());
        if sent.status != answer.status || (answer.json()["seed"].is_null() && sent.body != answer.body) {
            faults.push(format!("{}: in process and over HTTP differ", case.label()));
        }
    }
    fail_all(&faults);
}

#[test]
fn every_case_that_succeeds_fits_the_published_schemas() {
    let mut faults = Vec::new();
    for case in all() {
        let ask = case.ask();
        let answer = post(&format!("/{}", ask.verb), &ask.body);
        if answer.status != 200 {
            continue;
        }
        let (request, reply) = schema_names(&ask.verb, &case.ruleset);
        for (name, value) in [(request, &ask.body), (reply, &answer.json())] {
            faults.extend(schema(&name).iter_errors(value).map(|error| format!("{}: {name}: {error}", case.label())));
        }
    }
    fail_all(&faults);
}

#[test]
fn every_name_is_one_sentence_and_unique() {
    let mut seen = BTreeSet::new();
    for case in all() {
        assert!(seen.insert((case.ruleset.clone(), case.name.clone())), "twice: {}", case.label());
    }
}

#[test]
fn cases_cite_what_the_games_publish_and_every_reading_is_cited() {
    let mut faults = Vec::new();
    let cases = all();
    for game in get("/rulesets").json()["rulesets"].as_array().unwrap() {
        let id = game["id"].as_str().unwrap();
        let page = get(&format!("/rulesets/{id}")).json();
        let ids = |list: &str| -> BTreeSet<String> {
            page[list].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
        };
        let (rules, readings) = (ids("rules"), ids("readings"));
        let mine: Vec<_> = cases.iter().filter(|case| case.ruleset == id).collect();
        let cited: BTreeSet<String> = mine.iter().flat_map(|case| case.cites.clone()).collect();
        faults.extend(
            cited
                .iter()
                .filter(|cited| !rules.contains(*cited) && !readings.contains(*cited))
                .map(|cited| format!("{id} has no {cited}")),
        );
        faults.extend(readings.difference(&cited).map(|reading| format!("{id}: no case cites the reading {reading}")));
        faults.extend(rules.difference(&cited).map(|rule| format!("{id}: no case cites the rule {rule}")));
        faults.extend(
            mine.iter().filter(|case| case.cites.is_empty()).map(|case| format!("{} cites nothing", case.label())),
        );
    }
    fail_all(&faults);
}
