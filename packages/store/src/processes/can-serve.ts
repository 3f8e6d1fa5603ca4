import { isLive } from './is-live.ts';

/** A worker can take a run: it serves the pool and meets the need. `process`, `of`: aliases with the columns of `process`, and with `pool` and `need`. */
export const canServe = (process: string, of: string): string =>
  `(${process}.role = 'worker' AND ${of}.pool = ANY (${process}.pools) AND (${of}.need IS NULL OR ${of}.need = ANY (${process}.offers)))`;

/** A worker lives that can take the run. `withinMs`: as in `isLive`. */
export const isServed = (of: string, withinMs: string): string =>
  `EXISTS (SELECT FROM process server WHERE server.namespace = ${of}.namespace AND ${canServe('server', of)} AND ${isLive('server', withinMs)})`;

/** The application whose code a need is; null: it is none, or none is known. $1: the namespace. */
export const appOf = (need: string): string =>
  `(SELECT d.app FROM deployment d WHERE d.namespace = $1 AND split_part(${need}, '@', 1) = 'code.' || left(md5(d.app), 12) LIMIT 1)`;
