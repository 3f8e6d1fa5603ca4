import type { Database } from '@escapement/store';
import { machineBusyUs } from '../cpu.ts';
import { type WalUsage, walBetween } from '../meter.ts';
import { patiently } from './patiently.ts';
import type { Ground } from './pressure.ts';

export const PROCESSES = ['worker', 'scheduler', 'postgres', 'redis'] as const;
export type ProcessName = (typeof PROCESSES)[number];

export interface PressureReading {
  cpuUs: Record<ProcessName, number>;
  machineUs: number;
  lsn: string;
}

/** What a fleet and its servers used in a phase. */
export interface PressureUsage extends WalUsage {
  cpuUs: Record<ProcessName, number>;
  /** Processor time of all else on the machine, the driver and its sessions included. */
  othersUs: number;
}

export async function read({ servers, fleet, db }: Pick<Ground, 'servers' | 'fleet' | 'db'>): Promise<PressureReading> {
  const cpuUs = { ...fleet.usedUs(), postgres: servers.postgresUs(), redis: servers.redisUs() };
  const machineUs = machineBusyUs();
  const { rows } = await patiently(() =>
    db.pool.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn'),
  );
  return { cpuUs, machineUs, lsn: rows[0]?.lsn ?? '' };
}

/** `ownPostgresUs` is what the pressure itself used in Postgres. */
export async function usageBetween(
  db: Database,
  from: PressureReading,
  to: PressureReading,
  ownPostgresUs: number,
): Promise<PressureUsage> {
  const cpuUs = { ...to.cpuUs };
  for (const name of PROCESSES) cpuUs[name] -= from.cpuUs[name];
  cpuUs.postgres -= ownPostgresUs;
  const othersUs = to.machineUs - from.machineUs - totalUs(cpuUs);
  return { cpuUs, othersUs, ...(await patiently(() => walBetween(db, from.lsn, to.lsn))) };
}

export function totalUs(cpuUs: Record<ProcessName, number>): number {
  return PROCESSES.reduce((sum, name) => sum + cpuUs[name], 0);
}
