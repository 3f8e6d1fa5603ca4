import { formatSpan, SECOND } from '@escapement/core';
import { type Finding, onPage, problem } from './finding.ts';
import { PAGES } from './production/pages.ts';

/** An examination takes some hundred milliseconds. Nobody waits longer than this: that it takes as long is what is to be told. */
const PATIENCE_MS = 20 * SECOND;

/**
 * What an examination finds; or, where it takes longer than that, that it does. What it has asked Postgres by then ends by the time limit of
 * statements.
 */
export async function inTime(subject: string, look: Promise<Finding[]>, patienceMs = PATIENCE_MS): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    timer = setTimeout(() => resolve(tooLate(subject, patienceMs)), patienceMs);
  });
  try {
    return await Promise.race([look, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(subject: string, patienceMs: number): Finding[] {
  const detail = `it was not looked at in ${formatSpan(patienceMs)}: Postgres is slow, or cannot be reached`;
  return onPage(PAGES.maintain, problem(subject, detail, 'see in pg_stat_activity what it works on, and look again'));
}
