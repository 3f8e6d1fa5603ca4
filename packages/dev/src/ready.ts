import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '@escapement/core';

const EVERY_MS = 200;
/** Who waits longer wants to know for what; then again each time after twice as long. */
const LOG_AFTER_MS = 20 * SECOND;

/** Where programs answer `/readyz`, by their names. */
export type Places = Readonly<Record<string, string>>;

export interface Waiting {
  /** Whether all programs run: another fleet may answer in the place of one that has ended. */
  areUp: () => boolean;
  /** Called with what is waited for, if that takes long. */
  log: (line: string) => void;
}

/** Resolves once every program runs and says that it is ready. */
export async function allReady(places: Places, { areUp, log }: Waiting): Promise<void> {
  const startedMs = performance.now();
  let logAfterMs = LOG_AFTER_MS;
  for (;;) {
    const waiting = await notReady(places);
    if (waiting.length === 0 && areUp()) return;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs >= logAfterMs) {
      log(waitingWords(waiting, waitedMs));
      logAfterMs *= 2;
    }
    await delay(EVERY_MS, undefined, { ref: false });
  }
}

export interface NotReady {
  name: string;
  /** What it says is not well yet; empty: it does not answer. */
  checks: string[];
}

/** What a developer reads while a program is not ready. */
export function waitingWords(waiting: readonly NotReady[], waitedMs: number): string {
  const who = waiting.map(({ name, checks }) =>
    checks.length > 0 ? `the ${name} (not well yet: ${checks.join(', ')})` : `the ${name} (it does not answer)`,
  );
  if (who.length === 0)
    return `still waiting after ${Math.round(waitedMs / SECOND)} s: a program has ended, see its lines above`;
  return `still waiting after ${Math.round(waitedMs / SECOND)} s for ${who.join(' and ')}; its lines above say more`;
}

/** Those of the programs that are not ready, and why. */
export async function notReady(places: Places): Promise<NotReady[]> {
  const found = await Promise.all(Object.entries(places).map(([name, url]) => lookAt(name, url)));
  return found.filter((program) => program !== undefined);
}

async function lookAt(name: string, url: string): Promise<NotReady | undefined> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2 * SECOND) });
    if (answer.ok) return undefined;
    return { name, checks: failedChecks(await answer.json()) };
  } catch {
    return { name, checks: [] };
  }
}

function failedChecks(answer: unknown): string[] {
  const checks: unknown = typeof answer === 'object' && answer !== null && 'checks' in answer ? answer.checks : [];
  return Array.isArray(checks) ? checks.flatMap((check) => (check?.ok === false ? [String(check.name)] : [])) : [];
}
