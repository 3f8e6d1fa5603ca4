import { z } from 'zod';
import { EscapementError } from '../errors.ts';
import { zoneOf } from '../schedule/zone.ts';

/** Says what is wrong with a text that something else reads. */
export function readable(read: (text: string) => unknown) {
  return (text: string, { addIssue }: Pick<z.RefinementCtx, 'addIssue'>): void => {
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      addIssue({ code: 'custom', message: error.fix ? `${error.message}; ${error.fix}` : error.message });
    }
  };
}

/** IANA name. */
export const timeZone = z.string().min(1).superRefine(readable(zoneOf));

export const localTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:MM');

/** 1 is Monday, 7 Sunday (ISO 8601). */
export const isoDays = z.array(z.int().min(1).max(7)).min(1);
