import { taskDefinition } from '@escapement/core';
import { expect, test } from 'vitest';
import files from '../../test/corpora/crontabs.json' with { type: 'json' };
import { type CrontabLine, parseCrontab } from './parse.ts';
import { planImport } from './plan.ts';
import { toCrontab } from './to-crontab.ts';
import { toTask } from './to-task.ts';

interface File {
  id: string;
  system: boolean;
  crlf: boolean;
  finalNewline: boolean;
  lines: { line: number; kind: string; text: string }[];
}

/** Comments and blank lines are not in the corpus: here they are blank. */
function textOf({ lines, crlf, finalNewline }: File): string {
  const count = lines.at(-1)?.line ?? 0;
  const rows = Array.from({ length: count }, (_, index) => lines.find(({ line }) => line === index + 1)?.text ?? '');
  const end = crlf ? '\r\n' : '\n';
  return rows.join(end) + (finalNewline ? end : '');
}

function refusedIn(file: File): { id: string; line: number; reason: string }[] {
  return parseCrontab(textOf(file), { system: file.system }).flatMap((line) => {
    const reason = reasonOf(line);
    return reason === undefined ? [] : [{ id: file.id, line: line.line, reason }];
  });
}

function reasonOf(line: CrontabLine): string | undefined {
  if (line.kind === 'bad') return line.reason;
  if (line.kind !== 'schedule') return undefined;
  const result = toTask(line, { timeZone: 'UTC', timeZoneFrom: '--tz' });
  return result.ok ? undefined : result.reason;
}

function wantedOf(file: File) {
  return parseCrontab(textOf(file), { system: file.system }).flatMap((line) => {
    const result = line.kind === 'schedule' ? toTask(line, { timeZone: 'UTC', timeZoneFrom: '--tz' }) : undefined;
    return result?.ok ? [{ line: line.line, task: result.task }] : [];
  });
}

test('each line of the 154 crontabs is what it is known to be, or refused', () => {
  for (const file of files) {
    const parsed = parseCrontab(textOf(file), { system: file.system });
    const kinds = parsed.filter(({ kind }) => kind !== 'blank').map(({ line, kind }) => ({ line, kind }));
    const known = file.lines.map(({ line, kind }) => ({ line, kind: kind === 'env' ? 'env' : 'line' }));
    expect(kinds.map(({ line, kind }) => ({ line, kind: kind === 'env' ? 'env' : 'line' }))).toEqual(known);
  }
});

test('of 454 schedule lines 441 are imported, 13 refused, each for a reason that is true; all 100 settings are read', () => {
  const refused = files.flatMap(refusedIn);
  const parsed = files.flatMap((file) => parseCrontab(textOf(file), { system: file.system }));
  expect(files).toHaveLength(154);
  expect(parsed.filter(({ kind }) => kind === 'env')).toHaveLength(100);
  expect(files.flatMap(wantedOf)).toHaveLength(441);
  expect(refused.map(({ id, line }) => `${id}:${line}`)).toEqual([
    ...['c033:2', 'c079:2'],
    ...['c090:1', 'c101:1', 'c101:2', 'c101:3', 'c101:4', 'c101:5', 'c101:6', 'c101:7', 'c109:2', 'c109:3', 'c109:9'],
  ]);
  for (const { id, reason } of refused)
    expect(reason).toMatch(id === 'c033' || id === 'c079' ? /^day of month: 0 / : /user column.*without --system/);
});

test('the lines refused for their user column are imported as a user crontab', () => {
  for (const file of files.filter(({ id }) => ['c090', 'c101', 'c109'].includes(id)))
    expect(refusedIn({ ...file, system: false })).toEqual([]);
});

test('a second import of each crontab changes nothing, and all names are different', () => {
  const names = new Set<string>();
  for (const file of files) {
    const wanted = wantedOf(file);
    const { lines } = planImport({ wanted, existing: [], source: file.id });
    const existing = lines.flatMap((line) =>
      line.action === 'create'
        ? [{ name: line.name, source: file.id, definition: taskDefinition.parse(line.task) }]
        : [],
    );
    for (const { name } of existing) names.add(name);
    const again = planImport({ wanted, existing, source: file.id });
    expect(again.lines.map(({ action }) => action)).toEqual(wanted.map(() => 'unchanged'));
    expect(again.removed).toEqual([]);
  }
  expect(names.size).toBe(441);
});

test('each task that came from a crontab can go back into one', () => {
  for (const file of files) {
    const tasks = wantedOf(file).map(({ task }, index) => ({
      definition: taskDefinition.parse({ ...task, name: `t${index}` }),
      paused: false,
    }));
    expect(toCrontab(tasks, { system: file.system }).left).toEqual([]);
  }
});
