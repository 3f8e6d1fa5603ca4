export type { Monitor, MonitorPauseRow } from './monitor-row.ts';
export * from './monitors.ts';
export * from './ping-intake.ts';
export * from './pings.ts';
