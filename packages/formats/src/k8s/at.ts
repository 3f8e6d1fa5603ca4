import { cannotSay } from '../translated/translated.ts';

/** What is at a place of a manifest, in the type that Kubernetes gives it. Throws `cannot_say` for another one. */
export type Node = { readonly [key: string]: unknown };

export function nodeAt(value: unknown, key: string, path = key): Node {
  const found = isNode(value) ? value[key] : undefined;
  if (found === undefined || found === null) return {};
  if (isNode(found)) return found;
  throw wrong(path, 'an object');
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textAt(node: Node, key: string): string | undefined {
  const found = node[key];
  if (found === undefined || found === null) return undefined;
  if (typeof found === 'string') return found;
  throw wrong(key, 'text');
}

export function numberAt(node: Node, key: string): number | undefined {
  const found = node[key];
  if (found === undefined || found === null) return undefined;
  if (typeof found === 'number' && Number.isInteger(found) && found >= 0) return found;
  throw wrong(key, 'a whole number of 0 or more');
}

export function flagAt(node: Node, key: string): boolean {
  const found = node[key];
  if (found === undefined || found === null) return false;
  if (typeof found === 'boolean') return found;
  throw wrong(key, 'true or false');
}

export function textsAt(node: Node, key: string): string[] {
  return listAt(node, key).map((each) => {
    if (typeof each === 'string') return each;
    throw wrong(key, 'a list of texts');
  });
}

export function nodesAt(node: Node, key: string): Node[] {
  return listAt(node, key).map((each) => {
    if (isNode(each)) return each;
    throw wrong(key, 'a list of objects');
  });
}

function listAt(node: Node, key: string): readonly unknown[] {
  const found = node[key];
  if (found === undefined || found === null) return [];
  if (Array.isArray(found)) return found;
  throw wrong(key, 'a list');
}

function wrong(path: string, expected: string): Error {
  return cannotSay(`${path} is not what Kubernetes takes there`, `it has to be ${expected}`);
}

/** Keys of a node that have a value and are none of these. */
export function otherKeys(node: Node, known: readonly string[]): string[] {
  return Object.keys(node).filter((key) => !known.includes(key) && !isEmpty(node[key]));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
