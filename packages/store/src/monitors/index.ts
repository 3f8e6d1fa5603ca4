export * from './hearing.ts';
export type { Monitor, MonitorPauseRow } from './monitor-row.ts';
export * from './monitors.ts';
export * from './pings.ts';
