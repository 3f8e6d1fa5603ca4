import { z } from 'zod';

/** Requests that look at the whole fleet and take long, as their rows call them. They change nothing. */
export const JOB_KINDS = ['verify_ledger'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** Compares the ledger with what the schedules say, a piece of time after the other. */
export const verifyLedgerJob = z.strictObject({
  kind: z.literal('verify_ledger'),
  /** First and last occurrence, ISO 8601. */
  from: z.string(),
  to: z.string(),
  /** Only of this task; null: of all. */
  task: z.string().nullable(),
  /** Only of tasks that have these labels while it goes on; null: of all. */
  labels: z.string().nullable(),
});

export type VerifyLedgerJob = z.output<typeof verifyLedgerJob>;

/** How far it is, as its row keeps it, and at its end what came of it. */
export const ledgerVerification = z.object({
  /** Up to then it was compared, ISO 8601. */
  verifiedTo: z.string(),
  tasks: z.int(),
  /** Occurrences that the schedules say. */
  expected: z.int(),
  /** Rows that the ledger has. */
  rows: z.int(),
  findings: z.int(),
  /** Findings that break the promise; late starts do not. */
  gaps: z.int(),
  /** The first of the gaps, and then of the others. */
  named: z.array(
    z.object({
      kind: z.string(),
      task: z.string(),
      scheduledFor: z.string(),
      runId: z.string().nullable(),
      detail: z.string(),
    }),
  ),
  /** What no comparison can find in that time, in words; null: nothing like that was noticed, or it has not ended. */
  unseen: z.string().nullable().default(null).meta({
    description:
      'What no comparison can find in that time, where the ledger was noticed to be a copy or to have lost its last commits; told at the end.',
  }),
});

export type LedgerVerification = z.output<typeof ledgerVerification>;
