import { networks, port, text, urlHosts } from './values.ts';
import type { Variable } from './variable.ts';

/** Where the API answers, and whom it believes. */
export const API_VARIABLES = {
  apiPort: {
    env: 'ESCAPEMENT_API_PORT',
    section: 'API',
    roles: ['api'],
    schema: port(),
    default: '4747',
    doc: 'Where the [API](api.md) answers.',
  },
  apiHost: {
    env: 'ESCAPEMENT_API_HOST',
    section: 'API',
    roles: ['api'],
    schema: text('an address or name of this machine', /^[A-Za-z0-9_.:%-]+$/),
    default: '127.0.0.1',
    doc: 'The address that the API listens on; `0.0.0.0` for other machines, as in a container. It speaks plain HTTP: put a proxy with TLS before it.',
  },
  apiHosts: {
    env: 'ESCAPEMENT_API_HOSTS',
    section: 'API',
    roles: ['api'],
    schema: urlHosts(),
    doc: 'The names under which it is reached, as in `jobs.example.com,api:4747`. A request with another `Host` is refused, so that a page elsewhere cannot lead a browser here under a name of its own. `localhost` and loopback addresses always count.',
  },
  apiTrustedProxies: {
    env: 'ESCAPEMENT_API_TRUSTED_PROXIES',
    section: 'API',
    roles: ['api'],
    schema: networks(),
    doc: 'Addresses or networks of the proxies before it, as in `10.0.0.0/8`. What they say of the caller (`X-Forwarded-For`, `-Host`, `-Proto`) is believed, and kept in the audit. Default: nobody.',
  },
} as const satisfies Record<string, Variable>;
