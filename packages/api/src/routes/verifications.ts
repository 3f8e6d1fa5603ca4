import { ledgerVerification, readInstant } from '@escapement/core';
import {
  askLedgerVerification,
  listVerifications,
  readingOfVerification,
  requireVerification,
  type VerificationView,
} from '@escapement/operations';
import { z } from 'zod';
import { type RequestContext, route } from '../http/route.ts';
import { principalOut } from '../schemas/run.ts';
import { at, countIn, labelIn, reasonIn } from '../schemas/values.ts';

const MOST_DAYS = 31;
const USUAL_HOURS = 24;

const verification = z
  .object({
    id: z.string(),
    task: z.string().nullable().meta({ description: 'Only this task was compared; null: all were.' }),
    label: z.string().nullable().meta({ description: 'Only tasks with these labels were compared; null: all were.' }),
    from: at,
    to: at,
    askedBy: principalOut,
    reason: z.string().nullable(),
    askedAt: at,
    answeredAt: at.nullable(),
    state: z.enum(['waiting', 'running', 'done', 'failed']),
    ok: z.boolean().nullable().meta({ description: 'Without a gap; null: it is not known yet.' }),
    found: ledgerVerification
      .nullable()
      .meta({ description: 'What was compared until `verifiedTo`; null: no scheduler has begun.' }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'LedgerVerification' });

const about = { tag: 'ledger', right: 'read' } as const;

export const verifyLedger = route({
  ...about,
  id: 'verifyLedger',
  method: 'POST',
  path: '/v1/ledger-verifications',
  summary: 'Compute what should have happened, and compare it with the ledger. A scheduler does it, one at a time.',
  description: `At most ${MOST_DAYS} days. \`Location\` tells how far it is.`,
  on: 'action',
  audit: 'ask',
  body: z.strictObject({
    from: z
      .string()
      .max(40)
      .default(`${USUAL_HOURS}h`)
      .meta({ description: 'First occurrence: ISO 8601, or a span before now such as 24h.' }),
    to: z.string().max(40).default('now').meta({ description: 'Last occurrence; at most ten seconds ago.' }),
    task: z.string().min(1).max(250).optional().meta({ description: 'Only this task.' }),
    label: labelIn,
    reason: reasonIn,
  }),
  status: 202,
  answer: z.object({ id: z.string() }).meta({ id: 'LedgerVerificationStarted' }),
  handle: async ({ db, by, clock, body, header }) => {
    const { task, label: labels, reason } = body;
    const shared = { now: clock.now(), spans: 'ago', timeZone: 'UTC' } as const;
    const range = {
      from: readInstant(body.from, { what: 'from', ...shared }),
      to: readInstant(body.to, { what: 'to', ...shared }),
    };
    const id = await askLedgerVerification(db, { ...range, task, labels }, by(reason));
    header('location', `/v1/ledger-verifications/${id}`);
    return { id };
  },
});

interface OfVerification extends Pick<RequestContext, 'db' | 'clock'> {
  params: { id: string };
}

const viewOf = async ({ db, clock, params }: OfVerification) => await requireVerification(db, params.id, clock.now());

export const getLedgerVerification = route({
  ...about,
  id: 'getLedgerVerification',
  method: 'GET',
  path: '/v1/ledger-verifications/:id',
  summary: 'How far a verification of the ledger is, and what it has found. Kept for a day.',
  on: async (asked) => readingOfVerification(await viewOf(asked)),
  audit: null,
  missing: ['unknown_verification'],
  params: z.object({ id: z.uuid() }),
  answer: verification,
  handle: async (asked) => answerOf(await viewOf(asked)),
});

export const listLedgerVerifications = route({
  ...about,
  id: 'listLedgerVerifications',
  method: 'GET',
  path: '/v1/ledger-verifications',
  summary: 'The verifications of the ledger of the last day, the latest first.',
  on: () => null,
  audit: null,
  query: z.strictObject({ limit: countIn(1, 100, 20) }),
  answer: z.object({ items: z.array(verification) }).meta({ id: 'LedgerVerifications' }),
  handle: async ({ db, clock, query }) => ({
    items: (await listVerifications(db, query.limit, clock.now())).map(answerOf),
  }),
});

function answerOf({ job: { task, labels: label, from, to }, status: requestStatus, ...asked }: VerificationView) {
  const found =
    requestStatus.state === 'running'
      ? requestStatus.progress
      : requestStatus.state === 'done'
        ? requestStatus.result
        : null;
  return {
    ...{ ...asked, task, label, from, to, found, state: requestStatus.state },
    ok: requestStatus.state === 'done' ? requestStatus.result.gaps === 0 : null,
    error:
      requestStatus.state === 'failed'
        ? { code: requestStatus.error.code, message: requestStatus.error.message }
        : null,
  };
}
