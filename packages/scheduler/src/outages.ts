import { SECOND } from '@escapement/core';
import type { AwayDuring } from '@escapement/core/plan';

type Server = 'Postgres' | 'Redis';

interface Outage {
  server: Server;
  fromMs: number;
  /** Infinity: it lasts. */
  untilMs: number;
}

/** Processes that wait longer and longer between two tries are all back so long after a server is. */
const RETURN_MS = 5 * SECOND;
/** Outages that are remembered, of each server: the newest. */
const REMEMBERED = 100;

export interface Outages {
  /** A server does not answer this process, and did so many milliseconds ago; default: until now. */
  began(server: Server, agoMs?: number): void;
  /** It answers again. */
  ended(server: Server): void;
  /** For how long a server has not answered, in milliseconds; null: it does. */
  awayMs(server: Server): number | null;
  /** For reasons in the ledger. What lies in an outage, or just after one, says so. */
  during: AwayDuring;
}

/** Remembers when Postgres and Redis did not answer this scheduler. `nowMs`: by Postgres' clock. */
export function createOutages(nowMs: () => number): Outages {
  const known: Record<Server, Outage[]> = { Postgres: [], Redis: [] };

  function open(server: Server): Outage | undefined {
    const last = known[server].at(-1);
    return last?.untilMs === Number.POSITIVE_INFINITY ? last : undefined;
  }

  return {
    began(server, agoMs = 0) {
      if (open(server)) return;
      const outage = { server, fromMs: nowMs() - agoMs, untilMs: Number.POSITIVE_INFINITY };
      known[server] = [...known[server], outage].slice(-REMEMBERED);
    },
    ended(server) {
      const outage = open(server);
      if (outage) outage.untilMs = nowMs();
    },
    awayMs(server) {
      const outage = open(server);
      return outage ? nowMs() - outage.fromMs : null;
    },
    during(from, until) {
      const away = [...known.Postgres, ...known.Redis].find(
        ({ fromMs, untilMs }) => fromMs <= until.getTime() && from.getTime() <= untilMs + RETURN_MS,
      );
      return away && `${away.server} was away`;
    },
  };
}
