import { readInstant } from '@escapement/core';
import { readAuditLog } from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../../http/cursor.ts';
import { route } from '../../http/route.ts';
import { auditLogEntry } from '../../schemas/run.ts';
import { afterIn, countIn, pageOf } from '../../schemas/values.ts';

const place = z.object({ before: z.int() });

export const listAudit = route({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag: 'access',
  summary: 'What people and programs did, and what was refused to them, the latest first; kept for a year.',
  right: 'read-payload',
  on: () => null,
  audit: null,
  query: z.strictObject({
    subject: z
      .string()
      .max(600)
      .optional()
      .meta({ description: 'Only what was done to it: `task:NAME`, `run:ID`, `pool:NAME`.' }),
    principal: z.string().max(200).optional().meta({ description: 'Only what this one did, by name or id.' }),
    action: z.string().max(100).optional(),
    request: z.string().max(100).optional().meta({
      description: 'Only what was done in this request: its `requestId`, or of a bulk action the id of `GET /v1/bulk`.',
    }),
    refused: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Only what was refused, or only what was done.' }),
    parts: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Also each task and run that a bulk action was done to.' }),
    since: z.string().max(40).optional().meta({ description: 'Then or later: ISO 8601, or a span such as 2h.' }),
    until: z.string().max(40).optional(),
    after: afterIn,
    limit: countIn(1, 1000, 50),
  }),
  answer: pageOf(auditLogEntry).meta({ id: 'AuditPage' }),
  handle: async ({ db, clock, query }) => {
    const { subject, principal, action, request, refused, parts, since, until, after, limit } = query;
    const instant = (what: string, text: string) =>
      readInstant(text, { what, now: clock.now(), spans: 'ago', timeZone: 'UTC' });
    const entries = await readAuditLog(db, {
      ...(subject === undefined ? {} : { subject }),
      ...(principal === undefined ? {} : { principal }),
      ...(action === undefined ? {} : { action }),
      ...(request === undefined ? {} : { requestId: request }),
      ...(refused === undefined ? {} : { refused: refused === 'true' }),
      ...(parts === undefined ? {} : { parts: parts === 'true' }),
      ...(since === undefined ? {} : { since: instant('since', since) }),
      ...(until === undefined ? {} : { until: instant('until', until) }),
      ...(after === undefined ? {} : placeOf(place, after)),
      limit,
    });
    const items = entries.toReversed();
    const last = items.at(-1);
    return { items, next: items.length === limit && last ? cursorOf({ before: last.id }) : null };
  },
});
