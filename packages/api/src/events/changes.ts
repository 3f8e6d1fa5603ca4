import { RUN_STATES } from '@escapement/core';
import { z } from 'zod';

/** How a run stands now: later ones of a run replace earlier ones. */
const run = z.object({
  id: z.string(),
  taskName: z.string(),
  state: z.enum(RUN_STATES),
  attempt: z.int(),
  /** When it began, or ended. */
  at: z.string(),
});

/** What somebody did, to what: whoever shows it reads it again. */
const entry = z.object({ subject: z.string(), action: z.string() });

/** What one look has found. */
export const changes = z.object({
  runs: z.array(run).default([]),
  actions: z.array(entry).default([]),
  /** An alert has begun, ended, or is another one. */
  alerts: z.boolean().default(false),
  /** A process of the fleet has come, gone, or is being drained. */
  fleet: z.boolean().default(false),
  /** Hosts have told what cron did. */
  crontabs: z.boolean().default(false),
  /** More has changed than is told: whoever watches reads all anew. */
  missed: z.boolean().default(false),
});

export type Changes = z.output<typeof changes>;
export type RunChange = z.output<typeof run>;

/** What somebody may watch. */
export const TOPICS = ['runs', 'actions', 'alerts', 'fleet', 'crontabs'] as const;

export type Topic = (typeof TOPICS)[number];
