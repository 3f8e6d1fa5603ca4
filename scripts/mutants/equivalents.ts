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
];
