import * as z from 'zod/mini';
import type { components } from '../../api/generated/openapi.ts';
import { type BulkRequest, behind } from '../../parts/bulk/state.ts';
import { MINUTE } from '../../time/durations.ts';
import type { Order } from './order.ts';

type BulkAction = components['schemas']['BulkAction'];

/** Which held runs an act is about: all, those of a task or of several, or some of one by their ids. */
export interface Which {
  task?: string;
  tasks?: readonly string[];
  runs?: readonly string[];
  /** In which order they go on, if they do. Default: by priority. */
  order?: Order;
}

/** How held runs go on. */
export interface Terms {
  latestOnly: boolean;
  /** Null: all at once. */
  perMinute: number | null;
  /** ISO 8601; null: at once. */
  fromAt: string | null;
}

export const AT_ONCE: Terms = { latestOnly: false, perMinute: null, fromAt: null };

function chosen({ task, tasks, runs }: Which) {
  if (runs) return { runs: [...runs] };
  if (tasks) return { tasks: [...tasks] };
  return task === undefined ? {} : { task };
}

export function runAction(which: Which, { latestOnly, perMinute, fromAt }: Terms): BulkAction {
  return {
    action: 'run_held',
    ...chosen(which),
    latestOnly,
    spacingMs: spacingOf(perMinute),
    fromAt,
    ...ordered(which),
  };
}

function ordered({ order }: Which) {
  return order ? { order: [...order.names] } : {};
}

export function dropAction(which: Which): BulkAction {
  return { action: 'drop_held', ...chosen(which), latestOnly: false };
}

/** Milliseconds from one run to the next. */
export function spacingOf(perMinute: number | null): number {
  return perMinute === null ? 0 : MINUTE / perMinute;
}

const heldAction = z.object({
  kind: z.enum(['run_held', 'drop_held']),
  tasks: z.nullable(z.array(z.string())),
  latestOnly: z.boolean(),
  runs: z.optional(z.nullable(z.array(z.string()))),
  spacingMs: z.optional(z.number()),
  fromAt: z.optional(z.nullable(z.string())),
  order: z.optional(z.nullable(z.array(z.string()))),
});

export type HeldAction = z.infer<typeof heldAction>;

/** A request that is about held runs. */
export interface HeldRequest extends Omit<BulkRequest, 'action'> {
  action: HeldAction;
}

/** Of many requests those that are about held runs. */
export function heldRequests(requests: readonly BulkRequest[]): HeldRequest[] {
  return requests.flatMap((request) => {
    const { data } = heldAction.safeParse(request.action);
    return data ? [{ ...request, action: data }] : [];
  });
}

/** How long it still takes at its rate; null: it has none, or has ended. */
export function leftMs({ action: { spacingMs = 0 }, counts, state }: HeldRequest): number | null {
  if (state !== 'running' || counts === null || spacingMs === 0) return null;
  return (counts.total - behind(counts)) * spacingMs;
}
