import { SECOND, systemClock } from '@escapement/core';
import { until } from '../wait.ts';
import { type Ground, onItsOwn, type Pressure } from './pressure.ts';
import { OWN_SESSIONS, openSessions, type Session, takeSession } from './sessions.ts';

const KILLS_PER_SECOND = 2;
const IDLE = 300;

/** Postgres stops when the phase begins, and starts again at its half. */
export async function restartPostgres({ servers, fromMs, toMs }: Ground): Promise<Pressure> {
  return onItsOwn(
    (async () => {
      await servers.stopPostgres();
      await until((fromMs + toMs) / 2);
      await servers.startPostgres();
      const awayMs = systemClock.now().getTime() - fromMs;
      return `Postgres was away for ${(awayMs / SECOND).toFixed(1)} s`;
    })(),
  );
}

/** The fleet's sessions that are at work. Where none is: one that is idle. */
const TERMINATE = `
SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))::int AS ended FROM (
  SELECT pid, rank() OVER (ORDER BY state = 'idle', CASE WHEN state = 'idle' THEN random() END) AS place
  FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND application_name NOT LIKE '${OWN_SESSIONS}%'
) s WHERE place = 1`;

/** Twice a second somebody ends the sessions of the fleet. */
export async function endSessions({ servers, fromMs }: Ground): Promise<Pressure> {
  const db = openSessions(servers.databaseUrl, 'killer');
  let isOver = false;
  const work = (async () => {
    let ended = 0;
    for (let kill = 0; ; kill++) {
      await until(fromMs + (kill * SECOND) / KILLS_PER_SECOND);
      if (isOver) return ended;
      const { rows } = await db.pool.query<{ ended: number }>(TERMINATE);
      ended += rows[0]?.ended ?? 0;
    }
  })();
  // The end of the phase reports a failure.
  work.catch(() => undefined);
  return {
    async end() {
      isOver = true;
      const ended = await work;
      await db.close();
      return `${ended} sessions ended`;
    },
  };
}

/** Somebody opens up to 300 sessions and does nothing with them. */
export async function holdIdleSessions({ servers, toMs }: Ground): Promise<Pressure> {
  const db = openSessions(servers.databaseUrl, 'idle', IDLE);
  const work = (async () => {
    const { held, refusal } = await openIdle(() => takeSession(db));
    await until(toMs);
    for (const session of held) session.release(true);
    await db.close();
    return `${held.length} idle sessions${refusal === undefined ? '' : `, then: ${refusal}`}`;
  })();
  return onItsOwn(work);
}

/** Until Postgres has no room for more. */
async function openIdle(take: () => Promise<Session>): Promise<{ held: Session[]; refusal?: string }> {
  const held: Session[] = [];
  try {
    while (held.length < IDLE) held.push(await take());
    return { held };
  } catch (error) {
    return { held, refusal: String(error) };
  }
}
