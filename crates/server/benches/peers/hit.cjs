// A damage roll of Arknights The Roleplaying Game in Fastify, for compare.py: the same rule, reply and log,
// written by hand, in as many processes as there are processors. Argument: the port.

const cluster = require("node:cluster");
const { randomBytes, randomInt } = require("node:crypto");
const os = require("node:os");

const integer = (minimum, maximum) => ({ type: "integer", minimum, maximum });
const closed = (properties, required = []) => ({ type: "object", additionalProperties: false, required, properties });
const numbers = (...names) => Object.fromEntries(names.map((name) => [name, { type: "integer" }]));
const rating = { ...integer(0, 1000), default: 0 };
const difficulty = { ...integer(-1000, 1000), default: 0 };

const creature = closed({
  hd: integer(1, 100), hp: integer(-1_000_000, 600), barrier: { ...integer(0, 1_000_000), default: 0 }, shield: rating,
  def: difficulty, res: difficulty, dot: { type: "array", items: integer(1, 6), maxItems: 100, default: [] },
  sanctuary: rating, fragility: rating,
  decaying: { type: "array", items: { enum: ["sanctuary", "fragility"] }, maxItems: 2, default: [] },
  elemental_injury: { type: "boolean", default: false }, wounded: rating,
  life: { anyOf: [{ type: "string", enum: ["up", "dead"] }, closed({ downed: closed({ reserve: integer(1, 100) }, ["reserve"]) }, ["downed"])], default: "up" },
}, ["hd", "hp"]);

const hit = closed({
  kind: { type: "string", enum: ["physical", "arts", "true", "elemental"] }, amount: integer(0, 1000), armor_piercing: rating,
}, ["kind", "amount"]);

const body = closed({
  ruleset: { type: "string", const: "akrpg" }, target: creature, hits: { type: "array", items: hit, minItems: 1, maxItems: 100 },
  dice: { type: "array", items: integer(1, 1000), maxItems: 10_000 },
}, ["ruleset", "target", "hits"]);

const reply = closed({
  ruleset: { type: "string" }, target: creature,
  outcome: closed({
    hits: { type: "array", items: closed({ kind: { type: "string" }, ...numbers("rolled", "pierced", "modified", "shielded", "barrier_lost", "hp_lost") }) },
    ...numbers("barrier_lost", "hp_lost", "shield_dice_lost"),
  }),
  events: { type: "array", items: closed({ event: { type: "string" } }) },
  dice: { type: "array", items: { type: "integer" } }, seed: { type: "string" }, summary: { type: "string" },
  log: {
    type: "array",
    items: closed({
      kind: { type: "string" }, for: { type: "string" }, by: { type: "string" }, sides: { type: "integer" }, faces: { type: "array", items: { type: "integer" } },
      what: { type: "string" }, field: { type: "string" }, from: {}, to: {}, rule: { type: "string" },
    }),
  },
});

// Throws dice, or takes those given, and writes everything down.
class Tray {
  dice = [];
  log = [];
  events = [];

  constructor(creature, given) {
    this.creature = creature;
    this.given = given;
  }

  throw(why, by, count) {
    const faces = this.given
      ? this.given.slice(this.dice.length, this.dice.length + count)
      : Array.from({ length: count }, () => randomInt(1, 7));
    if (faces.length < count || faces.some((face) => face > 6)) {
      throw Object.assign(new Error(`throw ${count} dice of 6 sides for ${why}`), { statusCode: 422 });
    }
    this.dice.push(...faces);
    if (faces.length > 0) this.log.push({ kind: "roll", for: why, by, sides: 6, faces });
    return faces;
  }

  step(what, from, to, rule) {
    this.log.push({ kind: "step", what, from, to, rule });
    return to;
  }

  change(field, to, rule) {
    const from = this.creature[field];
    if (from === to) return;
    this.log.push({ kind: "change", field: `/${field}`, from, to, rule });
    this.creature[field] = to;
  }

  event(event) {
    this.events.push({ event });
  }
}

function damageRoll(hit, tray) {
  const { def, res } = tray.creature;
  let difficulty = hit.kind === "physical" ? def : res;
  if (hit.kind === "physical" && hit.armor_piercing > 0) {
    const lowered = def <= 0 ? def : Math.max(def - hit.armor_piercing, 1);
    difficulty = tray.step("def", def, lowered, "armor_piercing");
  }
  if (difficulty <= 0) return [0, tray.step("damage", hit.amount, hit.amount, "damage_roll")];
  const faces = tray.throw("damage_roll", "attacker", difficulty < 6 ? hit.amount : 0);
  const successes = faces.filter((face) => face > difficulty).length;
  return [faces.length, tray.step("damage", hit.amount, successes, "damage_roll")];
}

function shield(damage, tray) {
  if (damage <= 0 || tray.creature.shield <= 0) return 0;
  const [face] = tray.throw("shield", "target", 1);
  const off = Math.min(face === 6 ? 5 : face, damage);
  tray.step("damage", damage, damage - off, "shield");
  if (face === 6) {
    tray.event("shield_kept");
  } else {
    tray.change("shield", tray.creature.shield - 1, "shield");
    tray.event("shield_spent");
  }
  return off;
}

function deal(hit, tray) {
  const { creature } = tray;
  const dealt = { kind: hit.kind, rolled: 0, pierced: 0, modified: 0, shielded: 0, barrier_lost: 0, hp_lost: 0 };
  let damage = hit.amount;
  if (hit.kind === "physical" || hit.kind === "arts") {
    [dealt.rolled, damage] = damageRoll(hit, tray);
  } else if (hit.kind === "elemental") {
    damage = tray.step("damage", damage, creature.elemental_injury ? damage : 0, "elemental_damage");
    if (!creature.elemental_injury) {
      tray.event("no_elemental_injury");
      return dealt;
    }
  } else {
    tray.step("damage", damage, damage, "true_damage");
  }
  dealt.pierced = damage;
  if (hit.kind !== "true" && (creature.fragility > 0 || creature.sanctuary > 0)) {
    const modified = damage === 0 ? 0 : Math.max(damage + creature.fragility - creature.sanctuary, 0);
    damage = tray.step("damage", damage, modified, "damage_modifiers");
  }
  dealt.modified = damage;
  dealt.shielded = shield(damage, tray);
  damage -= dealt.shielded;
  if (creature.barrier > 0) {
    dealt.barrier_lost = Math.min(creature.barrier, damage);
    damage = tray.step("damage", damage, damage - dealt.barrier_lost, "barrier");
    tray.change("barrier", creature.barrier - dealt.barrier_lost, "barrier");
    if (dealt.barrier_lost > 0 && creature.barrier === 0) tray.event("barrier_broken");
  }
  const before = creature.hp;
  tray.change("hp", Math.max(before - damage, -1_000_000), "health");
  dealt.hp_lost = before - creature.hp;
  if (creature.hp <= 0 && creature.life === "up") {
    tray.change("life", { downed: { reserve: creature.hd } }, "downed");
    tray.event("downed");
  }
  return dealt;
}

function sentence(hit, dealt, before) {
  const said = [];
  if (hit.kind === "physical" || hit.kind === "arts") said.push(`${dealt.pierced} ${dealt.pierced === 1 ? "pierces" : "pierce"}`);
  if (hit.kind === "elemental" && dealt.pierced < hit.amount) said.push("no elemental injury");
  if (dealt.modified !== dealt.pierced) said.push(`${dealt.modified} after fragility and sanctuary`);
  if (dealt.shielded > 0) said.push(`the shield takes ${dealt.shielded}`);
  if (dealt.barrier_lost > 0) said.push(`the barrier takes ${dealt.barrier_lost}`);
  said.push(dealt.hp_lost > 0 ? `${dealt.hp_lost} HP lost (${before} → ${before - dealt.hp_lost})` : "no HP lost");
  return `${hit.amount} ${hit.kind} damage: ${said.join(", ")}.`;
}

function answer({ target, hits, dice }) {
  const tray = new Tray(target, dice);
  const { shield } = target;
  const outcome = { hits: [], barrier_lost: 0, hp_lost: 0, shield_dice_lost: 0 };
  const sentences = [];
  for (const hit of hits) {
    const before = target.hp;
    const dealt = deal(hit, tray);
    outcome.hits.push(dealt);
    outcome.barrier_lost += dealt.barrier_lost;
    outcome.hp_lost += dealt.hp_lost;
    sentences.push(sentence(hit, dealt, before));
  }
  outcome.shield_dice_lost = shield - target.shield;
  if (tray.events.some(({ event }) => event === "downed")) sentences.push("Downed!");
  if (dice && dice.length > tray.dice.length) {
    throw Object.assign(new Error("a die that nobody asked for"), { statusCode: 422 });
  }
  const seed = dice ? undefined : randomBytes(16).toString("hex");
  return { ruleset: "akrpg", target, outcome, events: tray.events, dice: tray.dice, seed, summary: sentences.join(" "), log: tray.log };
}

if (cluster.isPrimary) {
  os.cpus().forEach(() => cluster.fork());
} else {
  const app = require("fastify")({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } });
  app.post("/damage", { schema: { body, response: { 200: reply } } }, async (request) => answer(request.body));
  app.listen({ port: Number(process.argv[2]), host: "127.0.0.1" });
}
