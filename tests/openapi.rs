//! The document: pinned, valid, and true to what the service does.

use serde_json::Value;

use crate::support::{DOCUMENT, examples, get, pin, post, schema, schema_names};

#[test]
fn the_document_is_as_pinned() {
    pin("openapi/openapi.json", &get("/openapi.json").text());
}

#[test]
fn the_document_is_valid_openapi_3_1() {
    use roas::v3_1::spec::Spec;
    use roas::validation::Validate;
    let spec: Spec = serde_json::from_value(DOCUMENT.clone()).unwrap();
    spec.validate(Default::default(), None).unwrap();
}

#[test]
fn every_operation_has_an_id_a_tag_and_a_summary() {
    let mut ids = std::collections::BTreeSet::new();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let text = |key: &str| operation[key].as_str().is_some_and(|text| !text.is_empty());
            assert!(text("operationId") && text("summary"), "{method} {path}");
            assert!(!operation["tags"].as_array().unwrap().is_empty(), "{method} {path}");
            assert!(ids.insert(operation["operationId"].to_string()), "{method} {path}");
        }
    }
}

#[test]
fn every_schema_and_every_property_is_described_and_every_integer_asked_for_is_bounded() {
    let mut faults = Vec::new();
    for (name, schema) in DOCUMENT["components"]["schemas"].as_object().unwrap() {
        if schema["description"].is_null() {
            faults.push(format!("{name} has no description"));
        }
        let asked = schema["additionalProperties"] == false;
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            if property["description"].is_null() {
                faults.push(format!("{name}.{key} has no description"));
            }
            let integer = |schema: &Value| schema["type"] == "integer" || schema["type"][0] == "integer";
            for schema in [property, &property["items"]] {
                if asked && integer(schema) && (schema["minimum"].is_null() || schema["maximum"].is_null()) {
                    faults.push(format!("{name}.{key} has no bounds"));
                }
            }
            if asked && property["type"] == "array" && property["maxItems"].is_null() {
                faults.push(format!("{name}.{key} has no maximum of entries"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_default_is_a_value_of_its_schema() {
    let mut faults = Vec::new();
    for (name, schema) in DOCUMENT["components"]["schemas"].as_object().unwrap() {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let Some(default) = property.get("default") else { continue };
            let mut alone = property.clone();
            alone["components"] = DOCUMENT["components"].clone();
            if !jsonschema::draft202012::is_valid(&alone, default) {
                faults.push(format!("{name}.{key}: {default}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_example_is_valid_and_answered_as_shown() {
    let mut checked = 0;
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        let Some(operation) = item.get("post") else { continue };
        let asked = operation["requestBody"]["content"]["application/json"]["examples"].as_object().unwrap();
        let answered = &operation["responses"]["200"]["content"]["application/json"]["examples"];
        for (game, example) in asked {
            let answer = post(path, &example["value"]);
            assert_eq!(answer.status, 200, "{path} {game}: {}", answer.text());
            assert_eq!(answer.json(), answered[game]["value"], "{path} {game}");
            let (request, reply) =
                schema_names(path.trim_start_matches('/'), example["value"]["ruleset"].as_str().unwrap_or_default());
            for (name, value) in [(request, &example["value"]), (reply, &answered[game]["value"])] {
                let errors: Vec<_> = schema(&name).iter_errors(value).map(|error| error.to_string()).collect();
                assert!(errors.is_empty(), "{path} {game} {name}: {errors:?}");
            }
            checked += 1;
        }
        let problems = operation["responses"].as_object().unwrap().iter().filter(|(status, _)| *status != "200");
        for (status, response) in problems {
            for (name, example) in response["content"]["application/problem+json"]["examples"].as_object().unwrap() {
                assert_eq!(example["value"]["status"].to_string(), *status, "{path} {name}");
                assert!(schema("Problem").is_valid(&example["value"]), "{path} {name}");
            }
        }
    }
    // The examples of the games, and the batch's.
    assert_eq!(checked, examples().len() + 1);
}
