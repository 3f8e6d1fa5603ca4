import { systemClock } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { findTask } from '@escapement/store';
import { by, finishedRun } from '@escapement/testkit';
import { fuzzOptions } from '@escapement/testkit/fuzz';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '../src/index.ts';
import { type Request, testApi } from './api.ts';
import type { Example } from './example.ts';
import { encodeSafely, exampleOf, fixture } from './fixture.ts';
import { type Hostile, hostileFields, hostileRequest } from './hostile-fields.ts';
import { startProvider } from './oidc/provider.ts';

/** `npm run fuzz` asks for more, and for others. */
const { inputs: numRuns, seed } = fuzzOptions({ FUZZ_INPUTS: '1000', ...process.env });

const provider = await startProvider();
await provider.know({ 'sub-ann': { preferred_username: 'ann', groups: ['ops'] } });
const api = await testApi('default', 'own', systemClock, { oidc: provider.settings });
const { db, ask, errors } = api;
await saveTask(
  db,
  {
    name: 'fuzzed',
    handler: { type: 'shell', command: 'true' },
    schedule: { kind: 'every', everyMs: 3_600_000 },
    labels: { team: 'shop' },
  },
  { source: 'api', by: by('root') },
);
const taskId = (await findTask(db, 'fuzzed'))?.id ?? '';
const runId = await triggerTask(db, 'fuzzed', { by: by('root') });
const endedId = await finishedRun(db, 'fuzzed-ended');

/** What fits somewhere, and what fits nowhere. */
const TEXTS = [
  ...[
    '',
    ' ',
    'x',
    '*',
    '%',
    '%25',
    '..',
    '/',
    '\\',
    "'",
    '"',
    ';--',
    '{{payload.a}}',
    '\u0000',
    '\ud800',
    '\u202e',
    '😀',
  ],
  ...[
    '0',
    '1',
    '-1',
    '1e9',
    '9'.repeat(30),
    '0x10',
    'NaN',
    'true',
    'false',
    'null',
    '[]',
    '{}',
    'now',
    '-24h',
    '7d',
    'P1D',
  ],
  ...[
    '2026-03-29T01:00:00Z',
    '9999-12-31T23:59:59Z',
    '-000001-01-01T00:00:00Z',
    '2126-01-01T00:00:00+14:00',
    '0001-01-01T00:00:00Z',
  ],
  ...[
    'fuzzed',
    'default',
    'inbox',
    'team=shop',
    'team=',
    'name',
    'next',
    'desc',
    'state:failed',
    'task:* error:a',
    '* * * * *',
    'UTC',
    'Mars/Base',
  ],
  ...[
    'a'.repeat(600),
    'eyJ2YWx1ZSI6IngiLCJpZCI6IngifQ',
    'eyJiZWZvcmUiOjF9',
    '0123456789abcdef',
    '"1"',
    '"99"',
    '__proto__',
    'constructor',
  ],
  ...[taskId, runId, endedId, '00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
];
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 20 }));
const scalar = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 0.5, 1e21, -0, 2 ** 31, 2 ** 53, Number.MAX_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(text, scalar, { maxKeys: 4 }) },
);

interface Node {
  properties?: Record<string, Node>;
  anyOf?: Node[];
  oneOf?: Node[];
  enum?: unknown[];
  const?: unknown;
  type?: string;
  items?: Node;
}

/** A value that a schema takes about half of the time. */
function fitting(node: Node, depth = 0): fc.Arbitrary<unknown> {
  const own: fc.Arbitrary<unknown>[] = [];
  if (node.const !== undefined) own.push(fc.constant(node.const));
  if (node.enum) own.push(fc.constantFrom(...node.enum));
  const choices = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  if (choices.length > 0 && depth < 4) own.push(fc.oneof(...choices.map((each) => fitting(each, depth + 1))));
  if (node.properties && depth < 4) {
    const fields = Object.entries(node.properties).map(([name, each]) => [name, fitting(each, depth + 1)]);
    own.push(fc.record(Object.fromEntries(fields), { requiredKeys: [] }));
  }
  if (node.type === 'array' && depth < 4) own.push(fc.array(fitting(node.items ?? {}, depth + 1), { maxLength: 3 }));
  if (node.type === 'integer' || node.type === 'number') own.push(fc.integer({ min: -1, max: 1200 }));
  if (node.type === 'boolean') own.push(fc.boolean());
  if (node.type === 'string') own.push(text);
  return own.length === 0
    ? value
    : fc.oneof({ weight: 6, arbitrary: fc.oneof(...own) }, { weight: 1, arbitrary: value });
}

const nodeOf = (schema: z.ZodType): Node => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node;

/**
 * Those that go on for ever are asked elsewhere; what ends the rights of whoever asks would end the test. `examineQueue` takes seconds, and
 * nothing that could be wrong.
 */
const LEFT_OUT = new Set(['watchEvents', 'watchRunLog', 'revokeToken', 'freezeFleet', 'examineQueue']);

const requests = ROUTES.filter(({ id }) => !LEFT_OUT.has(id)).map((route): fc.Arbitrary<Request & { id: string }> => {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const query = Object.keys(route.query?.shape ?? {});
  return fc
    .record({
      params: fc.array(text, { minLength: names.length, maxLength: names.length }),
      query: fc.dictionary(fc.oneof(fc.constantFrom(...query, 'x'), text), text, { maxKeys: 3 }),
      body: route.body ? fitting(nodeOf(route.body)) : fc.constant(undefined),
      match: fc.option(fc.constantFrom('*', '"1"', 'x', '"'), { nil: undefined }),
    })
    .map(({ params, query: asked, body, match }) => {
      let index = 0;
      const path = route.path.replaceAll(/:\w+/g, () => encodeSafely(params[index++] ?? ''));
      const pairs = Object.entries(asked).map(([name, each]) => `${encodeSafely(name)}=${encodeSafely(each)}`);
      const follow = pairs.filter((pair) => !pair.startsWith('follow'));
      return {
        id: route.id,
        method: route.method,
        path: `${path}${follow.length > 0 ? `?${follow.join('&')}` : ''}`,
        ...(body === undefined ? {} : { body }),
        headers: { origin: 'http://localhost', ...(match === undefined ? {} : { 'if-match': match }) },
      };
    });
});

/** They may make their session, or the whole fleet, useless for what comes after. */
const NOT_HOSTILE = new Set([...LEFT_OUT, 'endOidcSignIn', 'deleteSession']);
const all = hostileFields(NOT_HOSTILE);
/** More would not help whoever mends the first. */
const MOST_FOUND = 10;
const examples = new Map<string, Example>();

/** What the server has done wrong with a hostile value; undefined: nothing. */
async function wrongWith(hostile: Hostile): Promise<string | undefined> {
  const { id } = hostile;
  const example = examples.get(id) ?? (await exampleOf(id, await fixture(api, provider)));
  examples.set(id, example);
  const { cookie } = example;
  const request = hostileRequest(hostile, example);
  const signedIn = { ...request, headers: { ...request.headers, ...(cookie === undefined ? {} : { cookie }) } };
  const { status, text: answer } = await ask(signedIn, cookie === undefined ? undefined : null);
  const found = [...(status === 500 ? errors.splice(0) : []), ...(/\n {4}at /.test(answer) ? [answer] : [])];
  return found.length === 0
    ? undefined
    : `${JSON.stringify(hostile).slice(0, 300)}: ${found.join('\n').slice(0, 1200)}`;
}

test(
  'whatever value is in whatever field, the server answers, and makes no mistake of its own',
  async () => {
    const wrong: string[] = [];
    const [order = []] = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), { seed, numRuns: 1 });
    for (const hostile of order.slice(0, 2 * numRuns)) {
      const found = await wrongWith(hostile);
      if (found !== undefined && wrong.push(found) >= MOST_FOUND) break;
    }
    expect(wrong).toEqual([]);
  },
  Math.max(600_000, numRuns * 100),
);

test(
  'whatever is asked, the server answers, and makes no mistake of its own',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(...requests), async ({ id, ...request }) => {
        const { status, body } = await ask(request);
        if (status === 500) throw new Error(`${id}: ${errors.splice(0).join('\n').slice(0, 1500)}`);
        expect([id, status]).toEqual([id, expect.toSatisfy((each: number) => each >= 200 && each !== 500)]);
        if (status >= 400)
          expect(body).toMatchObject({ status, code: expect.any(String), requestId: expect.any(String) });
      }),
      { numRuns, seed },
    );
  },
  Math.max(600_000, numRuns * 100),
);
