import type { OutdatedPreview } from '@escapement/operations';
import type { Task } from '@escapement/store';
import { badHeader } from '../../http/bad-header.ts';
import { ProblemError } from '../../http/problem.ts';
import type { RequestContext } from '../../http/route.ts';

/** The version that `If-Match` names; `*`: any. Throws `bad_version`. */
export function wantedVersion({ headers }: Pick<RequestContext, 'headers'>): number | '*' | undefined {
  const given = headers['if-match'];
  if (given === undefined) return undefined;
  if (given === '*') return '*';
  const [, version] = /^(?:W\/)?"(\d{1,9})"$/.exec(String(given)) ?? [];
  if (version !== undefined) return Number(version);
  throw badHeader('If-Match', {
    code: 'bad_version',
    detail: 'If-Match names no version',
    message: `expected an ETag such as "3", or *, got ${String(given).slice(0, 80)}`,
  });
}

/** Asked with the task as it is. `outdated`: what whoever has named a version is told of the difference. */
export type Guard = (current: Task | null, outdated?: () => Promise<OutdatedPreview>) => Promise<void>;

/** Throws 412 (`version_changed`) where the task has another version meanwhile. */
export function guardOf(version: number | '*'): Guard {
  return async (current, outdated) => {
    if (version === '*' || current?.version === version) return;
    throw new ProblemError({
      code: 'version_changed',
      detail: current ? `the task has version ${current.version} by now, not ${version}` : 'the task is gone',
      fix: 'read it again, and make the change anew',
      ...(current ? { current: { version: current.version } } : {}),
      ...(current && outdated ? { outdated: await outdated() } : {}),
    });
  };
}

/** Throws 412 (`version_changed`) where another version is in force than the one that is to be replaced; 0: there is none. */
export function refuseOtherVersion(
  wanted: ReturnType<typeof wantedVersion>,
  { version, what }: { version: number; what: string },
): void {
  if (wanted === undefined || wanted === '*' || wanted === version) return;
  throw new ProblemError({
    code: 'version_changed',
    detail: `${what} version ${version} by now, not ${wanted}`,
    fix: 'read again, and make the change anew',
    current: { version },
  });
}
