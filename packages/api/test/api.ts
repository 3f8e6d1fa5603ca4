import { type Clock, type Emit, systemClock } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { createToken, type TokenAsked } from '@escapement/operations';
import { createLogger } from '@escapement/service';
import { type Database, openDatabase } from '@escapement/store';
import { afterFile, by, testDatabase } from '@escapement/testkit';
import type { InjectOptions } from 'fastify';
import { type Api, createApi, type OidcSettings } from '../src/index.ts';

/** An answer, as tests look at it. */
export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  /** Of JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests ask.
  body: any;
}

export interface Request {
  method?: string;
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** The body as it is sent, in place of `body`. */
  text?: string | Buffer;
  headers?: Record<string, string>;
  /** From where it comes. Default: 127.0.0.1. */
  address?: string;
  /** The answer goes on for ever: its head is enough. */
  streams?: boolean;
}

export interface TestApi {
  db: Database;
  api: Api;
  /** Makes a token in the API's namespace. */
  token(asked: Partial<TokenAsked>): Promise<string>;
  /** Asks as whoever has a token; without one as an admin. */
  ask(request: Request, token?: string | null): Promise<Answer>;
  /** What the server has written about errors of its own. */
  errors: string[];
}

const databases = new Map<string, Promise<string>>();
let tokens = 0;

interface MoreOfApi {
  oidc?: OidcSettings;
  standby?: Database;
  /** Told what the API tells of itself. */
  tell?: Emit;
}

/** An API over a database of the calling test file; those of several namespaces share it. Its answers are checked. */
export async function testApi(
  namespace = 'default',
  file = 'own',
  clock: Clock = systemClock,
  { oidc, standby, tell = () => {} }: MoreOfApi = {},
): Promise<TestApi> {
  const url = await (databases.get(file) ?? keep(file));
  const db = openDatabase({ url, namespace, applicationName: 'api test' });
  const errors: string[] = [];
  const log = createLogger({
    ...{ service: 'api', level: 'error', format: 'json' },
    output: { write: (line: string) => void errors.push(line) },
  });
  const api = createApi({
    ...{ db, log, clock, host: '127.0.0.1', port: 0, hosts: [], trustedProxies: [] },
    ...{ deadMs: 10_000, egress: parseEgress('public'), traceUrl: undefined, defaults: { email: [], webhook: [] } },
    ...{ maxClockOffsetMs: 500, allowEviction: false },
    standby,
    emit: tell,
    onError: (error) => void errors.push(String(error)),
    checksAnswers: true,
    oidc,
  });
  afterFile(async () => {
    await api.stop();
    await db.close();
  });
  const token = async (asked: Partial<TokenAsked>): Promise<string> => {
    const made = await createToken(db, { name: `token-${tokens++}`, role: 'admin', ...asked }, by('root'));
    return made.token;
  };
  const admin = await token({});
  return { db, api, token, errors, ask: (request, given = admin) => ask(api, request, given) };
}

/** The database of that name, which has been migrated, is at `url`. */
export function useDatabase(file: string, url: string): void {
  databases.set(file, Promise.resolve(url));
  afterFile(async () => void databases.delete(file));
}

function keep(file: string): Promise<string> {
  const made = testDatabase().then(({ url }) => url);
  databases.set(file, made);
  afterFile(async () => void databases.delete(file));
  return made;
}

async function ask(
  api: Api,
  { method = 'GET', path, query, body, text = JSON.stringify(body), headers, address, streams = false }: Request,
  token: string | null,
): Promise<Answer> {
  const options: InjectOptions = {
    method: method as NonNullable<InjectOptions['method']>,
    url: path,
    headers: {
      host: 'localhost',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(query === undefined ? {} : { query }),
    ...(address === undefined ? {} : { remoteAddress: address }),
    ...(text === undefined ? {} : { payload: text }),
  };
  if (streams) {
    const begun = await api.server.inject({ ...options, payloadAsStream: true });
    if (begun.statusCode === 200) {
      begun.stream().destroy();
      return { status: begun.statusCode, headers: begun.headers, text: '', body: undefined };
    }
  }
  const answer = await api.server.inject(options);
  const isJson = /json/.test(String(answer.headers['content-type']));
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.payload,
    body: isJson && answer.payload !== '' ? JSON.parse(answer.payload) : undefined,
  };
}
