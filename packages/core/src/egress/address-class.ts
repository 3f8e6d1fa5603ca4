import { BlockList } from 'node:net';
import type { Address } from './address.ts';

/** What an address is for, and so what opens it. */
export const ADDRESS_CLASSES = [
  'public',
  'private',
  'loopback',
  'link-local',
  'metadata',
  'unspecified',
  'multicast',
  'reserved',
] as const;
export type AddressClass = (typeof ADDRESS_CLASSES)[number];

/** The class of an address, and the range that says so. */
export interface Classified {
  class: AddressClass;
  range: string;
}

/** The first that holds an address counts. IANA's registries of special-purpose addresses (RFC 6890), and the clouds' own. */
const RANGES: readonly (readonly [AddressClass, readonly string[]])[] = [
  // AWS, Google, Azure, DigitalOcean; AWS containers and pods; Alibaba; Oracle; Azure's host; Scaleway.
  ['metadata', ['169.254.169.254/32', '169.254.170.2/32', '169.254.170.23/32', '100.100.100.200/32']],
  ['metadata', ['192.0.0.192/32', '168.63.129.16/32', '169.254.42.42/32']],
  ['metadata', ['fd00:ec2::254/128', 'fd00:ec2::23/128', 'fd20:ce::254/128', 'fd00:42::42/128']],
  ['unspecified', ['0.0.0.0/8', '::/128']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15']],
  ['private', ['fc00::/7', 'fec0::/10']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  ['reserved', ['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4']],
  // Teredo and other protocols' own, documentation, local NAT64, discard, segment routing.
  ['reserved', ['2001::/23', '2001:db8::/32', '3fff::/20', '64:ff9b:1::/48', '100::/64', '5f00::/16']],
  // What stands for an IPv4 address is judged by that one.
  ['public', ['64:ff9b::/96', '::ffff:0:0:0/96', '::/96', '2000::/3']],
  ['reserved', ['::/0']],
  ['public', ['0.0.0.0/0']],
];

const LISTS = RANGES.flatMap(([name, ranges]) => ranges.map((range) => ({ class: name, range, list: listOf(range) })));

/** What an address is. One that stands for an IPv4 address is what that one is, if it is not public. */
export function classify({ family, text, inner }: Address): Classified {
  const own = find(text, family);
  if (inner === undefined || own.class !== 'public') return own;
  const innerClass = find(inner, 'ipv4');
  return innerClass.class === 'public' ? own : innerClass;
}

/** All that is not public, and the whole of what is; most addresses are told by one look. */
const QUICK = { ipv4: quickOf('ipv4', '0.0.0.0/0'), ipv6: quickOf('ipv6', '2000::/3') };

function quickOf(family: Address['family'], range: string): { closed: BlockList; open: BlockList; range: string } {
  const closed = new BlockList();
  const special = RANGES.filter(([name]) => name !== 'public').flatMap(([, ranges]) => ranges);
  for (const each of special) if (familyOf(each) === family && each !== '::/0') addTo(closed, each);
  return { closed, open: listOf(range), range };
}

function find(text: string, family: Address['family']): Classified {
  const { closed, open, range: all } = QUICK[family];
  if (open.check(text, family) && !closed.check(text, family)) return { class: 'public', range: all };
  const found = LISTS.find(({ range, list }) => familyOf(range) === family && list.check(text, family));
  return found ? { class: found.class, range: found.range } : { class: 'reserved', range: text };
}

/** The addresses of a range such as `10.0.0.0/8`. Throws where it is none. */
export function listOf(range: string): BlockList {
  const list = new BlockList();
  addTo(list, range);
  return list;
}

function addTo(list: BlockList, range: string): void {
  const [address = '', bits = ''] = range.split('/');
  list.addSubnet(address, Number(bits), familyOf(range));
}

function familyOf(range: string): Address['family'] {
  return range.includes(':') ? 'ipv6' : 'ipv4';
}
