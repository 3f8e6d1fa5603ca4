import type { CheckResult } from './health-check.ts';

/** Whether a Redis answers, and how fast. */
export async function checkRedis(ping: () => Promise<number>): Promise<CheckResult> {
  return { ok: true, detail: `answers in ${Math.round(await ping())} ms` };
}
