import { groupRoles, issuerUrl, networks, originUrl, port, text, urlHosts } from './values.ts';
import { NOTIFIERS, type Variable } from './variable.ts';

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
  apiUrl: {
    env: 'ESCAPEMENT_API_URL',
    section: 'API',
    roles: NOTIFIERS,
    schema: originUrl(),
    doc: 'Where browsers, and [jobs elsewhere that ping](../how-to/watch-a-job-elsewhere.md), reach the API, as in `https://jobs.example.com`. An OpenID provider sends them back there, to `/v1/session/oidc/callback`. Messages about alerts link to the dashboard there. Its host need not stand in ESCAPEMENT_API_HOSTS too.',
  },
  oidcIssuer: {
    env: 'ESCAPEMENT_OIDC_ISSUER',
    section: 'API',
    roles: ['api'],
    schema: issuerUrl(),
    doc: 'The OpenID provider at which users may [sign in](../how-to/sign-in-by-openid.md), as its `/.well-known/openid-configuration` names itself. Without it they sign in by password only. Requires ESCAPEMENT_API_URL and the following variables that have no default.',
  },
  oidcClientId: {
    env: 'ESCAPEMENT_OIDC_CLIENT_ID',
    section: 'API',
    roles: ['api'],
    schema: text('1 to 200 visible characters', /^[\x21-\x7e]{1,200}$/),
    doc: 'What the provider calls the API.',
  },
  oidcClientSecret: {
    env: 'ESCAPEMENT_OIDC_CLIENT_SECRET',
    section: 'API',
    roles: ['api'],
    schema: text('1 to 2000 characters of ASCII', /^[\x20-\x7e]{1,2000}$/),
    mask: () => '***',
    doc: 'How the API proves to the provider that it is the API. It may stand in ESCAPEMENT_SETTINGS_FILE, as every variable.',
  },
  oidcGroups: {
    env: 'ESCAPEMENT_OIDC_GROUPS',
    section: 'API',
    roles: ['api'],
    schema: groupRoles(),
    doc: 'Which group of the provider has which [role](rights.md#roles) in the namespace, as in `[{"group":"platform","role":"admin"},{"group":"shop","role":"editor","rights":["shell"],"scope":"team=shop"}]`. The first entry that names a group of the user counts. Who is in none may not sign in.',
  },
  oidcGroupsClaim: {
    env: 'ESCAPEMENT_OIDC_GROUPS_CLAIM',
    section: 'API',
    roles: ['api'],
    schema: text('the name of a claim', /^[\x21-\x7e]{1,200}$/),
    default: 'groups',
    doc: 'The claim with the groups of a user, a list of texts or one text: of the ID token, else of the UserInfo endpoint.',
  },
  oidcScopes: {
    env: 'ESCAPEMENT_OIDC_SCOPES',
    section: 'API',
    roles: ['api'],
    schema: text(
      'words separated by spaces, with openid among them',
      /^(?=(.* )?openid( |$))[\x21-\x7e]+( [\x21-\x7e]+)*$/,
    ),
    default: 'openid profile email',
    doc: 'What the provider is asked for. Some give groups only for a scope of their own, as `groups`.',
  },
} as const satisfies Record<string, Variable>;
