import type { components } from '../../api/generated/openapi.ts';
import { typedJson } from '../../parts/typed-json.ts';

export type Edits = components['schemas']['DefinitionEdits'];

/** A definition that is being written: it may not be one yet. */
export type Draft = Readonly<Record<string, unknown>>;

/** As many as the API takes at once. */
const MOST_EDITS = 1000;
/** Names in a path, and characters of one. */
const DEEPEST = 100;
const LONGEST = 512;

/** What changes one definition into another: parts that are set as a whole, and parts that are taken out. */
export function editsOf(from: Draft, to: Draft): Edits {
  const edits = differing(from, to, []);
  // Then each part that has changed is set as a whole.
  return edits.length <= MOST_EDITS ? edits : partsOf(from, to, [], (_, value, path) => [{ set: [...path], value }]);
}

function differing(from: unknown, to: unknown, path: readonly string[]): Edits {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (path.length > 0 && !canBeSplit(from, to, path)) return [{ set: [...path], value: to }];
  return partsOf(from as Draft, to as Draft, path, differing);
}

function canBeSplit(from: unknown, to: unknown, path: readonly string[]): boolean {
  if (!isObject(from) || !isObject(to) || path.length >= DEEPEST) return false;
  if ([...Object.keys(from), ...Object.keys(to)].some((name) => name === '' || name.length > LONGEST)) return false;
  // A schedule of another kind, or a handler of another type, has other parts.
  if (path.length > 1) return true;
  return from.kind === to.kind && from.type === to.type;
}

type PartEdits = (from: unknown, to: unknown, path: readonly string[]) => Edits;

function partsOf(from: Draft, to: Draft, path: readonly string[], editsOfPart: PartEdits): Edits {
  const isThere = (value: Draft, name: string) => own(value, name) !== undefined;
  const taken = Object.keys(from).filter((name) => isThere(from, name) && !isThere(to, name));
  const given = Object.keys(to).filter((name) => JSON.stringify(own(from, name)) !== JSON.stringify(own(to, name)));
  return [
    ...taken.map((name) => ({ unset: [...path, name] })),
    ...given
      .filter((name) => isThere(to, name))
      .flatMap((name) => editsOfPart(own(from, name), own(to, name), [...path, name])),
  ];
}

/** A definition with edits done to it, as the API does them. */
export function edited(draft: Draft, edits: Edits): Draft {
  return edits.reduce(
    (done, edit) => ('set' in edit ? withPart(done, edit.set, edit.value) : withPart(done, edit.unset, undefined)),
    draft,
  );
}

/** The same with another value at a place; undefined: without it. */
export function withPart(draft: Draft, [name, ...rest]: readonly string[], value: unknown): Draft {
  const old = name === undefined ? undefined : own(draft, name);
  if (name === undefined || (value === undefined && old === undefined)) return draft;
  const { [name]: _, ...others } = draft;
  const next = rest.length === 0 ? value : withPart(isObject(old) ? old : {}, rest, value);
  if (next === undefined) return others;
  return { ...draft, [name]: next };
}

/** The value at a place; undefined: there is none. */
export function partOf(draft: Draft, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? own(value, name) : undefined), draft);
}

export function textAt(draft: Draft, ...path: string[]): string {
  const value = partOf(draft, path);
  return typeof value === 'string' ? value : '';
}

export function numberAt(draft: Draft, ...path: string[]): number | undefined {
  const value = partOf(draft, path);
  return typeof value === 'number' ? value : undefined;
}

/** What the text of a definition is; undefined: no object of JSON. */
export function parsed(text: string): Draft | undefined {
  try {
    const value = typedJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Not what every object has, as `toString`. */
function own(value: Draft, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
