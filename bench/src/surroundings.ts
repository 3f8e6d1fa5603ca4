import { systemClock } from '@escapement/core';
import { type Database, openDatabase } from '@escapement/store';

/** Of the servers, what processes of a fleet need to know. */
export interface Addresses {
  databaseUrl: string;
  redisUrl: string;
}

/** What scheduler and worker have in common. */
export function surroundings(role: 'scheduler' | 'worker', index: number, { databaseUrl, redisUrl }: Addresses) {
  const db: Database = openDatabase({ url: databaseUrl, applicationName: `bench ${role}` });
  return {
    db,
    redis: { url: redisUrl, namespace: 'default' },
    clock: systemClock,
    onError: (error: unknown) => void process.stderr.write(`${role} ${index}: ${error}\n`),
    leaseMs: 10_000,
    maxClockOffsetMs: 500,
    process: {
      id: `bench-${role}-${index}`,
      role,
      host: 'bench',
      pid: process.pid,
      appVersion: 'bench',
      pools: ['default'],
      offers: role === 'worker' ? ['shell', 'code'] : [],
    },
  };
}
