import { z } from 'zod';
import { ROUTES } from '../src/index.ts';
import type { Request } from './api.ts';
import type { Example } from './example.ts';
import { encodeSafely, requestOf } from './fixture.ts';

/** Values that no field should take, or that every field can take: as text of a path or a query. */
const TEXTS = [
  ...['', '\0', 'a\0b', '\ud800', '\u202eabc', '__proto__', 'NaN', 'Infinity', '-1', '9007199254740993', '1e400'],
  ...['0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-01:00'],
  ...['-000001-01-01T00:00:00Z', '+275760-09-13T00:00:00.000Z', '1970-01-01T00:00:00Z', '9999-12-31', '+9999999d'],
  ...['ffffffff-ffff-7fff-bfff-ffffffffffff', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '{"a":1}', 'x'.repeat(5000)],
];

/** As JSON in a body. */
const JSONS = [
  ...TEXTS.map((text) => JSON.stringify(text)),
  ...[
    'null',
    'true',
    '0',
    '-1',
    '0.5',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '1e308',
    '4e-324',
  ],
  ...['[]', '{}', '{"__proto__":{"admin":true}}', '{"constructor":1}', '{"a\\u0000b":1}', '["\\ud800"]'],
  ...[
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`,
    JSON.stringify('x'.repeat(900_000)),
  ],
];

/** A field of a route, and a value for it. */
export interface Hostile {
  id: string;
  place: 'path' | 'query' | 'body';
  field: readonly string[];
  value: string;
}

/** Each field that the routes declare with each of the values. */
export function hostileFields(leftOut: ReadonlySet<string>): Hostile[] {
  return ROUTES.filter(({ id }) => !leftOut.has(id)).flatMap(({ id, path, query, body }) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name]);
    const asked = Object.keys(query?.shape ?? {}).map((name) => [name]);
    const fields = body ? fieldsOf(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Node) : [];
    return [
      ...each({ id, place: 'path' }, names, TEXTS),
      ...each({ id, place: 'query' }, asked, TEXTS),
      ...each({ id, place: 'body' }, fields, JSONS),
    ];
  });
}

function each(of: Pick<Hostile, 'id' | 'place'>, fields: readonly string[][], values: readonly string[]): Hostile[] {
  return fields.flatMap((field) => values.map((value) => ({ ...of, field, value })));
}

interface Node {
  $ref?: string;
  $defs?: Record<string, Node>;
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  anyOf?: Node[];
  oneOf?: Node[];
  items?: Node;
}

const MOST_DEEP = 6;

/** The paths of all fields of a body, also within lists and choices, and the body itself. */
function fieldsOf(root: Node): string[][] {
  const found = new Map<string, string[]>();
  const walk = (node: Node, path: string[]): void => {
    if (path.length > MOST_DEEP) return;
    found.set(path.join('\n'), path);
    for (const choice of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) walk(choice, path);
    for (const [name, inner] of Object.entries(node.properties ?? {})) walk(inner, [...path, name]);
    if (node.items) walk(node.items, [...path, '0']);
    if (typeof node.additionalProperties === 'object') walk(node.additionalProperties, [...path, 'any']);
    const named = node.$ref === undefined ? undefined : root.$defs?.[node.$ref.replace('#/$defs/', '')];
    if (named) walk(named, path);
  };
  walk(root, []);
  return [...found.values()];
}

const MARK = '@hostile@';

/** The example of a route, with a hostile value in one field. */
export function hostileRequest({ id, place, field, value }: Hostile, example: Example): Request {
  const [name = ''] = field;
  if (place === 'path') return requestOf(id, { ...example, params: { ...example.params, [name]: value } });
  const request = requestOf(id, example);
  if (place === 'query') {
    const { query, path, ...rest } = request;
    const pairs = Object.entries({ ...query, [name]: value }).map(([key, text]) => `${key}=${encodeSafely(text)}`);
    return { ...rest, path: `${path}?${pairs.join('&')}` };
  }
  const { body, ...rest } = request;
  return { ...rest, text: JSON.stringify(withMark(body, field)).replace(`"${MARK}"`, () => value) };
}

/** The value with the mark at a path; what is missing on the way is made. */
function withMark(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return MARK;
  if (step === '0') return [withMark(Array.isArray(value) ? value[0] : undefined, rest)];
  const object = typeof value === 'object' && value !== null ? { ...value } : {};
  return { ...object, [step]: withMark(Reflect.get(object, step), rest) };
}
