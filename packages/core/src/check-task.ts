import { EscapementError } from './errors.ts';
import { admitJson, refuseForbiddenKeys } from './json.ts';
import { checkKeyTemplate, renderKey } from './key.ts';
import { maskedPlace } from './mask/index.ts';
import { checkRateKey } from './rate-key.ts';
import { refusals } from './refusal.ts';
import { checkShift, parseSchedule } from './schedule/index.ts';
import { type TaskDefinition, type TaskInput, taskDefinition } from './task.ts';
import { nearestTaskKey } from './task-keys.ts';

/** Checks a definition as far as it can be without a database, and fills in the defaults. */
export function checkTask(input: TaskInput): TaskDefinition {
  return checkUnknownTask(input);
}

/** The same for what comes from a file or from the database. */
export function checkUnknownTask(given: unknown): TaskDefinition {
  const input: { name?: unknown; payload?: unknown } = typeof given === 'object' && given !== null ? given : {};
  refuseForbiddenKeys(given, `task ${input.name}`);
  if (input.payload !== undefined) admitJson(input.payload, `payload of task ${input.name}`);
  const parsed = taskDefinition.safeParse(given);
  if (!parsed.success)
    throw badDefinition(
      input.name,
      refusals(parsed.error.issues, given, { root: 'the task', nearestKey: nearestTaskKey }),
    );
  const definition = parsed.data;
  const masked = maskedPlace(definition);
  if (masked !== undefined)
    throw new EscapementError(
      'masked_value',
      `task ${definition.name}: ${masked} is ***, which stands for a secret that is not shown`,
      {
        fix: 'give the value itself, or better a reference: { "secret": "NAME" }',
      },
    );
  const schedule = parseSchedule(definition.schedule, { seed: definition.name });
  if (definition.calendars?.shift) checkShift(schedule, new Date(0));
  checkKeyTemplate(definition.key ?? definition.name);
  checkRateKey(definition);
  admitJson(JSON.parse(JSON.stringify(definition)), `task ${definition.name}`, 256 * 1024);
  if (definition.schedule.kind !== 'manual' || definition.onFleetStart)
    renderKey(definition.key ?? definition.name, definition.payload);
  return definition;
}

function badDefinition(name: unknown, list: readonly string[]): EscapementError {
  return new EscapementError('bad_task', `task ${JSON.stringify(name ?? '?')} is not valid: ${list.join('; ')}`, {
    fix: 'see docs/reference/tasks.md for what a task may say',
  });
}
