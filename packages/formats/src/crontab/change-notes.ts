import { redactUnknownDefinition } from '@escapement/core/mask';
import type { PlannedLine } from './plan.ts';

/** What a line changes about its task, and that another source has the same. */
export function changeNotes(planned: PlannedLine | undefined): string[] {
  if (planned?.action === 'duplicate')
    return [
      `${planned.source} has this line already, as this task; two would run everything twice (--pool to have both)`,
    ];
  if (planned?.action !== 'update') return [];
  return planned.changes.map(({ field, from, to }) => `${field}: ${brief(field, from)} -> ${brief(field, to)}`);
}

const BRIEF_CHARACTERS = 120;

/** Masked before it is cut: of a secret cut in two nobody knows what it was. */
function brief(field: string, value: unknown): string {
  const said = saidBriefly(shownField(field, value));
  return said.length <= BRIEF_CHARACTERS ? said : `${said.slice(0, BRIEF_CHARACTERS)}...`;
}

function shownField(field: string, value: unknown): unknown {
  if (field !== 'handler' && field !== 'notify') return value;
  const shown = redactUnknownDefinition({ name: 'shown', handler: { type: 'shell', command: 'true' }, [field]: value });
  return typeof shown === 'object' && shown !== null ? Reflect.get(shown, field) : undefined;
}

/** A schedule by its expression, a command alone where that is all there is. */
function saidBriefly(value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value !== 'object' || value === null) return String(value);
  if ('expression' in value && 'timeZone' in value) return `${value.expression} (${value.timeZone})`;
  if ('command' in value && Object.keys(value).length === 2) return String(value.command);
  return JSON.stringify(value);
}
