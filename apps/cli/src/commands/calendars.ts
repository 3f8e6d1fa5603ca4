import { deleteCalendar, getCalendar, listCalendars, saveCalendar } from '@escapement/api/routes';
import { briefly, EscapementError, parseJson } from '@escapement/core';
import type { CalendarSpec } from '@escapement/core/schedule';
import { checkCalendar } from '@escapement/operations';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readUtf8 } from '../options.ts';
import { counted, inUtc } from '../output/wording.ts';

/** `calendars list`, `show`, `set` and `delete`. */
export function addCalendars(program: Command, context: Context): void {
  const calendars = program
    .command('calendars')
    .description('named sets of times that tasks leave out: holidays, weekends');
  calendars
    .command('list')
    .description('all calendars, and how many tasks use each')
    .action(() => list(context));
  calendars
    .command('show')
    .description('a calendar as JSON, as `set` takes it, with the tasks that use it')
    .argument('<name>', 'name of the calendar')
    .action((name: string) => show(name, context));
  calendars
    .command('set')
    .description('save a calendar; the tasks that use it are planned anew from now on')
    .argument('<name>', 'name of the calendar')
    .argument('<file>', 'JSON as in docs/reference/schedules.md; - for standard input')
    .action((name: string, file: string) => set(name, file, context));
  calendars
    .command('delete')
    .description('delete a calendar that no task uses')
    .argument('<name>', 'name of the calendar')
    .action((name: string) => remove(name, context));
}

async function list(context: Context): Promise<void> {
  const { output } = context;
  const { items: found } = await withFleet(context, (fleet) => fleet.call(listCalendars, {}));
  output.table(found, found, [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'ZONE', value: ({ definition }) => definition.timeZone },
    { title: 'ENTRIES', value: ({ definition }) => String(definition.entries.length), align: 'right' },
    { title: 'TASKS', value: ({ tasks }) => String(tasks.length), align: 'right' },
    { title: 'VERSION', value: ({ version }) => String(version), align: 'right' },
    { title: 'SAVED', value: ({ savedAt, savedBy }) => `${inUtc(savedAt)} by ${savedBy}` },
    { title: 'DESCRIPTION', value: ({ definition }) => definition.description ?? '', wraps: true },
  ]);
  if (found.length === 0) output.note('there are no calendars; see `escapement calendars set --help`');
}

async function show(name: string, context: Context): Promise<void> {
  const found = await withFleet(context, (fleet) => fleet.call(getCalendar, { params: { name } }));
  context.output.result(found, () => JSON.stringify(found.definition, null, 2).split('\n'));
  if (context.output.format === 'table') context.output.note(usedBy(found.tasks));
}

function usedBy(tasks: readonly string[]): string {
  return tasks.length === 0 ? 'no task uses it' : `used by ${briefly(tasks)}`;
}

async function set(name: string, file: string, context: Context): Promise<void> {
  const body = checkCalendar(name, readCalendar(await readUtf8(file, context.stdin), file));
  const saved = await withFleet(context, (fleet) => fleet.call(saveCalendar, { params: { name }, body }));
  context.output.result({ name, ...saved }, () => [
    saved.kind === 'unchanged'
      ? `${name} is so already (version ${saved.version})`
      : `${name} is ${saved.kind} (version ${saved.version}); ${counted(saved.tasks.length, 'task')} planned anew`,
  ]);
}

/** Throws `bad_json`. */
function readCalendar(text: string, file: string): CalendarSpec {
  try {
    return parseJson(text, file) as CalendarSpec;
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new EscapementError('bad_json', `${file} is not JSON: ${why}`, {
      fix: 'see docs/reference/schedules.md for a calendar',
    });
  }
}

async function remove(name: string, context: Context): Promise<void> {
  await withFleet(context, (fleet) => fleet.call(deleteCalendar, { params: { name } }));
  context.output.result({ name, deleted: true }, () => [`${name} is deleted`]);
}
