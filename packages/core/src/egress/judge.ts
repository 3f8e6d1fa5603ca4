import { EscapementError } from '../errors.ts';
import { type Address, parseAddress } from './address.ts';
import { type Classified, classify } from './address-class.ts';
import { type EgressEntry, type EgressPolicy, hostName } from './policy.ts';

/** Where a request would go. */
export interface Destination {
  /** As the URL has it; without the brackets of IPv6. */
  host: string;
  /** What the host was found to be. */
  address: string;
  port: number;
}

/** Thrown where the policy does not open an address. The message names the address, its class and range, and what opens it. */
export class EgressDenied extends EscapementError {
  override readonly name = 'EgressDenied';
}

/** Why a request may not go there; undefined: it may. */
export function judgeDestination(policy: EgressPolicy, destination: Destination): EgressDenied | undefined {
  const address = parseAddress(destination.address);
  if (!address)
    return denied(destination, `${JSON.stringify(destination.address)} is no address`, 'use a name or an address');
  const found = classify(address);
  if (policy.entries.some((entry) => opens(entry, { ...destination, address, found }))) return undefined;
  return refusal(policy, destination, found);
}

/**
 * The same for what a URL says by itself, before any name is looked up: an address in any spelling, or a name that is always
 * loopback (RFC 6761).
 */
export function judgeUrl(policy: EgressPolicy, url: URL): EgressDenied | undefined {
  const host = hostOf(url);
  const name = hostName(host);
  const address = /^(.*\.)?localhost$/.test(name) ? '127.0.0.1' : host;
  return parseAddress(address) ? judgeDestination(policy, { host, address, port: portOf(url) }) : undefined;
}

/** The host of a URL, as a look-up wants it. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** The port of a URL, also where it is the usual one. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

type Judged = Omit<Destination, 'address'> & { address: Address; found: Classified };

function opens(entry: EgressEntry, { host, port, address, found }: Judged): boolean {
  if (entry.ports && (port < entry.ports.from || port > entry.ports.to)) return false;
  switch (entry.kind) {
    case 'class':
      return entry.class === found.class;
    case 'range':
      return holds(entry, address) && (entry.single || found.class !== 'metadata');
    case 'host': {
      const name = hostName(host);
      const named = entry.suffix ? name.endsWith(`.${entry.name}`) : name === entry.name;
      return named && (found.class === 'public' || found.class === 'private');
    }
  }
}

function holds({ list, family }: Extract<EgressEntry, { kind: 'range' }>, { text, ...address }: Address): boolean {
  if (address.family === family) return list.check(text, family);
  return family === 'ipv4' && address.inner !== undefined && list.check(address.inner, 'ipv4');
}

function refusal(policy: EgressPolicy, destination: Destination, found: Classified): EgressDenied {
  const { host, address, port } = destination;
  const which = host === address ? address : `${host}, which is ${address},`;
  const what = `requests to ${which} port ${port} are not open: rule "${found.class}" (${found.range})`;
  return denied(destination, what, `ESCAPEMENT_EGRESS is "${policy}"; ${howToOpen(destination, found)}`);
}

function howToOpen({ host, address, port }: Destination, { class: name }: Classified): string {
  const single = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const word = name === 'public' || name === 'private' || name === 'loopback' || name === 'link-local';
  const byHost =
    host !== address && (name === 'public' || name === 'private') ? `, or "${hostName(host)}:${port}"` : '';
  return `an operator opens it by "${single}"${byHost}${word ? `, or all of its kind by "${name}"` : ''}`;
}

function denied({ host }: Destination, message: string, fix: string): EgressDenied {
  return new EgressDenied('egress_denied', message || host, { fix });
}
