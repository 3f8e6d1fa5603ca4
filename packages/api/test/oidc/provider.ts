import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseGroupRoles } from '@escapement/core/rights';
import { afterFile } from '@escapement/testkit';
import type { OidcSettings } from '../../src/index.ts';

/** An OpenID provider in a process of its own. */
export interface TestProvider {
  issuer: string;
  /** How an API at http://localhost uses it. */
  settings: OidcSettings;
  /** Who may sign in there, with what it says of them, by subject. */
  know(accounts: Record<string, Record<string, unknown>>): Promise<void>;
  /** Does what a browser and its user do there: from where the API sends them to where the provider sends them back. */
  visit(url: string, subject: string): Promise<URL>;
  stop(): Promise<void>;
}

export const ROLES = parseGroupRoles(`[
  { "group": "platform", "role": "admin" },
  { "group": "cn=shop,dc=example", "role": "editor", "rights": ["shell"], "scope": "team=shop" },
  { "group": "ops", "role": "operator" }
]`);

const API_URL = 'http://localhost';
const CLIENT = { client_id: 'escapement', client_secret: 'a secret of the client, long enough' };

interface ProviderOptions {
  /** Default true: the ID token has the groups. False: only the UserInfo endpoint has them. */
  groupsInToken?: boolean;
  /** By what its clock is wrong. Default 0. */
  clockOffsetMs?: number;
  /** The signatures of its ID tokens do not fit. Default: they do. */
  forges?: boolean;
  /** The host in what it calls itself. Default: as it is reached. */
  saysHost?: string;
}

export async function startProvider(options: ProviderOptions = {}): Promise<TestProvider> {
  const redirect_uris = [`${API_URL}/v1/session/oidc/callback`];
  const clients = [
    { ...CLIENT, redirect_uris },
    { ...CLIENT, client_id: 'another', redirect_uris },
  ];
  const given = { groupsInToken: true, clockOffsetMs: 0, clients, ...options };
  const file = fileURLToPath(new URL('./provider-process.mjs', import.meta.url));
  const child = fork(file, [JSON.stringify(given)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--no-warnings'],
  });
  const stop = () => ended(child);
  afterFile(stop);
  const [{ port }] = await Promise.race([
    once(child, 'message') as Promise<[{ port: number }]>,
    once(child, 'exit').then(([code]): never => {
      throw new Error(`the provider has ended with code ${code}`);
    }),
  ]);
  const issuer = `http://127.0.0.1:${port}`;
  const { client_id: clientId, client_secret: clientSecret } = CLIENT;
  return {
    issuer,
    settings: {
      ...{ issuer, clientId, clientSecret, apiUrl: API_URL, groupRoles: ROLES },
      ...{ scopes: 'openid profile email', groupsClaim: 'groups' },
    },
    async know(accounts) {
      child.send(accounts);
      await once(child, 'message');
    },
    visit: (url, subject) => visit(issuer, url, subject),
    stop,
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** A browser of its own, which has never been there. */
async function visit(issuer: string, from: string, subject: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: { url: string; form?: Record<string, string> } = { url: from };
  for (let step = 0; step < 20; step++) {
    const { url, form } = next;
    if (!url.startsWith(issuer)) return new URL(url);
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    next = following(url, subject, { to: answer.headers.get('location'), page: await answer.text() });
  }
  throw new Error('the provider does not come to an end');
}

function following(url: string, subject: string, { to, page }: { to: string | null; page: string }) {
  if (to !== null) return { url: new URL(to, url).href };
  const [, prompt] = /name="prompt" value="(login|consent)"/.exec(page) ?? [];
  const [, action] = /action="([^"]+)"/.exec(page) ?? [];
  if (prompt === undefined || action === undefined) throw new Error(`the provider says: ${page.slice(0, 2000)}`);
  return { url: new URL(action, url).href, form: { prompt, login: subject, password: 'any' } };
}
