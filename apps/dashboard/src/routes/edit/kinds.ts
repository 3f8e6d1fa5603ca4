import type { components } from '../../api/generated/openapi.ts';
import { HOUR, MINUTE } from '../../time/durations.ts';
import type { Draft } from './draft.ts';

type Definition = components['schemas']['TaskDescription']['definition'];
export type ScheduleKind = NonNullable<Definition['schedule']>['kind'];
export type HandlerType = Definition['handler']['type'];

interface Now {
  nowMs: number;
  timeZone: string;
}

/** A schedule of a kind to begin with. */
export function newSchedule(kind: ScheduleKind, { nowMs, timeZone }: Now): Draft {
  const inAnHour = new Date(Math.ceil((nowMs + HOUR) / MINUTE) * MINUTE).toISOString();
  switch (kind) {
    case 'cron':
      return { kind, expression: '30 2 * * *', timeZone };
    case 'every':
      return { kind, everyMs: HOUR };
    case 'fixed-delay':
      return { kind, delayMs: HOUR };
    case 'once':
      return { kind, at: inAnHour };
    case 'rrule':
      return { kind, rule: 'FREQ=WEEKLY;BYDAY=MO', dtStart: inAnHour.slice(0, 16), timeZone };
    case 'manual':
      return { kind };
  }
}

/** A handler of a type to begin with. */
export function newHandler(type: HandlerType): Draft {
  switch (type) {
    case 'shell':
      return { type, command: '' };
    case 'http':
      return { type, method: 'POST', url: '' };
    case 'code':
      return { type, name: '' };
  }
}

export const newDraft = (now: Now): Draft => ({
  name: '',
  schedule: newSchedule('cron', now),
  handler: newHandler('shell'),
});
