import type { components } from '../../../api/generated/openapi.ts';
import { type Look, RUN_LOOKS } from '../../../states.ts';

export type Rows = components['schemas']['ForecastRows'];
export type Row = Rows['rows'][number];
export type Past = Row['past'][number];

/** All of the time before now. */
export function pastOf({ past }: Row): Past {
  return past.reduce(
    (sum, each) => ({
      succeeded: sum.succeeded + each.succeeded,
      failed: sum.failed + each.failed,
      missed: sum.missed + each.missed,
      notRun: sum.notRun + each.notRun,
    }),
    { succeeded: 0, failed: 0, missed: 0, notRun: 0 },
  );
}

/** Null: they are not counted. */
export function startsOf({ ahead }: Row): number | null {
  return ahead === null ? null : ahead.reduce((sum, each) => sum + each, 0);
}

/** By the worst that was in a piece; null: nothing of it ran. */
export function lookOf({ succeeded, failed, missed, notRun }: Past): Look | null {
  if (failed > 0) return RUN_LOOKS.failed;
  if (missed > 0) return RUN_LOOKS.missed;
  if (succeeded > 0) return RUN_LOOKS.succeeded;
  return notRun > 0 ? RUN_LOOKS.skipped : null;
}

/** How high the starts of each piece are drawn, from 0 to 1, beside the most of their row. All of it, where they are not counted. */
export function heightsOf({ ahead }: Row, pieces: number): number[] {
  if (ahead === null) return Array.from({ length: pieces }, () => 1);
  const most = Math.max(1, ...ahead);
  return ahead.map((starts) => starts / most);
}
