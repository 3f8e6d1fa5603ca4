import type { Environment } from '@escapement/service';

export type HealthPorts = Record<'scheduler' | 'worker' | 'api', string | undefined>;

/**
 * Where each of the programs answers `/healthz`, `/readyz` and `/metrics`: the scheduler at `ESCAPEMENT_HEALTH_PORT`, worker and API at the two ports
 * behind it. What is no port is left to the configuration, which says so. Undefined: at its own default.
 */
export function healthPorts({ ESCAPEMENT_HEALTH_PORT: given }: Environment): HealthPorts {
  const first = Number(given);
  if (given === undefined || !/^\d+$/.test(given) || first === 0)
    return { scheduler: given, worker: given, api: given };
  return { scheduler: given, worker: String(first + 1), api: String(first + 2) };
}
