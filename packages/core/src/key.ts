import { EscapementError } from './errors.ts';
import type { Json } from './json.ts';

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Longest rendered key, in characters. */
const MAX_KEY_LENGTH = 512;

/**
 * The mutual-exclusion key of a run: the template with each `{{payload.a.b}}` replaced. Throws `unknown_key_field`
 * where the payload has no such field or it is not a string, number or boolean.
 */
export function renderKey(template: string, payload: Json | undefined): string {
  const key = template.replace(PLACEHOLDER, (_, path: string) => fieldOf(path, template, payload));
  if (key.length > MAX_KEY_LENGTH)
    throw new EscapementError('key_too_long', `key template "${template}" renders to ${key.length} characters`, {
      fix: `at most ${MAX_KEY_LENGTH} characters`,
    });
  return key;
}

/** Throws where a template holds something else than `{{payload.field}}`, or one that is not closed. */
export function checkKeyTemplate(template: string): void {
  for (const [, path] of template.matchAll(PLACEHOLDER)) partsOf(path ?? '', template);
  // Taken as text, half a placeholder would silently make one key of what was meant to be many.
  const [brace] = /\{\{|\}\}/.exec(template.replace(PLACEHOLDER, '')) ?? [];
  if (brace)
    throw new EscapementError(
      'bad_key_template',
      `key template "${template}" has a "${brace}" without its other half`,
      {
        fix: 'use {{payload.field}} or {{payload.field.inner}}',
      },
    );
}

function fieldOf(path: string, template: string, payload: Json | undefined): string {
  let value: Json | undefined = payload;
  for (const part of partsOf(path, template)) {
    const inside = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, part);
    value = inside ? (value as { [key: string]: Json })[part] : undefined;
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new EscapementError('unknown_key_field', `key template "${template}" names ${path}, which the payload lacks`, {
    fix: 'give the payload that field, as a string, number or boolean',
  });
}

function partsOf(path: string, template: string): string[] {
  const [root, ...parts] = path.split('.');
  if (root === 'payload' && parts.length > 0 && parts.every((part) => part !== '')) return parts;
  throw new EscapementError('bad_key_template', `key template "${template}" holds {{${path}}}`, {
    fix: 'use {{payload.field}} or {{payload.field.inner}}',
  });
}
