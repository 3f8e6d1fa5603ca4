import { briefly, counted, inUtc, span } from '@escapement/core';
import type { CopiedWork } from '@escapement/store';
import { type Finding, ok, problem, warning } from '../doctor/finding.ts';
import type { CopySeen } from './look-at-copy.ts';

/** What there is to say of a restored ledger, before schedulers and workers are started on it. */
export function judgeCopy(seen: CopySeen): Finding[] {
  if (seen.copyAt === null) return [ok('Ledger', 'no scheduler and no worker ever worked on it')];
  const alive = seen.alive.length === 0 ? [] : [judgeAlive(seen.alive)];
  if (!seen.open)
    return [
      ...alive,
      ok(
        'Ledger',
        `accepted at ${inUtc(seen.copyAt)}, and nobody has worked on it since: start schedulers and workers`,
      ),
    ];
  return [
    ...alive,
    judgeOrigin(seen, seen.copyAt),
    ...judgeWork(seen.work),
    judgeGap(seen),
    judgeFences(seen, seen.copyAt),
  ];
}

function judgeAlive(alive: readonly string[]): Finding {
  return problem(
    'Fleet',
    `${briefly(alive)} ${alive.length === 1 ? 'works' : 'work'} on this ledger, or did a moment ago`,
    'stop all schedulers and workers first',
  );
}

function judgeOrigin({ copied, now }: CopySeen, copyAt: Date): Finding {
  const age = `its newest sign of life is of ${inUtc(copyAt)}, ${span(Math.max(0, now.getTime() - copyAt.getTime()))} ago`;
  if (copied)
    return problem(
      'Ledger',
      `it was restored from a dump; ${age}`,
      'schedulers and workers refuse to start until you have accepted it: --apply',
    );
  return warning(
    'Ledger',
    `${age}; whether files were restored it cannot know`,
    'if they were, or commits were lost, accept it before you start schedulers and workers: --apply',
  );
}

function judgeWork({ running, retrying, notBegun, held, unknown, ...more }: CopiedWork): Finding[] {
  const open = running + retrying + notBegun;
  const runs =
    open === 0
      ? ok('Runs', 'none was under way')
      : problem(
          'Runs',
          `${running} running, ${retrying} between attempts, ${notBegun} not begun and due: they may have ended since, and would start again`,
          '--apply ends them, those that had begun as unknown; --runs keep lets them start again',
        );
  const waiting = held + unknown;
  return [
    runs,
    ...(waiting === 0 ? [] : [ok('Runs', `${held} held and ${unknown} unknown wait for a person, as before`)]),
    ...judgeLeftovers(more),
  ];
}

function judgeLeftovers({
  backfills,
  requests,
  batches,
  followers,
  messages,
}: Omit<CopiedWork, 'running' | 'retrying' | 'notBegun' | 'held' | 'unknown'>): Finding[] {
  const makers = [
    ...(backfills > 0 ? [counted(backfills, 'backfill')] : []),
    ...(requests > 0 ? [counted(requests, 'a bulk action', 'bulk actions')] : []),
    ...(batches > 0 ? [counted(batches, 'batch', 'batches')] : []),
    ...(followers > 0 ? [`followers of ${counted(followers, 'run')}`] : []),
  ];
  return [
    ...(makers.length === 0
      ? []
      : [
          problem(
            'Under way',
            `${briefly(makers)}: would go on from where they were`,
            '--apply stops them; --runs keep lets them go on',
          ),
        ]),
    ...(messages === 0
      ? []
      : [
          warning(
            'Alerts',
            `${counted(messages, 'message')} of the copy will be sent, perhaps a second time`,
            'nothing',
          ),
        ]),
  ];
}

function judgeGap({ gap, allTasks }: CopySeen): Finding {
  const occurrences = gap.reduce((sum, each) => sum + each.occurrences, 0);
  if (occurrences === 0) return ok('Occurrences', 'none was due since');
  const running = gap.reduce((sum, each) => sum + each.wouldRun, 0);
  return problem(
    'Occurrences',
    `${counted(occurrences, 'occurrence')} of ${allTasks ? '' : 'the first '}${counted(gap.length, 'task')} were due since; catch-up policies would run ${running} of them, which may have run already`,
    '--apply keeps them as lost, each in the ledger; --gap catch-up leaves them to the policies',
  );
}

function judgeFences({ now }: CopySeen, copyAt: Date): Finding {
  if (now < copyAt)
    return problem(
      'Fences',
      `Postgres' clock is ${span(copyAt.getTime() - now.getTime())} behind the copy: fences could be given again`,
      'run an NTP client on its machine before anything starts',
    );
  return ok(
    'Fences',
    "go on from the time of Postgres' clock: above all that were given before, if that clock is right",
  );
}

/** What Redis holds beside a restored ledger. `found`: its marker; null: it has none. `known`: the one that the ledger knows. */
export function judgeRedisOfCopy(subject: string, found: string | null, known: string | null): Finding {
  if (found === null) return ok(subject, 'it is empty: schedulers fill it from the ledger');
  if (found === known) return ok(subject, 'it is as the ledger knows it');
  return warning(
    subject,
    'it has jobs of another time than this ledger, or of another one: of runs that the ledger does not know none starts, and schedulers take their jobs out',
    'nothing, or FLUSHDB if nothing else is in it',
  );
}
