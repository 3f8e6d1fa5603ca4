import { counted, EXPOSURES, type Exposure } from '@escapement/core';
import type { LiveProcess } from '@escapement/store';
import { type Finding, ok, warning } from './finding.ts';

const SUBJECT = 'Credentials';

/** Says what tasks can reach of the credentials of the workers that run them, as these found it at their start. */
export function judgeCredentials(processes: readonly LiveProcess[]): Finding[] {
  const workers = processes.filter(({ role }) => role === 'worker');
  if (workers.length === 0) return [];
  const kinds = Object.keys(EXPOSURES) as Exposure[];
  const found = kinds.flatMap((kind) => {
    const having = workers.filter(({ exposes }) => exposes?.includes(kind));
    if (having.length === 0) return [];
    const { what, fix } = EXPOSURES[kind];
    return [warning(SUBJECT, `on ${having.length} of ${counted(workers.length, 'worker')} ${what}`, fix)];
  });
  return found.length > 0 ? found : [ok(SUBJECT, "tasks reach none of their workers'")];
}
