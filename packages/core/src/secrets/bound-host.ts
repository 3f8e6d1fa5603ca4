import { hostOf, portOf } from '../egress/judge.ts';
import { hostName } from '../egress/policy.ts';

/** A host that a secret may be sent to. */
export interface BoundHost {
  text: string;
  name: string;
  /** All names that end so. */
  suffix: boolean;
  /** Undefined: any. */
  port: number | undefined;
}

const FORM = /^(\*\.)?([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

/** Reads `api.example`, `*.example`, `10.0.0.1:8080`, `[::1]`; undefined: it is none of these. */
export function boundHost(text: string): BoundHost | undefined {
  const [, star, host = '', port] = FORM.exec(text) ?? [];
  const url = `http://${host}${port === undefined ? '' : `:${port}`}`;
  if (host === '' || !URL.canParse(url)) return undefined;
  // Spelt as a URL spells it: 127.1 and 0x7f000001 are 127.0.0.1.
  const name = hostName(hostOf(new URL(url)));
  return { text, name, suffix: star !== undefined, port: port === undefined ? undefined : Number(port) };
}

export function isBoundHost({ name, suffix, port }: BoundHost, url: URL): boolean {
  const host = hostName(hostOf(url));
  if (port !== undefined && port !== portOf(url)) return false;
  return suffix ? host.endsWith(`.${name}`) : host === name;
}
