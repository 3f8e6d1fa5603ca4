/** JSON Schema, as our document has it. */
export type Schema = { readonly [keyword: string]: unknown };

/** Where two schemas are compared. */
export interface Comparison {
  /** Of the older and the newer document, by `$ref`. */
  before: Schemas;
  after: Schemas;
  /** `request`: what fitted must fit. `answer`: what is answered must fit what was promised. */
  of: 'request' | 'answer';
}

export type Schemas = { readonly [ref: string]: Schema };

interface Pair {
  before: Schema;
  after: Schema;
  /** Of the value, as in `grants[].role`; empty: all of it. */
  path: string;
}

/** What says nothing about which values fit. */
const WORDS = new Set(['description', 'title', 'example', 'examples', 'deprecated']);
/** Those that are compared one by one. */
const KNOWN = new Set([
  ...['type', 'enum', 'const', 'anyOf', 'oneOf', 'properties', 'required', 'additionalProperties', 'items'],
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'],
]);
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];

/** What breaks those who know the older schema; each with the path of its value. A change that is not understood counts as breaking. */
export function schemaBreaks(before: Schema, after: Schema, comparison: Comparison): string[] {
  return breaksOf({ before, after, path: '' }, comparison, new Set());
}

function breaksOf(pair: Pair, comparison: Comparison, seen: Set<string>): string[] {
  const names = JSON.stringify([pair.before, pair.after]);
  // A schema that holds itself: what is asked already need not be asked again.
  if ('$ref' in pair.before && '$ref' in pair.after) {
    if (seen.has(names)) return [];
    seen = new Set([...seen, names]);
  }
  const before = resolved(pair.before, comparison.before);
  const after = resolved(pair.after, comparison.after);
  const [befores, afters] = [choicesOf(before), choicesOf(after)];
  if (befores.length > 1 || afters.length > 1)
    return choiceBreaks({ befores, afters }, pair.path, { comparison, seen });
  const one = { before: befores[0] ?? {}, after: afters[0] ?? {}, path: pair.path };
  if ('$ref' in one.before || '$ref' in one.after) return breaksOf(one, comparison, seen);
  return [
    ...typeBreaks(one, comparison),
    ...enumBreaks(one, comparison),
    ...boundBreaks(one, comparison),
    ...otherBreaks(one, comparison),
    ...objectBreaks(one, comparison, seen),
    ...itemBreaks(one, comparison, seen),
  ];
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const found = schemas[$ref];
  if (!found) throw new Error(`there is no schema ${$ref}`);
  return resolved(found, schemas);
}

/** The schemas of which a value fits one. */
function choicesOf(schema: Schema): readonly Schema[] {
  const { anyOf, oneOf, type, ...others } = schema;
  const choices = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (choices) return choices.flatMap((choice) => ('$ref' in choice ? [choice] : choicesOf(choice)));
  if (Array.isArray(type)) return type.map((each: string) => ({ ...others, type: each }));
  return [schema];
}

function choiceBreaks(
  { befores, afters }: { befores: readonly Schema[]; afters: readonly Schema[] },
  path: string,
  { comparison, seen }: { comparison: Comparison; seen: Set<string> },
): string[] {
  const [each, among] = comparison.of === 'request' ? [befores, afters] : [afters, befores];
  return each.flatMap((one) => {
    const tries = among.map((other) => {
      const [before, after] = comparison.of === 'request' ? [one, other] : [other, one];
      return breaksOf({ before, after, path }, comparison, seen);
    });
    const nearest = tries.toSorted((a, b) => a.length - b.length)[0] ?? [];
    if (nearest.length === 0) return [];
    const words = comparison.of === 'request' ? 'is not taken any more' : 'may be answered now';
    return [`${at(path)}${nameOf(one)} ${words} (${nearest[0]})`];
  });
}

function nameOf(schema: Schema): string {
  const { properties, type, $ref, enum: words } = schema;
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? $ref;
  const kinds = Object.values((properties ?? {}) as { [name: string]: Schema }).map((each) => each.const);
  const kind = kinds.find((each) => each !== undefined) ?? schema.const;
  return JSON.stringify(kind ?? words ?? type ?? schema);
}

function typeBreaks({ before, after, path }: Pair, { of }: Comparison): string[] {
  const [narrow, wide] = of === 'request' ? [before.type, after.type] : [after.type, before.type];
  if (wide === undefined || narrow === wide || (narrow === 'integer' && wide === 'number')) return [];
  return [`${at(path)}is ${after.type ?? 'anything'}, was ${before.type ?? 'anything'}`];
}

/** A word that is new in an answer breaks nobody: who reads it expects words that they do not know. */
function enumBreaks({ before, after, path }: Pair, { of }: Comparison): string[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (of === 'answer') return old && !now ? [`${at(path)}is no longer one of ${JSON.stringify(old)}`] : [];
  if (!now) return [];
  if (!old) return [`${at(path)}must be one of ${JSON.stringify(now)}`];
  return old
    .filter((word) => !now.includes(word))
    .map((word) => `${at(path)}${JSON.stringify(word)} is not taken any more`);
}

function wordsOf(schema: Schema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  return schema.enum as readonly unknown[] | undefined;
}

function boundBreaks({ before, after, path }: Pair, { of }: Comparison): string[] {
  if (of === 'answer') return [];
  const lower = LOWER.filter((name) => numberOf(after, name, -Infinity) > numberOf(before, name, -Infinity));
  const upper = UPPER.filter((name) => numberOf(after, name, Infinity) < numberOf(before, name, Infinity));
  return [...lower, ...upper].map((name) => `${at(path)}${name} is ${after[name]}, was ${before[name] ?? 'none'}`);
}

function numberOf(schema: Schema, name: string, none: number): number {
  const value = schema[name];
  return typeof value === 'number' ? value : none;
}

/** All else, as `pattern`, `format`, `default`, `not`: it has to stay as it is. */
function otherBreaks({ before, after, path }: Pair, { of }: Comparison): string[] {
  const names = new Set(
    [...Object.keys(before), ...Object.keys(after)].filter((name) => !KNOWN.has(name) && !WORDS.has(name)),
  );
  return (
    [...names]
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      // What an answer is beside what was promised breaks nobody.
      .filter((name) => !(name === 'allOf' && of === 'answer' && before[name] === undefined))
      .map((name) => `${at(path)}${name} is ${said(after[name])}, was ${said(before[name])}`)
  );
}

function objectBreaks({ before, after, path }: Pair, comparison: Comparison, seen: Set<string>): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const [oldRequired, nowRequired] = [requiredOf(before), requiredOf(after)];
  const gone = Object.keys(old).filter((name) => !Object.hasOwn(now, name));
  const moreRequired = nowRequired.filter((name) => !oldRequired.includes(name));
  const lessRequired = oldRequired.filter((name) => !nowRequired.includes(name) && !gone.includes(name));
  const required =
    comparison.of === 'request'
      ? moreRequired.map((name) => `${at(inside(path, name))}is required now`)
      : lessRequired.map((name) => `${at(inside(path, name))}may be missing now`);
  const kept = Object.entries(old).flatMap(([name, field]) => {
    const other = now[name];
    return other ? breaksOf({ before: field, after: other, path: inside(path, name) }, comparison, seen) : [];
  });
  const others = additionalBreaks({ before, after, path }, comparison, seen);
  return [...gone.map((name) => `${at(inside(path, name))}is gone`), ...required, ...kept, ...others];
}

/** Whether an object may have further fields, and of which kind. */
function additionalBreaks({ before, after, path }: Pair, comparison: Comparison, seen: Set<string>): string[] {
  const [old, now] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
  if (isSchema(old) && isSchema(now))
    return breaksOf({ before: old, after: now, path: inside(path, '*') }, comparison, seen);
  // Who reads an answer expects fields that they do not know.
  if (old === now || now === true || (comparison.of === 'answer' && !isSchema(old))) return [];
  return [`${at(path)}further fields are not ${comparison.of === 'request' ? 'taken' : 'answered'} as they were`];
}

function itemBreaks({ before, after, path }: Pair, comparison: Comparison, seen: Set<string>): string[] {
  const [old, now] = [before.items, after.items];
  if (old === undefined && now === undefined) return [];
  return breaksOf({ before: asSchema(old), after: asSchema(now), path: `${path}[]` }, comparison, seen);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

function asSchema(value: unknown): Schema {
  return isSchema(value) ? value : {};
}

function fieldsOf({ properties }: Schema): { readonly [name: string]: Schema } {
  return (properties ?? {}) as { readonly [name: string]: Schema };
}

function requiredOf({ required }: Schema): readonly string[] {
  return (required ?? []) as readonly string[];
}

function inside(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function at(path: string): string {
  return path === '' ? '' : `${path}: `;
}

function said(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
