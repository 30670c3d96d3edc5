//! The OpenAPI document: built from the registry, its examples executed.

use std::collections::BTreeMap;

use scathe_rules::ruleset::{Action, CreatureOf, EventOf, OptionsOf, Ruleset, Subject, Target};
use scathe_rules::tray::Line;
use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use utoipa::openapi::{Object, Ref, RefOr, Schema};
use utoipa::{OpenApi, ToSchema};

use crate::batch;
use crate::faults;
use crate::guard;
use crate::odds;
use crate::pages;
use crate::problem::{self, MEDIA_TYPE, Problem};
use crate::registry::{Answer, Entry, Means, Mode, Registry};
use crate::request::{How, json};
use crate::{BATCH_BODY_LIMIT, BODY_LIMIT, JSON_DEPTH};

/// The schemas of a document, by name.
#[derive(Default)]
pub struct Shapes(BTreeMap<String, RefOr<Schema>>);

impl Shapes {
    /// Adds a type and all that it refers to, and answers a reference to it.
    pub fn add<T: ToSchema>(&mut self) -> Ref {
        let mut schemas = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut schemas);
        self.0.extend(schemas);
        Ref::from_schema_name(T::name())
    }

    /// Adds the request of an action: one closed object with the common keys and its own. Answers
    /// its name, `akrpg.Damage` + `suffix` + `Request`.
    pub fn request<A: Action, C: How>(&mut self, suffix: &str) -> String {
        let name = format!("{}.{}{suffix}Request", A::Rules::ID, pascal(A::NAME));
        let own = self.object::<A>();
        let how = self.object::<C>();
        let mut builder = ObjectBuilder::new()
            .description(own.description.clone())
            .property("ruleset", one_value(A::Rules::ID))
            .required("ruleset");
        if A::Target::TARGET != Target::None {
            let target = self.described::<CreatureOf<A>>("Whom it happens to.");
            builder = builder.property("target", target);
        }
        if A::Target::TARGET == Target::Required {
            builder = builder.required("target");
        }
        builder = builder.property("options", self.described::<OptionsOf<A>>("Readings to answer otherwise."));
        let names = C::names::<A>();
        let how = how.properties.into_iter().filter(|(key, _)| names.contains(&key.as_str()));
        for (key, schema) in own.properties.into_iter().chain(how) {
            builder = builder.property(key, schema);
        }
        for key in own.required {
            builder = builder.required(key);
        }
        let closed =
            builder.additional_properties(Some(utoipa::openapi::schema::AdditionalProperties::FreeForm(false)));
        self.0.insert(name.clone(), closed.into());
        name
    }

    /// Adds the reply of an action, and answers its name.
    pub fn reply<A: Action>(&mut self) -> String {
        let name = format!("{}.{}Reply", A::Rules::ID, pascal(A::NAME));
        let mut builder = ObjectBuilder::new()
            .description(Some(format!("What came of it: {}.", A::TITLE.to_lowercase())))
            .property("ruleset", one_value(A::Rules::ID))
            .required("ruleset");
        if A::Target::TARGET != Target::None {
            let target = self.described::<CreatureOf<A>>("The creature after it. Write it back; it fits `target` in.");
            builder = builder.property("target", target);
        }
        if A::Target::TARGET == Target::Required {
            builder = builder.required("target");
        }
        let (event, line) = (self.add::<EventOf<A>>(), self.add::<Line>());
        let face = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(1000));
        let dice = "Every face thrown, in order. Send it back as `dice` and the answer is the same.";
        let seed = "The seed for whatever the service throws. Absent where `dice` alone were given.";
        let builder = builder
            .property("outcome", self.described::<A::Outcome>("What it did, in numbers."))
            .required("outcome")
            .property("events", ArrayBuilder::new().items(event).description(Some("What to announce, in order.")))
            .required("events")
            .property("dice", ArrayBuilder::new().items(face).description(Some(dice)))
            .required("dice")
            .property("seed", ObjectBuilder::new().schema_type(Type::String).description(Some(seed)))
            .property(
                "summary",
                ObjectBuilder::new().schema_type(Type::String).description(Some("A sentence for the chat.")),
            )
            .required("summary")
            .property(
                "log",
                ArrayBuilder::new().items(line).description(Some("Every step, with the rule that it rests on.")),
            )
            .required("log");
        self.0.insert(name.clone(), builder.into());
        name
    }

    /// Adds the reply to a question for odds, and answers its name.
    pub fn odds_reply<A: Action>(&mut self) -> String {
        let name = format!("{}.{}OddsReply", A::Rules::ID, pascal(A::NAME));
        let event = self.described::<EventOf<A>>("The event, as a reply tells it.");
        let chances = self.object::<odds::Chance>();
        // A chance is always two properties: a rounded one, and if it is short enough an exact one.
        let chance = |builder: ObjectBuilder| {
            let told = chances.properties.iter();
            told.fold(builder, |builder, (key, schema)| builder.property(key, schema.clone())).required("chance")
        };
        let mut outcome = chance(ObjectBuilder::new());
        outcome =
            outcome.property("outcome", self.described::<A::Outcome>("What it did. Absent when asked for rounds."));
        if A::Target::TARGET != Target::None {
            outcome = outcome.property("target", self.described::<CreatureOf<A>>("The creature after it."));
        }
        let list =
            |items: ObjectBuilder, description: &str| ArrayBuilder::new().items(items).description(Some(description));
        let events = ArrayBuilder::new().items(event.clone());
        let outcome = outcome.property(
            "events",
            events.description(Some("What there is to announce, each once. Absent when asked for rounds.")),
        );
        let event = || chance(ObjectBuilder::new().property("event", event.clone()).required("event"));
        let numbers = ObjectBuilder::new()
            .additional_properties(Some(self.add::<odds::Number>()))
            .description(Some("The whole numbers of the outcome, by name. Absent when asked for rounds."));
        let mut builder = ObjectBuilder::new()
            .description(Some(format!("How it may come out: {}.", A::TITLE.to_lowercase())))
            .property("ruleset", one_value(A::Rules::ID))
            .required("ruleset")
            .property("outcomes", list(outcome, "What may come of it, likeliest first."))
            .required("outcomes")
            .property("left_out", self.described::<odds::LeftOut>("The outcomes beyond `top`, if it was asked for."))
            .property(
                "events",
                list(event(), "Each event and the chance of at least one. Absent when asked for rounds."),
            )
            .property("numbers", numbers);
        if A::ROUNDS {
            let ended = chance(ObjectBuilder::new())
                .description(Some("That after this round the action would be refused: there is nothing left to do."));
            let number =
                ObjectBuilder::new().schema_type(Type::Integer).description(Some("The number of the round, from 1."));
            let round = ObjectBuilder::new()
                .property("round", number)
                .required("round")
                .property("events", list(event(), "Each event seen by the end of this round, and the chance of it."))
                .required("events")
                .property("ended", ended)
                .required("ended");
            builder = builder.property("rounds", list(round, "Round by round, when asked for `rounds`."));
        }
        self.0.insert(name.clone(), builder.into());
        name
    }

    /// A struct's own schema; what it refers to is added.
    fn object<T: ToSchema>(&mut self) -> Object {
        let mut schemas = Vec::new();
        T::schemas(&mut schemas);
        self.0.extend(schemas);
        match T::schema() {
            RefOr::T(Schema::Object(object)) => object,
            _ => Object::new(),
        }
    }

    /// A reference with a description of its own.
    fn described<T: ToSchema>(&mut self, description: &str) -> Ref {
        let mut reference = self.add::<T>();
        reference.description = description.to_owned();
        reference
    }

    /// The schemas as JSON, by name.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut schemas = Map::new();
        for (name, schema) in &self.0 {
            let mut schema = json!(schema);
            close_variants(&mut schema);
            raise_descriptions(&mut schema);
            drop_null_defaults(&mut schema);
            schemas.insert(name.clone(), schema);
        }
        schemas
    }

    /// One schema as JSON, every reference in it resolved.
    pub fn resolved(&self, name: &str) -> Value {
        let schemas = self.to_json();
        let mut schema = schemas.get(name).cloned().unwrap_or_default();
        resolve(&mut schema, &schemas);
        schema
    }
}

const SCHEMAS: &str = "#/components/schemas/";

/// Puts every schema in the place of the references to it. No schema of ours refers to itself.
fn resolve(schema: &mut Value, schemas: &Map<String, Value>) {
    match schema {
        Value::Object(object) => {
            let name = object.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix(SCHEMAS));
            if let Some(Value::Object(target)) = name.and_then(|name| schemas.get(name)) {
                object.remove("$ref");
                for (key, value) in target {
                    object.entry(key).or_insert_with(|| value.clone());
                }
            }
            object.values_mut().for_each(|value| resolve(value, schemas));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| resolve(value, schemas)),
        _ => {}
    }
}

/// Closes the variants of externally tagged enums: an object with one key has no other. (Neither the
/// types nor utoipa say so, though serde refuses more.)
fn close_variants(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            for variant in object.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten() {
                let mut properties = variant.get("properties").and_then(Value::as_object).into_iter().flatten();
                let tagged = |(_, property): (&String, &Value)| property.get("enum").is_none();
                if let (Some(only), None) = (properties.next(), properties.next())
                    && tagged(only)
                {
                    variant["additionalProperties"] = json!(false);
                }
            }
            object.values_mut().for_each(close_variants);
        }
        Value::Array(list) => list.iter_mut().for_each(close_variants),
        _ => {}
    }
}

/// Puts the description of a property that may be null where readers look for it: beside the choice,
/// not inside it.
fn raise_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if !object.contains_key("description") {
                let forms = object.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten();
                let referring = forms.filter_map(Value::as_object_mut).filter(|form| form.contains_key("$ref"));
                let described: Vec<Value> = referring.filter_map(|form| form.shift_remove("description")).collect();
                if let [description] = described.as_slice() {
                    object.insert("description".to_owned(), description.clone());
                }
            }
            object.values_mut().for_each(raise_descriptions);
        }
        Value::Array(list) => list.iter_mut().for_each(raise_descriptions),
        _ => {}
    }
}

/// Drops the default of a member that is absent by default: utoipa writes null, which is no value of it.
fn drop_null_defaults(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("default").is_some_and(Value::is_null) {
                object.shift_remove("default");
            }
            object.values_mut().for_each(drop_null_defaults);
        }
        Value::Array(list) => list.iter_mut().for_each(drop_null_defaults),
        _ => {}
    }
}

/// The schema of a text that can only be this one.
fn one_value(value: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some([value]))
        .description(Some("Which game's rules."))
        .build()
}

/// `shield-roll` as a type's name: `ShieldRoll`.
fn pascal(verb: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
    };
    verb.split('-').map(capital).collect()
}

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

/// The whole document.
pub fn document(registry: &Registry, batch: &faults::Schema) -> Value {
    let mut shapes = Shapes::default();
    let mut document = json!(Pages::openapi());
    let mut paths = Map::new();
    for (verb, entries) in registry.verbs() {
        let entries: Vec<_> = entries.collect();
        for mode in Mode::ALL {
            paths.insert(mode.path(verb), json!({ "post": operation(registry, verb, mode, &entries, &mut shapes) }));
        }
    }
    paths.insert("/batch".to_owned(), json!({ "post": batch_operation(registry, batch, &mut shapes) }));
    shapes.add::<Problem>();
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
    registry: &Registry,
    verb: &str,
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
        let meaning =
            json!(shapes.0.get(&shape.request))["description"].as_str().unwrap_or_default().replace('\n', " ");
        meanings.push(format!("**{game}**: {meaning}"));
        requests.push((*game, shape.request));
        replies.push((*game, shape.reply));
        let example = entry.example(mode);
        answered.insert((*game).to_owned(), json!({ "value": execute(registry, verb, mode, &example) }));
        let mut misspelt = example.clone();
        misspelt["dices"] = json!([1]);
        faulty.insert(format!("{game}_invalid"), json!({ "value": execute(registry, verb, mode, &misspelt) }));
        if example["dice"].as_array().is_some_and(|dice| !dice.is_empty()) {
            let mut first = example.clone();
            first["dice"] = json!([]);
            missing.insert(format!("{game}_needs_dice"), json!({ "value": execute(registry, verb, mode, &first) }));
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
        "responses": responses(&either(&replies), answered, BODY_LIMIT, faulty),
    })
}

/// The batch's operation.
fn batch_operation(registry: &Registry, schema: &faults::Schema, shapes: &mut Shapes) -> Value {
    let (request, reply) = (shapes.add::<batch::Batch<'_>>(), shapes.add::<batch::Reply>());
    let execute = |request: &Value| {
        let raw = serde_json::value::to_raw_value(request);
        raw.map_or(Value::Null, |raw| told(batch::answer(registry, schema, &raw, &Means::FRESH, BODY_LIMIT)))
    };
    // A hit with dice of its own, and one more, thrown, on the same creature.
    let first = registry.verbs().next().and_then(|(verb, mut entries)| Some((verb, entries.next()?.1)));
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
    let (answered, faulty) = (execute(&example), execute(&misspelt));
    json!({
        "tags": ["resolve"],
        "summary": "Do many operations in one call",
        "description": "For area attacks and whole turns: up to 256 operations of any verbs and games, odds too, done in order. Each has dice of \
                        its own, and one that fails spoils no other. The batch is answered with 200 even if operations fail; each result has its own status.",
        "operationId": "batch",
        "requestBody": { "required": true, "content": { "application/json": { "schema": request, "examples": example_of("two_hits", example) } } },
        "security": security(),
        "responses": responses(&json!(reply), example_of("two_hits", answered), BATCH_BODY_LIMIT, example_of("invalid", faulty)),
    })
}

/// The schema of a batch, without references.
///
/// # Errors
/// Fails when it is none.
pub fn batch_schema() -> Result<faults::Schema, String> {
    let mut shapes = Shapes::default();
    shapes.add::<batch::Batch<'_>>();
    faults::Schema::new(shapes.resolved(&batch::Batch::name()))
}

/// A call may need a key, if whoever runs the service gives keys out.
fn security() -> Value {
    json!([{}, { "key": [] }])
}

/// The responses of an operation: the reply, and the problems that may be answered instead.
fn responses(reply: &Value, answered: Map<String, Value>, limit: usize, faulty: Map<String, Value>) -> Value {
    let problem = |description: &str, examples: Map<String, Value>| {
        json!({ "description": description,
                "content": { MEDIA_TYPE: { "schema": { "$ref": format!("{SCHEMAS}Problem") }, "examples": examples } } })
    };
    let one = |kind: &problem::Kind, problem: Option<Problem>| {
        Map::from_iter([(kind.id.replace('-', "_"), json!({ "value": problem }))])
    };
    let of = |kind: &problem::Kind, detail: &str| one(kind, Some(Problem::new(kind, detail)));
    let broken = json(b"{ \"ruleset\": ", JSON_DEPTH).err();
    json!({
        "200": { "description": "What came of it.", "content": { "application/json": { "schema": reply, "examples": answered } } },
        "400": problem("The body is not JSON.", one(&problem::NOT_JSON, broken)),
        "401": problem("A key is needed.", of(&problem::UNAUTHORIZED, guard::NO_KEY)),
        "413": problem("The body is too large.", of(&problem::TOO_LARGE, &pages::too_large(limit))),
        "415": problem("The content type is not JSON.", of(&problem::NOT_JSON_TYPE, pages::NOT_JSON_TYPE_DETAIL)),
        "422": problem("The request has faults, needs more dice, or asks for what the rules do not let happen.", faulty),
        "429": problem("You call too often.", of(&problem::RATE_LIMITED, "The limit is 5 requests a second, 10 at once. Call again in 1 s.")),
        "500": problem("Something broke on our side.", of(&problem::INTERNAL, pages::INTERNAL_DETAIL)),
        "503": problem("The request took too long, or too many are waiting.", of(&problem::BUSY, "64 requests are waiting already.")),
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

/// What the service answers to an example.
fn execute(registry: &Registry, verb: &str, mode: Mode, request: &Value) -> Value {
    let raw = serde_json::value::to_raw_value(request);
    raw.map_or(Value::Null, |raw| told(registry.answer(verb, mode, &raw, &Means::FRESH).1))
}

/// An answer as JSON, be it a reply or a problem.
fn told(answer: Answer) -> Value {
    match answer {
        Ok(reply) => json!(reply),
        Err(problem) => json!(problem),
    }
}
