import type { ErrorText } from './error-text.ts';

/** Requests to the API. */
export const API_ERRORS = {
  api_address: {
    when: 'the API cannot listen on the address that is configured',
    fix: 'correct host and port in the configuration',
  },
  api_answer: {
    when: "the server's answer does not have the form that this client expects",
    fix: 'use the same version of Escapement on both sides',
  },
  api_port_taken: {
    when: 'another process listens on the port of the API',
    fix: 'end that process, or configure another port',
  },
  api_unreachable: {
    when: 'the API does not answer, or its answer broke off',
    fix: 'check the URL and the server, and ask again',
  },
  bad_api_url: {
    when: 'what was given is not the URL of an API',
    fix: 'give `https://HOST`, without a user, `?` or `#`',
  },
  bad_cursor: { when: 'the cursor of a list is not one of this list', fix: 'start again without a cursor' },
  bad_idempotency_key: {
    when: 'the header `Idempotency-Key` has characters that are not allowed',
    fix: 'give 1 to 255 visible characters of ASCII',
  },
  bad_media_type: {
    when: 'the body is of a media type that is not read here',
    fix: 'send JSON, with `Content-Type: application/json`',
  },
  bad_path: { when: 'a part of the path cannot be read', fix: 'encode it as RFC 3986 says' },
  bad_request: {
    when: 'values of the request are wrong; `errors` lists each one',
    fix: 'correct them; `/docs` of the server lists what each route takes',
  },
  bad_traceparent: {
    when: 'the header `traceparent` is not one of W3C Trace Context',
    fix: 'send a valid one, or leave it out',
  },
  bad_version: { when: 'the header `If-Match` does not name a version', fix: 'give the version of the task in quotes' },
  body_too_large: { when: 'the body is larger than the route takes', fix: 'send less at once' },
  database_away: {
    when: 'Postgres does not answer, or is too busy',
    fix: 'try again in a moment; what was not confirmed was not done',
  },
  idempotency_key_reused: {
    when: 'the same `Idempotency-Key` was sent with another request',
    fix: 'use a new key for each thing that is to be done',
  },
  internal_error: {
    when: 'the server made a mistake; its log says which',
    fix: 'look for the id of the request in the log, and report it',
  },
  needs_database: {
    when: 'what was asked is possible only for a client that is connected to Postgres',
    fix: 'make the client with `databaseUrl`',
  },
  no_answer: { when: 'a scheduler or Postgres gave no answer in time', fix: 'try again; see `escapement doctor`' },
  no_events: { when: 'events are told by a server of the API only', fix: 'set `ESCAPEMENT_URL` to a server' },
  no_method: { when: 'the path exists, but not with this method', fix: 'use one of the methods that are named' },
  no_route: { when: 'there is no such path', fix: '`/docs` of the server lists all routes' },
  no_version: {
    when: 'a change of an existing task names no version',
    fix: 'send `If-Match` with the version that was read',
  },
  preview_outdated: { when: 'the task has changed since the preview of a change', fix: 'preview the change again' },
  too_many_watch: {
    when: 'too many browsers or programs follow events or logs at this server',
    fix: 'try again as late as `Retry-After` says',
  },
  unknown_host: {
    when: 'the server does not know itself by the host name in the request',
    fix: 'add the name to the host names of the API in the configuration',
  },
  version_changed: { when: 'the task has changed since it was read', fix: 'read it again, and repeat the change' },
} as const satisfies Record<string, ErrorText>;
