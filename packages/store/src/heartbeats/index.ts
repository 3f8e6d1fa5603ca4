export * from './hearing.ts';
export type { Heartbeat, HeartbeatPauseRow } from './heartbeat-row.ts';
export * from './heartbeats.ts';
export * from './pings.ts';
