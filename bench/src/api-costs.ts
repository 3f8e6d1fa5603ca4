import { systemClock } from '@escapement/core';
import type { ApiClient } from './api-client.ts';
import { LIST_KINDS, listRequest, type Subjects } from './api-requests.ts';
import { cpuUsOf, cpuUsOfFamily } from './cpu.ts';
import { figure, quantile, tableOf } from './table.ts';

const TIMES = 20;

/** Whose processor time is told. */
export interface Measured {
  apiPid: number;
  postgresPid: number;
}

interface Cost {
  kind: string;
  tookMs: readonly number[];
  /** Processor time of a request. Milliseconds. */
  apiMs: number;
  postgresMs: number;
}

/** What each list costs by itself, one request after the other: processor time hardly depends on what else the machine does. */
export async function costTable(client: ApiClient, subjects: Subjects, measured: Measured): Promise<string> {
  const rows = [['one at a time, ms', 'p50', 'max', 'API processor', 'Postgres processor']];
  for (let kind = 0; kind < LIST_KINDS; kind++) {
    // Each connection of the API has its own plans.
    await cost(client, () => listRequest(kind, subjects), measured);
    const { kind: name, tookMs, apiMs, postgresMs } = await cost(client, () => listRequest(kind, subjects), measured);
    rows.push([name, ...[quantile(tookMs, 0.5), Math.max(...tookMs), apiMs, postgresMs].map((ms) => figure(ms, 1))]);
  }
  return tableOf(rows);
}

async function cost(
  client: ApiClient,
  request: () => ReturnType<typeof listRequest>,
  { apiPid, postgresPid }: Measured,
): Promise<Cost> {
  const [api, postgres] = [cpuUsOf(apiPid), cpuUsOfFamily(postgresPid)];
  const tookMs: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const startedMs = systemClock.monotonicMs();
    await client.send(request());
    tookMs.push(systemClock.monotonicMs() - startedMs);
  }
  const each = (us: number) => us / 1000 / TIMES;
  return {
    ...{ kind: request().kind, tookMs },
    apiMs: each(cpuUsOf(apiPid) - api),
    postgresMs: each(cpuUsOfFamily(postgresPid) - postgres),
  };
}
