import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApi, type OidcSettings } from '@escapement/api';
import { SECOND, systemClock } from '@escapement/core';
import { isLoopback } from '@escapement/core/egress';
import {
  NO_PARTS,
  openProgramDatabase,
  orExit,
  type ProcessHost,
  type Program,
  type ProgramContext,
  processId,
  runProgram,
} from '@escapement/runtime';
import {
  type Config,
  type Environment,
  loadConfig,
  type OnError,
  plainTextServers,
  plainTextWords,
} from '@escapement/service';
import manifest from '../package.json' with { type: 'json' };

/** Requests under way are waited for so long. */
const STOP_MS = 10 * SECOND;

/** Where the build of the dashboard lies: in this package as it is installed, or beside this app in a clone. */
const SITES = ['../dist/site', '../../dashboard/dist/site'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);
const site = () => SITES.find((folder) => existsSync(folder));

/** Answers the API, and serves the dashboard, until it is told to end. `host`: the process, where it shares one. */
export async function runApi(env: Environment, host?: ProcessHost): Promise<void> {
  const config = orExit(() => loadConfig(env, 'api'));
  await runProgram({
    role: 'api',
    id: processId('api'),
    version: manifest.version,
    config,
    env,
    host,
    graceMs: STOP_MS,
    warn: (log) => {
      for (const each of plainTextServers(config)) log.warn({ fix: each.fix }, plainTextWords(each));
      if (!isLoopback(config.apiHost) && config.apiTrustedProxies === undefined)
        log.warn(
          { fix: 'put a proxy with TLS before it, and name that in ESCAPEMENT_API_TRUSTED_PROXIES' },
          'the API listens to other machines in plain HTTP: tokens can be read on their way',
        );
      if (!site()) log.warn({ fix: 'npm run build' }, 'there is no dashboard: it is not built');
    },
    parts: () => NO_PARTS,
    build: async (context) => build(context, config),
  });
}

function build({ db, log, emit, onError }: ProgramContext, config: Config<'api'>): Program {
  const { apiHost: host, apiPort: port, apiHosts: hosts = [], apiTrustedProxies: trustedProxies = [] } = config;
  const { apiUrl } = config;
  const { leaseMs: deadMs, egress, traceUrl, notifyEmail, notifyWebhook, maxClockOffsetMs, allowEviction } = config;
  const standby = standbyOf(config, onError);
  const api = createApi({
    ...{ db, standby, log, emit, onError, clock: systemClock },
    ...{ host, port, trustedProxies, oidc: oidcSettings(config) },
    ...{ maxClockOffsetMs, allowEviction },
    ...{ hosts: apiUrl === undefined ? hosts : [...hosts, new URL(apiUrl).host], deadMs, egress, traceUrl, apiUrl },
    appVersion: manifest.version,
    defaults: { email: notifyEmail ?? [], webhook: notifyWebhook ?? [] },
    siteFolder: site(),
  });
  return {
    checks: [],
    start: async () => log.info(await api.start(), 'the API listens'),
    stop: async () => {
      await api.stop();
      await standby?.close();
    },
  };
}

/** Undefined: the primary serves what is only shown, too. */
function standbyOf(config: Config<'api'>, onError: OnError): ProgramContext['db'] | undefined {
  const { standbyUrl: url } = config;
  return url === undefined ? undefined : openProgramDatabase({ config, url, name: 'api, standby', onError });
}

/** Undefined: users sign in by password only. */
function oidcSettings(config: Config<'api'>): OidcSettings | undefined {
  const { apiUrl, oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcGroups } = config;
  const { oidcGroupsClaim: groupsClaim, oidcScopes: scopes } = config;
  if (!apiUrl || !issuer || !clientId || !clientSecret || !oidcGroups) return undefined;
  return { apiUrl, issuer, clientId, clientSecret, scopes, groupsClaim, groupRoles: oidcGroups };
}
