import { DAY, inUtc, span } from '@escapement/core';
import type { ProductionReport } from '@escapement/store';
import { type Finding, ok, onPage, problem, warning } from '../finding.ts';
import { PAGES } from './pages.ts';

/** Longer without an archived piece of its log means that a backup lacks as much. */
const OLD_ARCHIVE_MS = 1 * DAY;

/** Whether Postgres' log is archived, damage is noticed, and somebody else has what was committed. */
export function judgeDurability(report: ProductionReport): Finding[] {
  return [
    ...onPage(PAGES.backup, judgeArchive(report)),
    ...onPage(PAGES.failOver, judgeStandbys(report)),
    ...onPage(PAGES.postgres, judgeChecksums(report)),
    ...onPage(PAGES.maintain, judgeAutovacuum(report)),
  ];
}

function judgeArchive({ archiveMode, lastArchivedAt, lastArchiveFailedAt, now }: ProductionReport): Finding {
  const fix = 'archive the log, or make sure that snapshots or dumps are made, and try a restore';
  if (archiveMode === 'off')
    return warning('Backups', 'archive_mode is off; whether snapshots or dumps are made Postgres does not know', fix);
  if (lastArchiveFailedAt && (lastArchivedAt === null || lastArchiveFailedAt > lastArchivedAt))
    return problem(
      'Backups',
      `archiving the log failed at ${inUtc(lastArchiveFailedAt)}, and not since has it worked`,
      `see Postgres' log, and mend archive_command`,
    );
  if (lastArchivedAt === null)
    return warning('Backups', `archive_mode is ${archiveMode}, and nothing was archived yet`, fix);
  const ageMs = Math.max(0, now.getTime() - lastArchivedAt.getTime());
  const said = `the log was last archived ${span(ageMs)} ago`;
  return ageMs > OLD_ARCHIVE_MS
    ? warning('Backups', said, 'set archive_timeout, so that a restore loses no more than that')
    : ok('Backups', `${said}; a base backup is needed as well`);
}

function judgeStandbys({ standbys, synchronousStandbys }: ProductionReport): Finding {
  if (synchronousStandbys !== '')
    return ok('Standbys', `${standbys} connected; commits wait for ${synchronousStandbys}`);
  if (standbys > 0)
    return warning(
      'Standbys',
      `${standbys} connected, and commits wait for none: a fail-over loses the last ones, whose runs start again`,
      'set synchronous_standby_names, or accept that',
    );
  return warning(
    'Standbys',
    'none is connected: without Postgres nothing starts (a managed service may have one that is not seen)',
    'have one, or know how long a restore takes',
  );
}

function judgeChecksums({ checksums }: ProductionReport): Finding {
  if (checksums) return ok('Postgres', 'data_checksums is on');
  return warning(
    'Postgres',
    'data_checksums is off: damage of the disk is not noticed',
    'stop Postgres, pg_checksums --enable, start it',
  );
}

function judgeAutovacuum({ autovacuum }: ProductionReport): Finding {
  if (autovacuum) return ok('Postgres', 'autovacuum is on');
  return problem(
    'Postgres',
    'autovacuum is off: tables grow, and at last Postgres takes no writes',
    'set autovacuum = on',
  );
}
