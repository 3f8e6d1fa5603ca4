import type { MutantLines } from './mutant.ts';

/** Mutants that change nothing anybody could see, each with the reason. `was` and `becomes` are whole lines. */
export const EQUIVALENTS: readonly (MutantLines & { why: string })[] = [
  {
    file: 'packages/core/src/verdict.ts',
    was: 'retryAt: new Date(now.getTime() + RECOVERY_DELAY_MS),',
    becomes: 'retryAt: new Date(now.getTime() - RECOVERY_DELAY_MS),',
    why: 'the delay is 0',
  },
  {
    file: 'packages/core/src/schedule/calendar/occurrences.ts',
    was: 'for (let count = 0; fire && count < 4 * MAX_FIRES_A_DAY; count++, fire = nextFire(schedule, fire)) fires.push(fire);',
    becomes:
      'for (let count = 0; fire && count <= 4 * MAX_FIRES_A_DAY; count++, fire = nextFire(schedule, fire)) fires.push(fire);',
    why: 'how far it looks ahead is a sample of no promised size',
  },
  {
    file: 'packages/core/src/schedule/day-times.ts',
    was: 'if (from < 30) {',
    becomes: 'if (from <= 30) {',
    why: 'the low half has bits 0 to 29: from 30 on there is none, and the high half is looked at from its first',
  },
  {
    file: 'packages/core/src/schedule/shared.ts',
    was: 'if (!this.alive.get(name)?.deref()) this.alive.delete(name);',
    becomes: 'if (!(!this.alive.get(name)?.deref())) this.alive.delete(name);',
    why: 'a cache: an equal value is made once more, after the collector came by',
  },
  {
    file: 'packages/core/src/schedule/cron/pattern.ts',
    was: 'for (let year = 2000; year < 2400; year++) if (comesIn(pattern, year)) return true;',
    becomes: 'for (let year = 2000; year < 2401; year++) if (comesIn(pattern, year)) return true;',
    why: 'the calendar comes again after 400 years',
  },
  {
    file: 'packages/core/src/schedule/cron/local.ts',
    was: 'return years.find((candidate) => candidate >= year) ?? Number.POSITIVE_INFINITY;',
    becomes: 'return (years.find((candidate) => candidate >= year));',
    why: 'a loop ends at undefined as it does at infinity',
  },
  {
    file: 'packages/core/src/schedule/zoned.ts',
    was: 'if (seenAgain || natural < segment.end) return segment.end;',
    becomes: 'if (seenAgain || natural <= segment.end) return segment.end;',
    why: 'at the end of the segment both ways give that end',
  },
  {
    file: 'packages/scheduler/src/reconciler/lost-runs.ts',
    was: 'return [...forsaken, ...silent.filter(({ silentMs }) => silentMs >= deadMs)].slice(0, limit);',
    becomes: 'return [...forsaken, ...silent.filter(({ silentMs }) => silentMs > deadMs)].slice(0, limit);',
    why: 'a silence is measured by the clock of the server, in fractions of a millisecond',
  },
  {
    file: 'packages/queue/src/lease-scripts.ts',
    was: "else args.push(command.op, command.owner, command.reservation ?? '');",
    becomes: 'else args.push(command.op, command.owner, (command.reservation));',
    why: 'the client of Redis sends undefined as an empty text',
  },
  {
    file: 'prisma/functions/place_code_tasks.sql',
    was: "WHERE t.namespace = p_namespace AND t.deleted_at IS NULL AND t.definition#>>'{handler,type}' = 'code'",
    becomes: 'WHERE t.namespace = p_namespace AND t.deleted_at IS NULL',
    why: 'of all handlers code alone has a name, by which it is found among those of the deployment',
  },
  {
    file: 'prisma/functions/roll_up_stale.sql',
    was: 'DELETE FROM task_hour_stale s WHERE s.namespace = p_namespace',
    becomes: 'DELETE FROM task_hour_stale s WHERE true',
    why: 'the ids that it names are those of the namespace, and an id is of one row',
  },
  {
    file: 'packages/scheduler/src/reconciler/queue-blocks.ts',
    was: 'for (const [job, { atMs: then }] of seen) if (seen.size > REMEMBERED || atMs - then > FORGET_MS) seen.delete(job);',
    becomes:
      'for (const [job, { atMs: then }] of seen) if (seen.size >= REMEMBERED || atMs - then > FORGET_MS) seen.delete(job);',
    why: 'a bound of memory: one job of 10,000 is forgotten earlier',
  },
  {
    file: 'packages/core/src/schedule/zone.ts',
    was: 'this.buckets.set(bucket, segments);',
    becomes: ';',
    why: 'a cache: the same is worked out again',
  },
];
