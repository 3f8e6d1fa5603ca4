import { type TaskInput, taskDefinition } from '@escapement/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readManifests } from './read-manifests.ts';
import { toManifests } from './to-manifests.ts';

const taskNamed = (input: Partial<TaskInput> & { handler?: unknown }) =>
  taskDefinition.parse({ name: 't', handler: { type: 'shell', command: 'a' }, ...input });

const exported = (input: Partial<TaskInput>, paused = false) =>
  toManifests([{ definition: taskNamed(input), paused }], { image: 'shop:7' });

const CRON = { kind: 'cron', timeZone: 'Europe/Berlin', expression: '30 2 * * *' } as const;

const word = fc.string({ unit: fc.constantFrom(...` '"\\$()AB{}ab-é\n`), maxLength: 10 });
const env = fc.dictionary(fc.constantFrom('A', 'B', 'AB'), word, { minKeys: 1, maxKeys: 3 });
const handler = fc.oneof(
  fc.record({
    type: fc.constant('shell' as const),
    argv: fc.array(word, { maxLength: 4 }).map((rest) => ['/bin/a', ...rest]),
    env,
    cwd: fc.constant('/srv'),
  }),
  fc.record({ type: fc.constant('shell' as const), command: word.map((text) => `a ${text}`), env }),
  fc.record({
    type: fc.constant('shell' as const),
    command: word.map((text) => `a ${text}`),
    shell: fc.constant('/bin/bash'),
  }),
);
const pick = (low: number, high: number) => fc.integer({ min: low, max: high });
const schedule = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('*', '5', '*/7', '1-9/2', '0,30'),
      fc.constantFrom('*', '2', '9-17'),
      fc.constantFrom('*', '1', '*/2'),
      fc.constantFrom('*', '1-5', 'MON,FRI'),
    )
    .map(([minute, hour, day, weekday]) => ({ ...CRON, expression: `${minute} ${hour} ${day} * ${weekday}` })),
  pick(1, 100_000).map((seconds) => ({ kind: 'every' as const, everyMs: seconds * 1000 })),
);
const BACKOFF = { kind: 'exponential', delayMs: 10_000, capMs: 360_000 } as const;

test('what is written is read again as the same definition', () => {
  fc.assert(
    fc.property(
      handler,
      schedule,
      fc.constantFrom('skip', 'allow', 'replace'),
      pick(1, 9000),
      (given, spec, overlap, seconds) => {
        const startDeadlineMs = seconds * 1000;
        const definition: Partial<TaskInput> = {
          ...{ name: 'shop/report', schedule: spec, handler: given, overlap, timeoutMs: seconds * 1000 },
          ...{ startDeadlineMs, catchUp: { policy: 'latest', withinMs: startDeadlineMs }, labels: { team: 'shop' } },
        };
        const { manifests, left } = exported(definition);
        expect([left, manifests[0]?.differs]).toEqual([[], []]);
        const { tasks, refused } = readManifests([{ value: manifests[0]?.manifest, place: 'x' }], {
          timeZone: 'Asia/Tokyo',
        });
        expect(refused).toEqual([]);
        expect(taskDefinition.parse({ ...tasks[0]?.atFirst, ...tasks[0]?.task })).toEqual(taskNamed(definition));
      },
    ),
    { numRuns: 300 },
  );
});

test('attempts are those of a Job, a paused task is suspended', () => {
  const { manifests } = exported(
    { schedule: CRON, retry: { maxAttempts: 3, backoff: BACKOFF }, timeoutMs: 60_000 },
    true,
  );
  expect(manifests[0]).toMatchObject({
    manifest: {
      metadata: { name: 't' },
      spec: {
        ...{ schedule: '30 2 * * *', timeZone: 'Europe/Berlin', concurrencyPolicy: 'Forbid', suspend: true },
        jobTemplate: { spec: { backoffLimit: 2, activeDeadlineSeconds: 180 } },
      },
    },
    differs: ['the time limit there is for all attempts together'],
  });
});

test.each([
  ['0 30 2 * * 1', '30 2 * * 1'],
  ['@daily', '@daily'],
  ['@minutely', '* * * * *'],
  ['0 0 * * 7', '0 0 * * 0'],
])('%s is written as %s', (expression, written) => {
  expect(exported({ schedule: { ...CRON, expression } }).manifests[0]?.manifest).toMatchObject({
    spec: { schedule: written },
  });
});

test.each<[string, Partial<TaskInput>, RegExp]>([
  ['http', { handler: { type: 'http', url: 'https://example.com' } }, /type http/],
  ['seconds', { schedule: { ...CRON, expression: '*/5 * * * * *' } }, /otherwise, or not at all/],
  ['last days', { schedule: { ...CRON, expression: '0 0 L * *' } }, /otherwise, or not at all/],
  ['both day fields', { schedule: { ...CRON, expression: '0 0 1-7 * +MON' } }, /otherwise, or not at all/],
  ['a range over the end', { schedule: { ...CRON, expression: '0 0 * * FRI-MON' } }, /otherwise, or not at all/],
  ['a fixed delay', { schedule: { kind: 'fixed-delay', delayMs: 1000 } }, /kind fixed-delay/],
  ['by hand', { schedule: { kind: 'manual' } }, /kind manual/],
  ['standard input', { handler: { type: 'shell', command: 'a', stdin: 'b' } }, /standard input/],
])('Kubernetes cannot say it: %s', (_, input, reason) => {
  expect(exported({ schedule: CRON, ...input }).left).toEqual([{ name: 't', reason: expect.stringMatching(reason) }]);
});

test('names are those of DNS, and are not given twice in a namespace', () => {
  const tasks = ['shop/Report 1', 'shop/report_1', 'web/report-1', 'A/b/c'].map((name) => ({
    definition: { ...taskNamed({ schedule: CRON }), name },
    paused: false,
  }));
  const { manifests } = toManifests(tasks, { image: 'a', namespace: 'jobs' });
  expect(manifests.map(({ manifest }) => manifest.metadata)).toEqual([
    { name: 'report-1', namespace: 'shop' },
    { name: 'report-1-2', namespace: 'shop' },
    { name: 'report-1', namespace: 'web' },
    { name: 'a-b-c', namespace: 'jobs' },
  ]);
});

test('a secret is one of a Secret, and what differs is told', () => {
  const { manifests } = exported({
    ...{ schedule: CRON, pool: 'db1', catchUp: 'all' },
    handler: { type: 'shell', command: 'a', user: 'jobs', env: { T: { secret: 'ESCAPEMENT_SECRET_T' } } },
  });
  expect(manifests[0]?.differs).toEqual([
    'it runs on workers of the pool db1',
    expect.stringContaining('the policy here is all'),
    expect.stringContaining('it runs as jobs'),
    expect.stringContaining('has to have the key ESCAPEMENT_SECRET_T'),
  ]);
});
