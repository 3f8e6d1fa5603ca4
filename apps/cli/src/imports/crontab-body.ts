import { MINUTE } from '@escapement/core';
import type { ImportReport } from '@escapement/formats';
import { describeCrontab } from '@escapement/operations';
import { systemZone } from '../output/wording.ts';

/** Thousands of tasks are saved one after the other. */
export const IMPORT_TIMEOUT_MS = 5 * MINUTE;

interface CrontabText {
  text: string;
  name: string;
  system: boolean;
  user: string | undefined;
}

/** How a crontab is to be read. */
interface HowToRead {
  shadow: boolean;
  pool?: string | undefined;
  newPool?: string | undefined;
  tz?: string | undefined;
}

export type CrontabBody = ReturnType<typeof crontabBody>;

/** A crontab, as the API takes it. */
export function crontabBody(crontab: CrontabText, { shadow, pool, newPool, tz }: HowToRead) {
  return { ...crontab, shadow, pool, newPool, timeZone: tz ?? systemZone(), zoneOfMachine: tz === undefined };
}

/** What it becomes where nobody can be asked: everything would be new. */
export function describeBody({ zoneOfMachine, ...body }: CrontabBody, now: Date): ImportReport {
  return describeCrontab({ ...body, timeZoneFrom: zoneOfMachine ? 'system' : '--tz' }, now);
}
