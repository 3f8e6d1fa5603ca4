import { type TaskInput, taskDefinition } from '@escapement/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUnits } from './read-units.ts';
import { toUnits } from './to-units.ts';

const taskNamed = (input: Partial<TaskInput> & { handler?: unknown }) =>
  taskDefinition.parse({ name: 't', handler: { type: 'shell', command: 'a', user: 'jobs' }, ...input });

function exported(input: Partial<TaskInput>, paused = false) {
  return toUnits([{ definition: taskNamed(input), paused }]);
}

/** What is written, read again. */
function again(input: Partial<TaskInput>) {
  const { files, left } = exported(input);
  expect(left).toEqual([]);
  const given = files.map(({ name, text }) => ({ path: `/u/${name}`, text }));
  const timers = given.map(({ path }) => path).filter((path) => path.endsWith('.timer'));
  return readUnits({ files: given, timers, timeZone: 'Asia/Tokyo' });
}

const CRON = { kind: 'cron', timeZone: 'Europe/Berlin' } as const;
const NONE = { policy: 'none' } as const;

const word = fc.string({ unit: fc.constantFrom(...` '"\\$%;{}=ab-é\n\t`), minLength: 1, maxLength: 12 });
const path = fc.stringMatching(/^\/[a-z%$ ]{1,8}[a-z]$/);
const handler = fc
  .record({
    argv: fc.tuple(path, fc.array(word, { maxLength: 4 })).map(([program, rest]) => [program, ...rest]),
    env: fc.dictionary(fc.stringMatching(/^[A-Z_]{1,5}$/), word, { minKeys: 1, maxKeys: 3 }),
    cwd: path,
    user: fc.constantFrom('jobs', 'www-data'),
  })
  .map((each) => ({ type: 'shell' as const, ...each }));
const pick = (low: number, high: number) => fc.integer({ min: low, max: high });
const field = (low: number, high: number) =>
  fc.oneof(
    pick(low, high).map(String),
    fc.constant('*'),
    pick(2, 7).map((step) => `*/${step}`),
    pick(low + 1, high - 1).map((from) => `${from}-${high}`),
  );
const schedule = fc.oneof(
  fc
    .tuple(
      field(0, 59),
      field(0, 59),
      field(0, 23),
      fc.constantFrom('*', '1', 'L', 'L-2', '5-9'),
      field(1, 12),
      fc.constantFrom('*', 'MON-FRI', 'SAT,SUN'),
    )
    .map(([second, minute, hour, day, month, weekday]) => ({
      ...CRON,
      expression: [second, minute, hour, day, month, weekday].join(' '),
      ...(day !== '*' && weekday !== '*' ? { dayMatch: 'and' as const } : {}),
    })),
  pick(1, 100_000).map((seconds) => ({ kind: 'every' as const, everyMs: seconds * 1000 })),
  pick(1, 100_000).map((seconds) => ({ kind: 'fixed-delay' as const, delayMs: seconds * 1000 })),
);

test('what is written is read again as the same definition', () => {
  fc.assert(
    fc.property(handler, schedule, pick(1, 1000), (given, spec, seconds) => {
      const definition: Partial<TaskInput> = {
        ...{ schedule: spec, handler: given, timeoutMs: seconds * 1000, description: 'A % job' },
        ...(spec.kind === 'cron' ? { catchUp: NONE } : {}),
      };
      const { tasks, refused } = again(definition);
      expect(refused).toEqual([]);
      const read = taskDefinition.parse({ ...tasks[0]?.task });
      const plain = (task: typeof read) => ({ ...task, schedule: plainSchedule(task.schedule) });
      expect(plain(read)).toEqual(plain(taskNamed(definition)));
      expect(tasks[0]?.lost).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

/** `0` as the second is said by leaving it out. */
function plainSchedule(spec: object): object {
  if (!('expression' in spec)) return spec;
  return { ...spec, expression: String(spec.expression).replace(/^0 (?=(?:\S+ ){4}\S+$)/, '') };
}

test.each([
  [{ expression: '30 2 * * 1-5' }, ['Mon..Fri *-*-* 02:30:00 Europe/Berlin']],
  [{ expression: '@daily' }, ['*-*-* 00:00:00 Europe/Berlin']],
  [{ expression: '0 0 1 * 1' }, ['*-*-01 00:00:00 Europe/Berlin', 'Mon *-*-* 00:00:00 Europe/Berlin']],
  [{ expression: '0 9 * * 1#3' }, ['Mon *-*-15..21 09:00:00 Europe/Berlin']],
  [{ expression: '0 9 * * 5L' }, ['Fri *-*~07/1 09:00:00 Europe/Berlin']],
  [{ expression: '0 9 15,L * *' }, ['*-*-15 09:00:00 Europe/Berlin', '*-*~01 09:00:00 Europe/Berlin']],
  [{ expression: '0 22-2 * * FRI-MON' }, ['Mon,Fri..Sun *-*-* 22,23,00,01,02:00:00 Europe/Berlin']],
  [{ expression: '0 0 9 1-7 * +MON 2027' }, ['Mon 2027-*-01..07 09:00:00 Europe/Berlin']],
  [{ expression: '0 0 */2 * 1', dialect: 'vixie' }, ['Mon *-*-01/2 00:00:00 Europe/Berlin']],
])('%j is OnCalendar=%j', (spec, lines) => {
  const { files } = exported({ schedule: { ...CRON, ...spec } as TaskInput['schedule'] });
  const found = files[0]?.text.match(/(?<=^OnCalendar=).*$/gm);
  expect(found).toEqual(lines);
});

test('a start with the fleet, a delay and the user are written; a paused task is not to be enabled', () => {
  const [timer, service] = exported(
    { onFleetStart: true, schedule: { kind: 'every', everyMs: 60_000, jitterMs: 5000 } },
    true,
  ).files;
  expect(timer?.text).toMatch(/^OnActiveSec=1min\nOnUnitActiveSec=1min\nOnBootSec=0\nRandomizedDelaySec=5s$/m);
  expect(timer?.text).not.toContain('[Install]');
  expect(service?.text).toMatch(/^User=jobs\nWorkingDirectory=~\nExecStart=\/bin\/sh -c a$/m);
});

test.each<[string, Partial<TaskInput>, RegExp]>([
  ['http', { handler: { type: 'http', url: 'https://example.com' } }, /type http/],
  ['no user', { handler: { type: 'shell', command: 'a' } }, /would be root: give --user NAME/],
  ['a secret', { handler: { type: 'shell', command: 'a', user: 'a', env: { A: { secret: 'B' } } } }, /A is a secret/],
  ['by hand', {}, /runs by hand/],
  ['W', { schedule: { ...CRON, expression: '0 0 15W * *' } }, /nearest working day/],
  ['an offset', { schedule: { ...CRON, expression: '0 0 1 * *', dayOffset: -1 } }, /days before/],
  [
    'rrule',
    { schedule: { kind: 'rrule', rule: 'FREQ=DAILY', dtStart: '2026-01-01T00:00', timeZone: 'UTC' } },
    /recurrence/,
  ],
  ['an end', { schedule: { ...CRON, expression: '@daily', endAt: '2030-01-01T00:00:00Z' } }, /an end/],
  ['standard input', { handler: { type: 'shell', command: 'a', user: 'a', stdin: 'b' } }, /standard input/],
])('systemd cannot say it: %s', (_, input, reason) => {
  const schedule = { ...CRON, expression: '@daily' };
  const { left } = exported(_ === 'by hand' ? input : { schedule, ...input });
  expect(left).toEqual([{ name: 't', reason: expect.stringMatching(reason) }]);
});

test('what differs is a comment; nothing with a line break begins a line of its own', () => {
  const evil = 'x\n[Service]\nExecStart=/bin/evil';
  const { files } = toUnits([
    {
      definition: taskNamed({
        ...{ schedule: { ...CRON, expression: '@daily' }, description: evil, retry: { maxAttempts: 3 }, pool: 'db1' },
        handler: { type: 'shell', command: evil, user: 'a', env: { A: evil } },
      }),
      paused: false,
    },
  ]);
  const all = files.map(({ text }) => text).join('\n');
  expect(all).toContain('# differs: up to 3 attempts here, one there');
  expect(all).toContain('# differs: it runs on workers of the pool db1');
  expect(all.match(/^ExecStart=.*$/gm)).toHaveLength(1);
  expect(all.match(/^\[Service\]$/gm)).toHaveLength(1);
});

test('names of units have no slash and are not given twice', () => {
  const schedule = { ...CRON, expression: '@daily' };
  const tasks = ['a/b', 'a-b', 'dump@shop'].map((name) => ({
    definition: taskNamed({ name, schedule }),
    paused: false,
  }));
  expect(
    toUnits(tasks)
      .files.map(({ name }) => name)
      .filter((name) => name.endsWith('.timer')),
  ).toEqual(['a-b.timer', 'a-b.2.timer', 'dump@shop.timer']);
});
