import type { SourcePatch } from '@escapement/testkit';

/** What keeps one of the promises, and how to take it away. */
export interface Guard {
  name: string;
  /** From the sources of all processes. */
  patches: readonly SourcePatch[];
  /** From the database. */
  sql?: string;
}

const UNIQUE_INDEX: Guard = {
  name: 'unique index of occurrences',
  // Without the index Postgres refuses a statement that names it.
  patches: [
    {
      module: 'packages/store/src/runs/plan-runs.ts',
      find: String.raw`ON CONFLICT \(task_id, scheduled_for, distinct_by\)[\s\S]*?(?=RETURNING)`,
      replace: '',
    },
  ],
  sql: 'DROP INDEX run_occurrence_key',
};

/** Conditions of finish_runs that ask for the fence; each must be there to be taken away. */
const FENCE_CONDITIONS = ['WHERE p.fence IS NULL OR p.slot IS NULL OR', 'AND (i.fence IS NULL OR r.fence = i.fence)'];

const SLOT_FENCE: Guard = {
  name: 'slot fence at begin and finish',
  patches: [
    {
      module: 'packages/store/src/runs/begin-runs.ts',
      find: String.raw`WHERE NOT \$\{isHeldByAnother\('excluded\.run_id', 's'\)\}`,
      replace: 'WHERE true',
    },
    {
      module: 'packages/store/src/runs/finish-plain-successes.ts',
      find: String.raw`AND r\.fence = i\.fence`,
      replace: '',
    },
    {
      module: 'packages/store/src/runs/finish-plain-successes.ts',
      find: String.raw`AND \(p\.slot IS NULL OR p\.id IN \(SELECT id FROM freed\)\)`,
      replace: '',
    },
  ],
  sql: `
DO $do$
DECLARE v_function text := pg_get_functiondef('finish_runs'::regproc);
BEGIN
  IF position('${FENCE_CONDITIONS[0]}' IN v_function) = 0 OR position('${FENCE_CONDITIONS[1]}' IN v_function) = 0 THEN
    RAISE EXCEPTION 'finish_runs does not ask for the fence as it did';
  END IF;
  EXECUTE replace(replace(v_function, '${FENCE_CONDITIONS[0]}', 'WHERE true OR'), '${FENCE_CONDITIONS[1]}', '');
END $do$`,
};

const LEASE_DEADLINE: Guard = {
  name: 'lease deadline',
  patches: [
    {
      module: 'packages/worker/src/worker.ts',
      find: String.raw`onFailing: active\.abortUnproven`,
      replace: 'onFailing: () => undefined',
    },
  ],
};

const RECONCILER: Guard = {
  name: 'reconciler',
  patches: [
    {
      module: 'packages/scheduler/src/reconciler/reconciler.ts',
      find: String.raw`for \(const loop of loops\)\s+loop\.start\(\);`,
      replace: '',
    },
  ],
};

const RATE_CONDITION = 'WHEN v_opens > v_now THEN v_opens WHEN v_behind THEN v_now';

const RATE: Guard = {
  name: 'token of a rate',
  patches: [],
  sql: `
DO $do$
DECLARE v_function text := pg_get_functiondef('rate_opens_at'::regproc);
BEGIN
  IF position('${RATE_CONDITION}' IN v_function) = 0 THEN
    RAISE EXCEPTION 'rate_opens_at does not ask for a token as it did';
  END IF;
  EXECUTE replace(v_function, '${RATE_CONDITION}', 'WHEN false THEN v_now');
END $do$`,
};

export const GUARDS = {
  uniqueIndex: UNIQUE_INDEX,
  slotFence: SLOT_FENCE,
  leaseDeadline: LEASE_DEADLINE,
  reconciler: RECONCILER,
  rate: RATE,
};
