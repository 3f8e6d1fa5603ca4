import { nameOf, type Schema } from './document.ts';
import { type Html, html, prose } from './html.ts';

/** A number that only says that there is no bound. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;
/** Of a longer one only that there is one is told. */
const LONG_PATTERN = 60;

/** What a value is, in a few words: `text`, `list of Run`, `"asc" or "desc"`. */
export function typeOf(schema: Schema): Html {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum) return either(schema.enum.map((each) => html`<code>${JSON.stringify(each)}</code>`));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return either(choices.map(typeOf));
  if (schema.type === 'array') return html`list of ${schema.items ? typeOf(schema.items) : 'anything'}`;
  if (schema.type === 'object') return html`${isMap(schema) ? mapWords(schema) : 'object'}`;
  if (schema.type === undefined) return html`anything`;
  return either([schema.type].flat().map((type) => html`${WORDS[type] ?? type}`));
}

const WORDS: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number', null: 'null' };

function either(choices: readonly Html[]): Html {
  return html`${choices.map((each, index) => (index === 0 ? each : html` or ${each}`))}`;
}

function isMap({ properties, additionalProperties }: Schema): boolean {
  return properties === undefined && typeof additionalProperties === 'object';
}

function mapWords({ additionalProperties }: Schema): Html {
  return typeof additionalProperties === 'object' ? html`object of ${typeOf(additionalProperties)}` : html`object`;
}

/** Bounds, form and default of a value, in words. */
export function boundsOf(schema: Schema): string[] {
  const { format, pattern } = schema;
  const range = [
    bounds(schema.minimum, schema.maximum, ''),
    bounds(schema.minLength, schema.maxLength, ' characters'),
    bounds(schema.minItems, schema.maxItems, ' entries'),
  ];
  return [
    ...(format === undefined ? [] : [format]),
    ...range.filter((words) => words !== ''),
    ...(pattern === undefined || format !== undefined || pattern.length > LONG_PATTERN ? [] : [`matches ${pattern}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

function bounds(least: number | undefined, most: number | undefined, unit: string): string {
  const low = least !== undefined && least > -UNBOUNDED ? least : undefined;
  const high = most !== undefined && most < UNBOUNDED ? most : undefined;
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  if (high !== undefined) return `at most ${high}${unit}`;
  return low === undefined ? '' : `at least ${low}${unit}`;
}

/** A schema as a list of its fields, and what is in them. */
export function schemaView(schema: Schema): Html {
  const { description } = schema;
  const inner = fieldsView(schema);
  // That what has fields is an object goes without saying.
  const type =
    schema.properties && inner !== '' ? '' : html`<p class="type">${typeOf(schema)}${notes(boundsOf(schema))}</p>`;
  return html`${description === undefined ? '' : html`<p>${prose(description)}</p>`}${type}${inner}`;
}

/** What is in an object, a list or a choice; nothing of what stands elsewhere under its name. */
function fieldsView(schema: Schema): Html | string {
  if (schema.$ref !== undefined) return '';
  if (schema.items) return fieldsView(schema.items);
  if (typeof schema.additionalProperties === 'object') return fieldsView(schema.additionalProperties);
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map(fieldsView).filter((each) => each !== '');
  if (choices.length > 1) return html`<div class="choices">${choices.map((each) => html`<div>${each}</div>`)}</div>`;
  if (choices.length === 1) return choices[0] ?? '';
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return '';
  return html`<ul class="fields">${fields.map(([name, each]) => fieldView(name, each, schema.required ?? []))}</ul>`;
}

function fieldView(name: string, schema: Schema, required: readonly string[]): Html {
  const optional = required.includes(name) ? [] : ['may be left out'];
  return html`<li>${valueView({ name, schema, told: [...boundsOf(schema), ...optional] })}${fieldsView(schema)}</li>`;
}

/** A value that has a name: what it is, and what is told of it. */
export function valueView({ name, schema, told }: { name: string; schema: Schema; told: readonly string[] }): Html {
  const { description } = schema;
  return html`<code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>${notes(told)}${description === undefined ? '' : html`<p>${prose(description)}</p>`}`;
}

function notes(told: readonly string[]): Html | string {
  return told.length === 0 ? '' : html` <small>${told.join(' · ')}</small>`;
}
