import { inUtc, type TaskDefinition } from '@escapement/core';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { cannotSay } from '../translated/translated.ts';
import { calendarsOf } from './calendar/write-calendar.ts';
import { spanText } from './time-span.ts';

/** The lines of the `[Timer]` section, and what they say otherwise. Throws `cannot_say`. */
export function timerLines({ name, schedule, onFleetStart, catchUp }: TaskDefinition, notes: string[]): string[] {
  if (schedule.startAt ?? schedule.endAt ?? schedule.maxRuns)
    throw cannotSay('its schedule has a start, an end or a number of runs', 'systemd has nothing like it');
  const lines = scheduleLines(schedule, name, notes);
  if (onFleetStart) lines.push('OnBootSec=0');
  if (lines.length === 0) throw cannotSay('it has no schedule, it runs by hand', '`systemctl start` runs a service');
  if (schedule.jitterMs) lines.push(`RandomizedDelaySec=${spanText(schedule.jitterMs)}`);
  if (lines.some((line) => line.startsWith('OnCalendar=')))
    lines.push(`Persistent=${catchUp?.policy !== 'none'}`, 'AccuracySec=1s');
  if (catchUp && !['none', 'latest'].includes(catchUp.policy))
    notes.push(`of what was missed one run is made up for, the policy here is ${catchUp.policy}`);
  return lines;
}

function scheduleLines(spec: ScheduleSpec, name: string, notes: string[]): string[] {
  switch (spec.kind) {
    case 'cron':
      if (spec.dst) notes.push('systemd has no choice of what happens when the clock changes');
      return calendarsOf(spec, name).map((text) => `OnCalendar=${text}`);
    case 'every':
      if (spec.phaseMs || spec.anchor) notes.push('the interval counts from the last start, not from a grid');
      return [`OnActiveSec=${spanText(spec.everyMs)}`, `OnUnitActiveSec=${spanText(spec.everyMs)}`];
    case 'fixed-delay':
      return [`OnActiveSec=${spanText(spec.delayMs)}`, `OnUnitInactiveSec=${spanText(spec.delayMs)}`];
    case 'once':
      return [`OnCalendar=${instantText(spec.at)}`];
    case 'manual':
      return [];
    case 'rrule':
      throw cannotSay('systemd knows no recurrence rules', 'write it as a cron expression');
  }
}

function instantText(at: string): string {
  return inUtc(new Date(at))
    .replace('T', ' ')
    .replace(/(?:\.\d+)?Z$/, ' UTC');
}
