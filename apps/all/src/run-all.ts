import { runApi } from '@escapement/api-app/run';
import { shareProcess } from '@escapement/runtime';
import { runScheduler } from '@escapement/scheduler-app/run';
import type { Environment } from '@escapement/service';
import { runWorker } from '@escapement/worker-app/run';
import { healthPorts } from './health-ports.ts';

/** Runs a scheduler, a worker and the API in this process until it is told to end. When one of them ends, so do the others. */
export async function runAll(env: Environment): Promise<void> {
  const ports = healthPorts(env);
  const host = shareProcess(3);
  const of = (role: keyof typeof ports): Environment => ({ ...env, ESCAPEMENT_HEALTH_PORT: ports[role] });
  await Promise.all([
    runScheduler(of('scheduler'), host()),
    runWorker(of('worker'), host()),
    runApi(of('api'), host()),
  ]);
}
