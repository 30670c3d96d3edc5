//! The OpenAPI document: built from the registry, its examples executed.

use scathe_api::batch::{self, Batch};
use scathe_api::limits::{DEPTH, Limits};
use scathe_api::problem::Problem;
use scathe_api::schema::{Part, SCHEMAS, Shapes};
use scathe_api::verb::{Entry, Means, Mode};
use scathe_api::{Api, Call};
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use crate::config::{BATCH_BODY_LIMIT, BODY_LIMIT};
use crate::http::pages;
use crate::http::problem::{MEDIA_TYPE, RATE_LIMITED, busy, internal, no_key, not_json_type};

/// The pages that are the same whatever games there are.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Scathe",
        description = "Tells a virtual tabletop what a hit does: a creature's state and what happens to it in, the state after, \
                       the dice, the events to announce, a sentence for the chat and every step of the arithmetic out. It keeps \
                       nothing between calls.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(pages::rulesets, pages::ruleset, pages::health, pages::live, pages::ready, pages::problem, pages::openapi),
    components(schemas(Problem)),
    tags(
        (name = "resolve", description = "Something happens to a creature."),
        (name = "odds", description = "How it may come out, exactly, before any die is thrown."),
        (name = "know", description = "The games, their rules and readings, and this service."),
    )
)]
struct Pages;

/// The whole document as text.
pub fn text(api: &Api) -> String {
    format!("{:#}\n", document(api))
}

fn document(api: &Api) -> Value {
    let mut shapes = Shapes::default();
    let mut document = json!(Pages::openapi());
    let mut paths = Map::new();
    for (verb, entries) in api.registry().verbs() {
        let entries: Vec<_> = entries.collect();
        for mode in Mode::ALL {
            paths.insert(mode.path(verb), json!({ "post": operation(api, verb, mode, &entries, &mut shapes) }));
        }
    }
    paths.insert("/batch".to_owned(), json!({ "post": batch_operation(api, &mut shapes) }));
    shapes.add(&Part::of::<Problem>());
    if let Some(known) = document["paths"].as_object_mut() {
        paths.append(known);
    }
    document["paths"] = Value::Object(paths);
    document["components"]["securitySchemes"] = json!({ "key": { "type": "http", "scheme": "bearer", "description": "A key, where the service asks for one." } });
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.extend(shapes.to_json());
        schemas.sort_keys();
    }
    document
}

/// A verb's operation.
fn operation(
    api: &Api,
    verb: &'static str,
    mode: Mode,
    entries: &[(&'static str, &dyn Entry)],
    shapes: &mut Shapes,
) -> Value {
    let title = entries.first().map(|(_, entry)| entry.title()).unwrap_or_default();
    let (mut requests, mut replies, mut meanings) = (Vec::new(), Vec::new(), Vec::new());
    let (mut asked, mut answered) = (Map::new(), Map::new());
    let (mut faulty, mut missing) = (Map::new(), Map::new());
    for (game, entry) in entries {
        let shape = entry.shapes(mode, shapes);
        let meaning = shapes.description(&shape.request).replace('\n', " ");
        meanings.push(format!("**{game}**: {meaning}"));
        requests.push((*game, shape.request));
        replies.push((*game, shape.reply));
        let example = entry.example(mode);
        answered.insert((*game).to_owned(), json!({ "value": execute(api, Call::Verb(verb, mode), &example) }));
        let mut misspelt = example.clone();
        misspelt["dices"] = json!([1]);
        faulty.insert(format!("{game}_invalid"), json!({ "value": execute(api, Call::Verb(verb, mode), &misspelt) }));
        if example["dice"].as_array().is_some_and(|dice| !dice.is_empty()) {
            let mut first = example.clone();
            first["dice"] = json!([]);
            missing
                .insert(format!("{game}_needs_dice"), json!({ "value": execute(api, Call::Verb(verb, mode), &first) }));
        }
        asked.insert((*game).to_owned(), json!({ "value": example }));
    }
    faulty.append(&mut missing);
    let id = verb.replace('-', "_");
    let (tag, summary, id) = match mode {
        Mode::Resolve => ("resolve", title.to_owned(), id),
        Mode::Odds => ("odds", format!("Odds: {}", title.to_lowercase()), format!("{id}_odds")),
    };
    json!({
        "tags": [tag],
        "summary": summary,
        "description": meanings.join("\n\n"),
        "operationId": id,
        "requestBody": { "required": true, "content": { "application/json": { "schema": either(&requests), "examples": asked } } },
        "security": security(),
        "responses": responses(api, &either(&replies), answered, BODY_LIMIT, faulty),
    })
}

/// The batch's operation.
fn batch_operation(api: &Api, shapes: &mut Shapes) -> Value {
    let (request, reply) = (shapes.add(&Part::of::<Batch<'_>>()), shapes.add(&Part::of::<batch::Reply>()));
    // A hit with dice of its own, and one more, thrown, on the same creature.
    let first = api.registry().verbs().next().and_then(|(verb, mut entries)| Some((verb, entries.next()?.1)));
    let mut example = json!({ "seed": "round 3", "operations": [] });
    if let (Some((verb, entry)), Some(operations)) = (first, example["operations"].as_array_mut()) {
        let hit = entry.example(Mode::Resolve);
        let mut again = hit.clone();
        if let Some(again) = again.as_object_mut() {
            again.shift_remove("dice");
            again.shift_remove("target");
        }
        operations.push(json!({ "verb": verb, "request": hit }));
        operations.push(json!({ "verb": verb, "target_from": 0, "request": again }));
    }
    let mut misspelt = example.clone();
    misspelt["sed"] = json!("round 3");
    let example_of = |name: &str, value: Value| Map::from_iter([(name.to_owned(), json!({ "value": value }))]);
    let (answered, faulty) = (execute(api, Call::Batch, &example), execute(api, Call::Batch, &misspelt));
    json!({
        "tags": ["resolve"],
        "summary": "Do many operations in one call",
        "description": "For area attacks and whole turns: up to 256 operations of any verbs and games, odds too, done in order. Each has dice of \
                        its own, and one that fails spoils no other. The batch is answered with 200 even if operations fail; each result has its own status.",
        "operationId": "batch",
        "requestBody": { "required": true, "content": { "application/json": { "schema": request, "examples": example_of("two_hits", example) } } },
        "security": security(),
        "responses": responses(api, &json!(reply), example_of("two_hits", answered), BATCH_BODY_LIMIT, example_of("invalid", faulty)),
    })
}

/// A call may need a key, if whoever runs the service gives keys out.
fn security() -> Value {
    json!([{}, { "key": [] }])
}

/// The responses of an operation: the reply, and the problems that may be answered instead.
fn responses(
    api: &Api,
    reply: &Value,
    answered: Map<String, Value>,
    limit: usize,
    faulty: Map<String, Value>,
) -> Value {
    let problem = |description: &str, examples: Map<String, Value>| {
        json!({ "description": description,
                "content": { MEDIA_TYPE: { "schema": { "$ref": format!("{SCHEMAS}Problem") }, "examples": examples } } })
    };
    let one = |name: &str, problem: Value| Map::from_iter([(name.to_owned(), json!({ "value": problem }))]);
    let of = |problem: Problem| one(&problem.kind.replace('-', "_"), json!(problem));
    let broken = answer(api, Call::Batch, b"{ \"ruleset\": ");
    let limited = "The limit is 5 requests a second, 10 at once. Call again in 1 s.";
    json!({
        "200": { "description": "What came of it.", "content": { "application/json": { "schema": reply, "examples": answered } } },
        "400": problem("The body is not JSON.", one("not_json", broken)),
        "401": problem("A key is needed.", of(no_key())),
        "413": problem("The body is too large.", of(Problem::too_large(limit))),
        "415": problem("The content type is not JSON.", of(not_json_type())),
        "422": problem("The request has faults, needs more dice, or asks for what the rules do not let happen.", faulty),
        "429": problem("You call too often.", of(Problem::new(&RATE_LIMITED, limited))),
        "500": problem("Something broke on our side.", of(internal())),
        "503": problem("The request took too long, or too many are waiting.", of(busy(64))),
    })
}

/// The one schema, or the choice between several by `ruleset`.
fn either(names: &[(&str, String)]) -> Value {
    let path = |name: &str| format!("{SCHEMAS}{name}");
    match names {
        [(_, only)] => json!({ "$ref": path(only) }),
        several => {
            let members: Vec<Value> = several.iter().map(|(_, name)| json!({ "$ref": path(name) })).collect();
            let mapping: Map<String, Value> =
                several.iter().map(|(game, name)| ((*game).to_owned(), json!(path(name)))).collect();
            json!({ "oneOf": members, "discriminator": { "propertyName": "ruleset", "mapping": mapping } })
        }
    }
}

/// What is answered to an example, be it a reply or a problem. (Every example brings its dice or a seed.)
fn execute(api: &Api, call: Call, request: &Value) -> Value {
    answer(api, call, request.to_string().as_bytes())
}

fn answer(api: &Api, call: Call, body: &[u8]) -> Value {
    let limits = Limits { depth: DEPTH, operation: BODY_LIMIT };
    let means = Means { seed: &|| "round 3".to_owned(), go_on: &|| true, walked: &|_, _| {} };
    match api.answer(call, body, limits, &means).body {
        Ok(reply) => json!(reply),
        Err(problem) => json!(problem),
    }
}
