import { z } from 'zod';
import { SECOND } from './clock.ts';
import { EscapementError } from './errors.ts';
import { checkPayloadTemplate } from './payload-template.ts';
import { NAME } from './task-name.ts';

/** The tasks that a lifecycle event starts: each a run of its own, linked to the run that it is about. */
export const LIFECYCLE_EVENTS = [
  'onStart',
  'onSuccess',
  'onFailure',
  'onFinish',
  'onSkip',
  'onMisfire',
  'onLate',
] as const;

export type LifecycleEvent = (typeof LIFECYCLE_EVENTS)[number];

/** A run that begins later than this is late, unless its task says otherwise. */
export const DEFAULT_LATE_AFTER_MS = 10 * SECOND;

const taskName = z.string().regex(NAME, 'the name of a task');

function refuseBadTemplate(template: z.core.util.JSONType, issues: z.core.$RefinementCtx): void {
  try {
    checkPayloadTemplate(template);
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    issues.addIssue({ code: 'custom', message: `${error.message}; ${error.fix}` });
  }
}

/** A run that follows each run of the task. */
const thenLink = z.strictObject({
  task: taskName,
  /** `success` (default), `failure` (after the last attempt) or `always`: however a run has ended that had begun. */
  when: z.enum(['success', 'failure', 'always']).default('success'),
  /**
   * Its payload: JSON in which `{{output.field}}`, `{{payload.field}}` and `{{run.id}}` stand for what the run gave back,
   * was given, and is; a string that is nothing but a placeholder becomes the value itself. Default: the run's output, if
   * it has one.
   */
  payload: z.json().superRefine(refuseBadTemplate).optional(),
});

export type ThenLink = z.output<typeof thenLink>;

/** What follows a task's runs. */
export const followerFields = {
  /** Runs that follow, recorded in the same write as the end of the run. Default: none. */
  then: z.array(thenLink).min(1).max(20).optional(),
  /** The task that is run, with the run's record as its payload, when a run begins its first attempt. */
  onStart: taskName.optional(),
  /** ... when it has succeeded. */
  onSuccess: taskName.optional(),
  /** ... when it has failed for good: after the last attempt, by its time limit, in quarantine. */
  onFailure: taskName.optional(),
  /** ... when it has ended after it had begun, in whatever way. */
  onFinish: taskName.optional(),
  /** ... when it was skipped: by its overlap policy, a calendar, a pause, or its handler. */
  onSkip: taskName.optional(),
  /** ... when an occurrence was missed, or is caught up. */
  onMisfire: taskName.optional(),
  /** ... when it begins later than `lateAfterMs`. */
  onLate: taskName.optional(),
};
