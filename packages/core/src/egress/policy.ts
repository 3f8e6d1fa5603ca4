import { type BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { EscapementError } from '../errors.ts';
import { ADDRESS_CLASSES, type AddressClass, listOf } from './address-class.ts';

/** Ports that an entry opens, both ends included; undefined: all. */
type Ports = { from: number; to: number } | undefined;

/** What is open: an entry of `ESCAPEMENT_EGRESS`. */
export type EgressEntry =
  | { kind: 'class'; class: AddressClass; ports: Ports }
  /** `single`: one address alone. Only such an entry opens a metadata service. */
  | { kind: 'range'; list: BlockList; family: 'ipv4' | 'ipv6'; single: boolean; ports: Ports }
  /** Opens the public and private addresses of a host. `suffix`: of all names that end so. */
  | { kind: 'host'; name: string; suffix: boolean; ports: Ports };

/** Where requests of tasks and webhooks may go: to what one of its entries opens. */
export interface EgressPolicy {
  entries: readonly EgressEntry[];
  /** As it was written. */
  toString(): string;
}

/** Classes that a word opens; the others are opened by their addresses. */
const WORDS = ['public', 'private', 'loopback', 'link-local'] as const satisfies readonly AddressClass[];

export const EGRESS_ALLOWED =
  'words (public, private, loopback, link-local), ranges (10.2.0.0/16), addresses and host names (api.corp, *.corp), separated by commas; each may end in :port or :from-to';

/** Reads `ESCAPEMENT_EGRESS`. Throws `bad_egress` naming the entry that is none. */
export function parseEgress(text: string): EgressPolicy {
  const entries = text.split(',').map((entry) => readEntry(entry.trim()));
  return { entries, toString: () => text.trim() };
}

function readEntry(text: string): EgressEntry {
  const parts = partsOf(text);
  if (!parts) throw bad(text, EGRESS_ALLOWED);
  const { base, bits, ports } = parts;
  const word = WORDS.find((each) => each === base.toLowerCase());
  if (word && bits === undefined) return { kind: 'class', class: word, ports };
  if (isIP(base) !== 0) return rangeOf(text, { base, bits, ports });
  if (bits !== undefined) throw bad(text, 'only an address may be followed by /bits');
  return hostOf(text, base, ports);
}

interface Parts {
  base: string;
  bits: number | undefined;
  ports: Ports;
}

const BRACKETED = /^\[([0-9a-f:.]+)\](?:\/(\d{1,3}))?(?::(\d{1,5})(?:-(\d{1,5}))?)?$/i;
const PLAIN = /^([^\s:/[\]]+)(?:\/(\d{1,3}))?(?::(\d{1,5})(?:-(\d{1,5}))?)?$/;
const BARE_IPV6 = /^([0-9a-f:.]+:[0-9a-f:.]*)(?:\/(\d{1,3}))?$/i;

function partsOf(text: string): Parts | undefined {
  const isBare = isIPv6(text.split('/')[0] ?? '');
  const found = (isBare ? BARE_IPV6 : text.startsWith('[') ? BRACKETED : PLAIN).exec(text);
  if (!found) return undefined;
  const [, base = '', bits, from, to = from] = found;
  const ports = from === undefined ? undefined : { from: Number(from), to: Number(to) };
  if (ports && (ports.from < 1 || ports.to > 65_535 || ports.from > ports.to)) return undefined;
  return { base, bits: bits === undefined ? undefined : Number(bits), ports };
}

function rangeOf(text: string, { base, bits, ports }: Parts): EgressEntry {
  const most = isIPv4(base) ? 32 : 128;
  const kept = bits ?? most;
  if (kept > most) throw bad(text, `at most /${most}`);
  const list = listOf(`${base}/${kept}`);
  return { kind: 'range', list, family: most === 32 ? 'ipv4' : 'ipv6', single: kept === most, ports };
}

function hostOf(text: string, base: string, ports: Ports): EgressEntry {
  const suffix = base.startsWith('*.');
  const name = hostName(suffix ? base.slice(2) : base);
  const isName = /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/.test(name);
  if (!isName) throw bad(text, EGRESS_ALLOWED);
  // 127.1 and 0x7f000001 are addresses to whoever connects.
  const url = `http://${name}`;
  if (!URL.canParse(url) || isIP(new URL(url).hostname) !== 0) throw bad(text, 'write an address in full');
  if ((ADDRESS_CLASSES as readonly string[]).includes(name))
    throw bad(text, `${name} addresses are opened one by one, by the address itself`);
  return { kind: 'host', name, suffix, ports };
}

/** A host's name as names are compared: without the dot of the root, in lower case. */
export function hostName(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}

function bad(entry: string, fix: string): EscapementError {
  return new EscapementError('bad_egress', `${JSON.stringify(entry)} opens nothing`, { fix });
}

/** Public addresses alone. */
export const DEFAULT_EGRESS_TEXT = 'public';
export const DEFAULT_EGRESS: EgressPolicy = parseEgress(DEFAULT_EGRESS_TEXT);
