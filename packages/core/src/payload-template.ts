import { EscapementError } from './errors.ts';
import { admitJson, type Json } from './json.ts';

/** What the placeholders of a template may name. An `output` or `payload` that is undefined is not there. */
export interface TemplateValues {
  output: Json | undefined;
  payload: Json | undefined;
  /** The run's record, see `RunRecord`. */
  run: Json;
}

const ROOTS = ['output', 'payload', 'run'];
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;
const NOTHING_ELSE = /^\{\{\s*([^{}]*?)\s*\}\}$/;

/**
 * JSON with its placeholders replaced: `{{output.a.b}}`, `{{payload.x}}`, `{{run.id}}`. A string that is nothing but a
 * placeholder becomes the value itself, whatever its type; within other text strings, numbers and booleans are put in.
 * Throws `unknown_template_field` where there is no such value, and as `admitJson` does.
 */
export function renderPayload(template: Json, values: TemplateValues): Json {
  return admitJson(render(template, values), 'the payload that is made of the template');
}

function render(template: Json, values: TemplateValues): Json {
  if (typeof template === 'string') return renderText(template, values);
  if (Array.isArray(template)) return template.map((item) => render(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, render(value, values)]));
}

function renderText(text: string, values: TemplateValues): Json {
  const whole = NOTHING_ELSE.exec(text)?.[1];
  if (whole !== undefined) return fieldOf(whole, values);
  return text.replace(PLACEHOLDER, (_, path: string) => {
    const value = fieldOf(path, values);
    if (typeof value === 'object')
      throw new EscapementError('unknown_template_field', `{{${path}}} is no text, number or boolean`, {
        fix: 'within other text only those can be put in; a string that is nothing but the placeholder takes any value',
      });
    return String(value);
  });
}

function fieldOf(path: string, values: TemplateValues): Json {
  const [root, ...parts] = partsOf(path);
  let value: Json | undefined = values[root as keyof TemplateValues];
  for (const part of parts) {
    const inside = typeof value === 'object' && value !== null && Object.hasOwn(value, part);
    value = inside ? (value as { [key: string]: Json })[part] : undefined;
  }
  if (value !== undefined) return value;
  throw new EscapementError('unknown_template_field', `there is no ${path} to put into the payload`, {
    fix: 'name what the run was given or gave back, or let it give that',
  });
}

/** Throws `bad_template` where a text holds something else than placeholders of values that a run has. */
export function checkPayloadTemplate(template: Json): void {
  if (typeof template === 'string') return checkText(template);
  if (typeof template !== 'object' || template === null) return;
  for (const value of Array.isArray(template) ? template : Object.values(template)) checkPayloadTemplate(value);
}

function checkText(text: string): void {
  for (const [, path] of text.matchAll(PLACEHOLDER)) partsOf(path ?? '');
}

function partsOf(path: string): string[] {
  const parts = path.split('.');
  if (ROOTS.includes(parts[0] ?? '') && parts.every((part) => part !== '')) return parts;
  throw new EscapementError('bad_template', `a template holds {{${path}}}`, {
    fix: 'use {{output}}, {{output.field}}, {{payload.field}} or {{run.id}}',
  });
}
