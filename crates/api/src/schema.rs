//! Schemas of requests and replies: put together from those that the types derive, and mended where utoipa
//! says less than serde does. The document publishes them, and faults are found by them.

use std::collections::BTreeMap;

use scathe_rules::ruleset::{Action, CreatureOf, EventOf, OptionsOf, Ruleset, Subject, Target};
use scathe_rules::tray::Line;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, ObjectBuilder, Type};
use utoipa::openapi::{Object, Ref, RefOr, Schema};

use crate::limits::SIDES;
use crate::odds;
use crate::throw::How;

/// The schema of a type, with every schema that it refers to.
pub struct Part {
    name: String,
    schema: RefOr<Schema>,
    refers_to: Vec<(String, RefOr<Schema>)>,
}

impl Part {
    /// The schema of `T`.
    pub fn of<T: ToSchema>() -> Self {
        let mut refers_to = Vec::new();
        T::schemas(&mut refers_to);
        Self { name: T::name().into_owned(), schema: T::schema(), refers_to }
    }
}

/// An action as its schemas need it: names, and the schemas of its types.
pub struct Described {
    ruleset: &'static str,
    verb: &'static str,
    title: &'static str,
    subject: Target,
    rounds: bool,
    own: Part,
    target: Part,
    options: Part,
    outcome: Part,
    event: Part,
}

impl Described {
    /// The action `A`.
    pub fn of<A: Action>() -> Self {
        Self {
            ruleset: A::Rules::ID,
            verb: A::NAME,
            title: A::TITLE,
            subject: A::Target::TARGET,
            rounds: A::ROUNDS,
            own: Part::of::<A>(),
            target: Part::of::<CreatureOf<A>>(),
            options: Part::of::<OptionsOf<A>>(),
            outcome: Part::of::<A::Outcome>(),
            event: Part::of::<EventOf<A>>(),
        }
    }

    /// The name of one of its schemas, as in `akrpg.DamageRequest`.
    fn name(&self, ending: &str) -> String {
        format!("{}.{}{ending}", self.ruleset, pascal(self.verb))
    }
}

/// The schemas of a document, by name.
#[derive(Default)]
pub struct Shapes(BTreeMap<String, RefOr<Schema>>);

impl Shapes {
    /// Adds a schema and all that it refers to, and answers a reference to it.
    pub fn add(&mut self, part: &Part) -> Ref {
        self.0.insert(part.name.clone(), part.schema.clone());
        self.0.extend(part.refers_to.iter().cloned());
        Ref::from_schema_name(&part.name)
    }

    /// Adds the request of an action: one closed object with the common keys, its own, and those that say how
    /// it is carried out. Answers its name.
    pub fn request<C: How>(&mut self, action: &Described) -> String {
        let name = action.name(C::ENDING);
        let own = self.object(&action.own);
        let how = self.object(&Part::of::<C>());
        let mut builder = ObjectBuilder::new()
            .description(own.description.clone())
            .property("ruleset", one_value(action.ruleset))
            .required("ruleset");
        if action.subject != Target::None {
            builder = builder.property("target", self.described(&action.target, "Whom it happens to."));
        }
        if action.subject == Target::Required {
            builder = builder.required("target");
        }
        builder = builder.property("options", self.described(&action.options, "Readings to answer otherwise."));
        let names = C::names(action.rounds);
        let how = how.properties.into_iter().filter(|(key, _)| names.contains(&key.as_str()));
        for (key, schema) in own.properties.into_iter().chain(how) {
            builder = builder.property(key, schema);
        }
        for key in own.required {
            builder = builder.required(key);
        }
        let closed = builder.additional_properties(Some(AdditionalProperties::FreeForm(false)));
        self.0.insert(name.clone(), closed.into());
        name
    }

    /// Adds the reply of an action, and answers its name.
    pub fn reply(&mut self, action: &Described) -> String {
        let name = action.name("Reply");
        let mut builder = ObjectBuilder::new()
            .description(Some(format!("What came of it: {}.", action.title.to_lowercase())))
            .property("ruleset", one_value(action.ruleset))
            .required("ruleset");
        if action.subject != Target::None {
            let target = self.described(&action.target, "The creature after it. Write it back; it fits `target` in.");
            builder = builder.property("target", target);
        }
        if action.subject == Target::Required {
            builder = builder.required("target");
        }
        let (event, line) = (self.add(&action.event), self.add(&Part::of::<Line>()));
        let face = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(SIDES));
        let dice = "Every face thrown, in order. Send it back as `dice` and the answer is the same.";
        let seed = "The seed for whatever the service throws. Absent where `dice` alone were given.";
        let builder = builder
            .property("outcome", self.described(&action.outcome, "What it did, in numbers."))
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
    pub fn odds_reply(&mut self, action: &Described) -> String {
        let name = action.name("OddsReply");
        let event = self.described(&action.event, "The event, as a reply tells it.");
        let chances = self.object(&Part::of::<odds::Chance>());
        // A chance is always two properties: a rounded one, and if it is short enough an exact one.
        let chance = |builder: ObjectBuilder| {
            let told = chances.properties.iter();
            told.fold(builder, |builder, (key, schema)| builder.property(key, schema.clone())).required("chance")
        };
        let mut outcome = chance(ObjectBuilder::new());
        outcome =
            outcome.property("outcome", self.described(&action.outcome, "What it did. Absent when asked for rounds."));
        if action.subject != Target::None {
            outcome = outcome.property("target", self.described(&action.target, "The creature after it."));
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
            .additional_properties(Some(self.add(&Part::of::<odds::Number>())))
            .description(Some("The whole numbers of the outcome, by name. Absent when asked for rounds."));
        let mut builder = ObjectBuilder::new()
            .description(Some(format!("How it may come out: {}.", action.title.to_lowercase())))
            .property("ruleset", one_value(action.ruleset))
            .required("ruleset")
            .property("outcomes", list(outcome, "What may come of it, likeliest first."))
            .required("outcomes")
            .property(
                "left_out",
                self.described(&Part::of::<odds::LeftOut>(), "The outcomes beyond `top`, if it was asked for."),
            )
            .property(
                "events",
                list(event(), "Each event and the chance of at least one. Absent when asked for rounds."),
            )
            .property("numbers", numbers);
        if action.rounds {
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
    fn object(&mut self, part: &Part) -> Object {
        self.0.extend(part.refers_to.iter().cloned());
        match &part.schema {
            RefOr::T(Schema::Object(object)) => object.clone(),
            _ => Object::new(),
        }
    }

    /// A reference with a description of its own.
    fn described(&mut self, part: &Part, description: &str) -> Ref {
        let mut reference = self.add(part);
        reference.description = description.to_owned();
        reference
    }

    /// What the schema of this name says of itself.
    pub fn description(&self, name: &str) -> String {
        json!(self.0.get(name))["description"].as_str().unwrap_or_default().to_owned()
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

/// Where a document has its schemas.
pub const SCHEMAS: &str = "#/components/schemas/";

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
