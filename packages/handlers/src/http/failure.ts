import type { RunError } from '@escapement/core';

type Kind = 'dns' | 'refused' | 'unreachable' | 'closed' | 'tls' | 'protocol' | 'other';

const KINDS: Readonly<Record<string, Kind>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  ECONNABORTED: 'closed',
  EPROTO: 'tls',
};

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA)/;

/** An exchange that broke, in words that say where to look. */
export function describeFailure(thrown: unknown, url: URL): RunError {
  const code = codeOf(thrown);
  const kind = kindOf(code);
  return {
    name: 'RequestFailed',
    message: `${explain(kind, url, thrown)} (${code || 'no code'})`,
    fields: { kind, code },
  };
}

function kindOf(code: string): Kind {
  if (TLS_CODE.test(code)) return 'tls';
  if (code.startsWith('HPE_')) return 'protocol';
  return KINDS[code] ?? 'other';
}

function explain(kind: Kind, url: URL, thrown: unknown): string {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  switch (kind) {
    case 'dns':
      return `the host ${url.hostname} was not found; check its name, and the name server of the worker`;
    case 'refused':
      return `nothing listens at ${url.hostname}:${port}; check that the service runs, and the port`;
    case 'unreachable':
      return `no connection to ${url.hostname}:${port}; check the network and firewalls between the worker and it`;
    case 'closed':
      return `${url.hostname}:${port} closed the connection before its answer was complete`;
    case 'tls':
      return `no secure connection to ${url.hostname}:${port}: ${message}; for a private authority set NODE_EXTRA_CA_CERTS on the worker`;
    case 'protocol':
      return `${url.hostname}:${port} answered with what is not HTTP: ${message}`;
    case 'other':
      return `the request to ${url.hostname}:${port} failed: ${message}`;
  }
}

/** With several addresses tried, the first one's code stands for all. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && !('code' in thrown)) return codeOf(thrown.errors[0]);
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
