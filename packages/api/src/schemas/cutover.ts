import { CUTOVER_STATES, SIDES } from '@escapement/core/shadow';
import type { ShadowedLine } from '@escapement/operations';
import { z } from 'zod';
import { at } from './values.ts';

/** Which lines of crontabs are meant. */
export const crontabIn = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: 'Of this crontab, or of the crontabs of this host (`NAME:PATH`), only.' });

/** Whether a host has taken a cut-over. */
export const answerOfHost = z.enum(['taken', 'refused']);

/** From an instant on a line of a crontab is run by the other side. */
export const cutover = z
  .object({
    id: z.uuid(),
    host: z.string(),
    to: z.enum(SIDES),
    at: at.meta({ description: 'From then on the line is run by the other side.' }),
    state: z.enum(CUTOVER_STATES).meta({ description: 'What the host has answered, else what a person has said.' }),
    askedBy: z.string(),
    askedAt: at,
    reason: z.string().nullable(),
    settled: answerOfHost.nullable().meta({ description: 'What a person has said in the place of the host.' }),
    settledBy: z.string().nullable(),
    answer: answerOfHost.nullable(),
    answeredAt: at.nullable().meta({ description: 'By the clock of the host.' }),
  })
  .meta({ id: 'Cutover' });

export function seenCutover({ line: _, taskId: __, ...shown }: NonNullable<ShadowedLine['cutover']>) {
  return shown;
}
