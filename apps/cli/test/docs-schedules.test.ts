import { readFileSync } from 'node:fs';
import { nextFire, parseSchedule, ScheduleError, type ScheduleSpec } from '@escapement/core/schedule';
import { ManualClock } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { runCli } from './cli.ts';

const TEXT = readFileSync(new URL('../../../docs/reference/schedules.md', import.meta.url), 'utf8');
const NOW = new Date('2026-01-01T00:00:00Z');

/** `$ escapement ...` with what is printed below it, where no fleet is asked. */
const examples = [...TEXT.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  block.split(/^\$ escapement /m).flatMap((example): [string, string][] => {
    const [command = '', ...printed] = example.trimEnd().split('\n');
    return /^(?:next|explain) /.test(command) ? [[command, printed.join('\n')]] : [];
  }),
);

test.each(examples)('escapement %s', async (command, printed) => {
  const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const { stdout, stderr } = await runCli(args, { clock: new ManualClock(NOW) });
  expect(`${stdout}${stderr}`.trimEnd()).toBe(printed);
});

/** Rows of tables: a schedule, perhaps an instant, and what comes of it. */
const rows = [...TEXT.matchAll(/^\| `(\{.*\})` \|(?: (\S+Z) \|)? (.*) \|$/gm)].map(
  ([, spec = '', after = NOW.toISOString(), outcome = '']): [string, string, string] => [spec, after, outcome],
);

test.each(rows)('%s after %s: %s', (spec, after, outcome) => {
  expect(outcomeOf(JSON.parse(spec), new Date(after))).toBe(outcome);
});

test('the document has its examples', () => {
  expect(examples.length).toBeGreaterThan(25);
  expect(rows.length).toBeGreaterThan(25);
});

function outcomeOf(spec: ScheduleSpec, after: Date): string {
  try {
    return firesOf(spec, after);
  } catch (error) {
    if (error instanceof ScheduleError) return `\`${error.code}\`: ${error.message}`;
    throw error;
  }
}

function firesOf(spec: ScheduleSpec, after: Date): string {
  const schedule = parseSchedule(spec);
  const fires: string[] = [];
  for (let at = nextFire(schedule, after); at && fires.length < 3; at = nextFire(schedule, at))
    fires.push(at.toISOString().replace('.000Z', 'Z'));
  if (fires.length === 0) return 'never';
  return fires.length < 3 ? `${fires.join(', ')}, and never again` : fires.join(', ');
}
