import { createApi } from '@escapement/api';
import { systemClock } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { createToken } from '@escapement/operations';
import { createLogger } from '@escapement/service';
import type { Database } from '@escapement/store';
import { afterFile, by } from '@escapement/testkit';

export interface ApiServer {
  url: string;
  /** Of an admin of everything. */
  token: string;
}

/** The API of a database, which answers over a socket, and a token of a name. Its answers are checked. */
export async function apiServer(db: Database, name = 'cli-test'): Promise<ApiServer> {
  const errors: string[] = [];
  const log = createLogger({ service: 'api', level: 'error', format: 'json', output: { write: () => true } });
  const api = createApi({
    ...{ db, log, clock: systemClock, host: '127.0.0.1', port: 0, hosts: [], trustedProxies: [] },
    ...{ deadMs: 10_000, egress: parseEgress('public'), traceUrl: undefined, defaults: { email: [], webhook: [] } },
    ...{ maxClockOffsetMs: 1000, allowEviction: false },
    emit: () => {},
    onError: (error) => void errors.push(String(error)),
    checksAnswers: true,
  });
  const { url } = await api.start();
  afterFile(async () => {
    await api.stop();
    if (errors.length > 0) throw new Error(`the API has failed: ${errors[0]}`);
  });
  const { token } = await createToken(db, { name, role: 'admin' }, by('root'));
  return { url, token };
}
