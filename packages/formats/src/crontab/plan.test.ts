import { taskDefinition } from '@escapement/core';
import { expect, test } from 'vitest';
import type { ExistingTask } from './match.ts';
import { parseCrontab } from './parse.ts';
import { type ImportPlan, planImport } from './plan.ts';
import { toTask } from './to-task.ts';

function wantedOf(text: string, pool?: string) {
  return parseCrontab(text).flatMap((line) => {
    if (line.kind !== 'schedule') return [];
    const result = toTask(line, { timeZone: 'UTC', timeZoneFrom: '--tz', pool });
    return result.ok ? [{ line: line.line, task: result.task }] : [];
  });
}

/** The tasks there are after a file was imported into nothing. */
function imported(text: string, source = 's'): ExistingTask[] {
  const { lines } = planImport({ wanted: wantedOf(text), existing: [], source });
  return lines.flatMap((line) =>
    line.action === 'create' ? [{ name: line.name, source, definition: taskDefinition.parse(line.task) }] : [],
  );
}

function plan(before: string, after: string): ImportPlan & { actions: string[] } {
  const result = planImport({ wanted: wantedOf(after), existing: imported(before), source: 's' });
  return { ...result, actions: result.lines.map(({ action }) => action) };
}

const THREE = '0 1 * * * /bin/backup db\n0 2 * * * /bin/report weekly\n@reboot /bin/up\n';

test('a second import changes nothing, in whatever order the lines stand', () => {
  expect(plan(THREE, THREE)).toMatchObject({ actions: ['unchanged', 'unchanged', 'unchanged'], removed: [] });
  const reversed = THREE.trim().split('\n').reverse().join('\n');
  expect(plan(THREE, reversed)).toMatchObject({ actions: ['unchanged', 'unchanged', 'unchanged'], removed: [] });
});

test('a changed schedule is an update of the same task', () => {
  const { lines, removed } = plan(THREE, THREE.replace('0 1', '30 1'));
  const [before] = imported(THREE);
  expect(lines[0]).toMatchObject({
    action: 'update',
    name: before?.name,
    changes: [{ field: 'schedule', to: { expression: '30 1 * * *' } }],
  });
  expect(removed).toEqual([]);
});

test('a changed command is an update of the same task, which keeps its name, also at the import after', () => {
  const after = THREE.replace('/bin/backup db', '/bin/backup db --compress');
  const { lines, removed } = plan(THREE, after);
  const [before] = imported(THREE);
  expect(lines[0]).toMatchObject({ action: 'update', name: before?.name, changes: [{ field: 'handler' }] });
  expect(removed).toEqual([]);
  const [update] = lines;
  const existing = imported(THREE).map((task) =>
    update?.action === 'update' && task.name === update.name
      ? { ...task, definition: taskDefinition.parse(update.task) }
      : task,
  );
  const again = planImport({ wanted: wantedOf(after), existing, source: 's' });
  expect(again.lines.map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'unchanged']);
});

test('a command replaced on its schedule is an update where the file is evidently the same', () => {
  expect(plan(THREE, THREE.replace('/bin/backup db', '/opt/x'))).toMatchObject({
    actions: ['update', 'unchanged', 'unchanged'],
  });
  expect(plan('* * * * * a', '* * * * * something else')).toMatchObject({ actions: ['update'] });
});

test('another crontab under the same name does not take over the tasks', () => {
  const result = plan('0 1 * * * /bin/aaa\n0 2 * * * /bin/bbb', '0 1 * * * zzz --x\n0 2 * * * yyy --y');
  expect(result.actions).toEqual(['create', 'create']);
  expect(result.removed).toHaveLength(2);
});

test('settings above a line count as changes of it', () => {
  expect(plan('* * * * * a', 'A=1\n* * * * * a').lines[0]).toMatchObject({
    action: 'update',
    changes: [{ field: 'handler' }],
  });
  expect(plan('MAILTO=""\n* * * * * a', '* * * * * a').lines[0]).toMatchObject({
    action: 'update',
    changes: [{ field: 'handler' }, { field: 'notify', from: { none: true }, to: undefined }],
  });
});

test('a new line is created and one that is gone is named', () => {
  const result = plan(THREE, THREE.replace(/^.*weekly\n/m, '*/5 * * * * new\n'));
  expect(result.actions).toEqual(['unchanged', 'create', 'unchanged']);
  expect(result.removed).toMatchObject([{ definition: { handler: { command: '/bin/report weekly' } } }]);
});

test('the same command on several schedules is several tasks', () => {
  const twice = '0 1 * * * a\n0 2 * * * a\n';
  const names = imported(twice).map(({ name }) => name);
  expect(names[1]).toBe(`${names[0]}-2`);
  expect(plan(twice, twice).actions).toEqual(['unchanged', 'unchanged']);
  const changed = plan(twice, '0 1 * * * a\n0 3 * * * a\n');
  expect(changed.lines).toMatchObject([{ action: 'unchanged' }, { action: 'update', name: names[1] }]);
});

test('what somebody set on the task and a crontab cannot say stays', () => {
  const existing = imported(THREE).map((task) => ({
    ...task,
    definition: { ...task.definition, retry: { maxAttempts: 3 }, pool: 'db1', timeoutMs: 5000 },
  }));
  const result = planImport({ wanted: wantedOf(THREE), existing, source: 's' });
  expect(result.lines.map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  const [update] = planImport({ wanted: wantedOf(THREE.replace('0 1', '5 1')), existing, source: 's' }).lines;
  expect(update).toMatchObject({ action: 'update', task: { retry: { maxAttempts: 3 }, pool: 'db1', timeoutMs: 5000 } });
});

test('a pool that is given is a change', () => {
  const [update] = planImport({ wanted: wantedOf(THREE, 'db1'), existing: imported(THREE), source: 's' }).lines;
  expect(update).toMatchObject({ action: 'update', changes: [{ field: 'pool', from: 'default', to: 'db1' }] });
});

test('tasks of other sources are neither updated nor removed', () => {
  const existing = imported(THREE, 'other');
  const result = planImport({ wanted: wantedOf('5 5 * * * /bin/backup db'), existing, source: 's' });
  expect(result).toMatchObject({ lines: [{ action: 'create' }], removed: [] });
});

test('a line that another source has already is not made a second time, unless it is for another pool', () => {
  const existing = imported(THREE, 'other');
  expect(planImport({ wanted: wantedOf(THREE), existing, source: 's' }).lines[0]).toMatchObject({
    action: 'duplicate',
    source: 'other',
    name: existing[0]?.name,
  });
  const elsewhere = planImport({ wanted: wantedOf(THREE, 'db1'), existing, source: 's' });
  expect(elsewhere.lines.map(({ action }) => action)).toEqual(['create', 'create', 'create']);
});

test('new tasks are of the pool for new ones, where none is asked for; what is there keeps its own', () => {
  const actions = (existing: ExistingTask[], pool?: string) =>
    planImport({ wanted: wantedOf(THREE, pool), existing, source: 's', newPool: 'web1' }).lines;
  expect(actions([])).toMatchObject([
    { task: { pool: 'web1' } },
    { task: { pool: 'web1' } },
    { task: { pool: 'web1' } },
  ]);
  expect(actions([], 'eu')[0]).toMatchObject({ task: { pool: 'eu' } });
  expect(actions(imported(THREE)).map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  // On another host's pool the same line is a task of its own.
  expect(actions(imported(THREE, 'other')).map(({ action }) => action)).toEqual(['create', 'create', 'create']);
});
