import type { components } from '../../api/generated/openapi.ts';
import type { Given } from '../../api/request.ts';

type Reprocess = components['schemas']['Backfill']['reprocess'];
export type BackfillBody = Given<'post', '/v1/backfills/preview'>['body'];

export const REPROCESS: readonly Reprocess[] = ['none', 'failed', 'all'];

/** A backfill, as its form holds it. */
export interface Draft {
  task: string;
  /** As fields of the browser hold them: without a zone, so in that of the browser. */
  from: string;
  /** Empty: now. */
  to: string;
  reprocess: Reprocess;
  concurrency: number | string;
  reverse: boolean;
}

export const EMPTY: Draft = { task: '', from: '', to: '', reprocess: 'none', concurrency: 1, reverse: false };

/** As the API takes it; null: something is still to be given. */
export function bodyOf({ task, from, to, reprocess, concurrency, reverse }: Draft): BackfillBody | null {
  const fromMs = Date.parse(from);
  if (task.trim() === '' || Number.isNaN(fromMs)) return null;
  const toMs = Date.parse(to);
  return {
    task: task.trim(),
    fromAt: new Date(fromMs).toISOString(),
    ...(Number.isNaN(toMs) ? {} : { toAt: new Date(toMs).toISOString() }),
    ...{ reprocess, concurrency: Number(concurrency) || 1, reverse },
  };
}
