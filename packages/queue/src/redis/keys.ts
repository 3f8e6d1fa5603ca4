import { randomUUID } from 'node:crypto';
import { EscapementError, isRunId, SECOND } from '@escapement/core';

/** `{` and `}` would move the hash tag, `:` would let two namespaces share keys. */
const NAMESPACE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export function checkNamespace(namespace: string): string {
  if (NAMESPACE.test(namespace)) return namespace;
  throw new EscapementError('bad_namespace', `"${namespace}" is not a namespace`, {
    fix: '1 to 63 letters, digits and ._- , starting with a letter or digit',
  });
}

/**
 * BullMQ's prefix for a queue, which is a pool and a need. The braces are Redis' hash tag: a queue's keys lie in one
 * cluster slot, as BullMQ needs it, and different queues in different ones.
 */
export function queuePrefix(namespace: string, queue: string): string {
  return `esc:{${namespace}:${queue}}`;
}

/** What BullMQ puts before the names of a queue's lists and the ids of its jobs; a `:` follows. */
export function queueBase(namespace: string, queue: string): string {
  return `${queuePrefix(namespace, queue)}:${queue}`;
}

/** A run's job in BullMQ. The dispatch number makes it new each time the run is queued: BullMQ ignores an id it still holds. */
export function runJobId(runId: string, dispatch: number): string {
  return `r_${runId}_${dispatch}`;
}

/** The run of a job; undefined: the job is none of ours (ids of ours begin with 0 until the year 2527). */
export function parseRunJobId(jobId: string): { runId: string; dispatch: number } | undefined {
  const [, runId = '', dispatch] = /^r_(0[0-9a-f-]{35})_(\d{1,9})$/.exec(jobId) ?? [];
  return isRunId(runId) ? { runId, dispatch: Number(dispatch) } : undefined;
}

/** The job of several runs; which they are is written in it, and where `bundleKeys` says. */
export function isBundleId(jobId: string): boolean {
  return jobId.startsWith('b_');
}

/** With the second in which it was made: an entry without a job is not old enough to be taken out for a while. */
export function newBundleId(now: Date): string {
  return `b_${Math.floor(now.getTime() / SECOND)}_${randomUUID()}`;
}

/** A queue's hash from the job id that a run would have alone to the bundle that it is in, and the set of bundles. */
export function bundleKeys(namespace: string, queue: string): { members: string; bundles: string } {
  const base = queueBase(namespace, queue);
  return { members: `${base}:bundled`, bundles: `${base}:bundles` };
}

/** Says which Redis this is. */
export function identityKey(namespace: string): string {
  return `esc:{${namespace}}:id`;
}

/** Tells whether this Redis is still the one that was filled. */
export function markerKey(namespace: string): string {
  return `esc:{${namespace}}:marker`;
}

/** Tells a process that renews leases whether this Redis still is the one that gave them. */
export function leaseMarkerKey(namespace: string, processId: string): string {
  return `esc:{${namespace}}:renews:${processId}`;
}

/** All leases of a key hang below it, and in one cluster slot. */
export function leaseKeyBase(namespace: string, key: string): string {
  return `esc:{${namespace}:${key}}:lease`;
}

export function leaseKey(namespace: string, key: string, slot: number): string {
  return `${leaseKeyBase(namespace, key)}:${slot}`;
}

/** Key and slot of a lease's Redis key. Greedy on purpose: a key may itself contain `}:lease:1`. */
export function parseLeaseKey(redisKey: string): { namespace: string; key: string; slot: number } | undefined {
  const [, namespace, key, slot] = /^esc:\{([^:]+):(.*)\}:lease:(\d+)$/s.exec(redisKey) ?? [];
  if (namespace === undefined || key === undefined || slot === undefined) return undefined;
  return { namespace, key, slot: Number(slot) };
}
