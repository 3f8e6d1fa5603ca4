import { createToken } from '@escapement/operations';
import { freePort } from '@escapement/servers';
import { type Database, openDatabase } from '@escapement/store';
import { afterFile, asUser, by, type NodeProcess, spawnNode, testDatabase, testRedis } from '@escapement/testkit';

const START_MS = 90_000;

/** Scheduler, worker and API as processes, for hosts with a real cron. */
export interface LiveFleet {
  db: Database;
  url: string;
  /** What a command of an admin needs, to ask the API. */
  admin: { ESCAPEMENT_URL: string; ESCAPEMENT_TOKEN: string };
  /** The API goes away. */
  leave(): Promise<void>;
  /** It is back, under the same address. */
  comeBack(): Promise<void>;
  /** What it answers to an admin. */
  read<Answer>(path: string): Promise<Answer>;
}

/** Starts them; all end after the test file. */
export async function liveFleet(): Promise<LiveFleet> {
  const [{ url: database }, redis, port] = await Promise.all([testDatabase(), testRedis(), freePort(0)]);
  const db = openDatabase({ url: database, applicationName: 'test' });
  afterFile(() => db.close());
  const shared = { DATABASE_URL: database, REDIS_URL: redis.url, ESCAPEMENT_HEALTH_PORT: 'off' };
  const start = async (app: string, line: string, env: Record<string, string>): Promise<NodeProcess> => {
    const entry = new URL(`../../apps/${app}/src/main.ts`, import.meta.url);
    const started = spawnNode(entry, { env: { ...shared, ...env } });
    await started.waitForLine(line, START_MS);
    return started;
  };
  const startApi = () =>
    start('api', 'the API listens', { DATABASE_URL: asUser(database, 'api'), ESCAPEMENT_API_PORT: String(port) });
  let [api] = await Promise.all([
    startApi(),
    start('scheduler', 'scheduler is running', {}),
    start('worker', 'worker is running', { ESCAPEMENT_ALLOW_SHELL: 'true' }),
  ]);
  const { token } = await createToken(db, { name: 'admin', role: 'admin' }, by('root'));
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ db, url, admin: { ESCAPEMENT_URL: url, ESCAPEMENT_TOKEN: token } },
    leave: async () => void (await api.terminate()),
    async comeBack() {
      api = await startApi();
    },
    async read<Answer>(path: string): Promise<Answer> {
      const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      return JSON.parse(text);
    },
  };
}
