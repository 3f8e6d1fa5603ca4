import { isIPv4, isIPv6 } from 'node:net';

/** An IP address, in the one spelling that counts. */
export interface Address {
  family: 'ipv4' | 'ipv6';
  text: string;
  /** The IPv4 address that an IPv6 one stands for: who connects to it, or a gateway on the way, ends there. */
  inner?: string;
}

/** Reads an address as the standard library writes it; undefined: it is none. `::ffff:127.0.0.1` is read as the IPv4 one. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 'ipv4', text };
  const bare = text.replace(/%.*$/, '');
  if (!isIPv6(bare)) return undefined;
  const groups = groupsOf(bare);
  if (isMapped(groups)) return { family: 'ipv4', text: ipv4At(groups, 6) };
  const inner = innerOf(groups);
  return { family: 'ipv6', text: bare, ...(inner === undefined ? {} : { inner }) };
}

/** What one customer of a network has to itself: an IPv4 address, or the first 64 bits of an IPv6 one. Other text is itself. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address?.family !== 'ipv6') return address?.text ?? text;
  const groups = groupsOf(address.text).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The eight groups of 16 bits; the URL parser writes each spelling in one way. */
function groupsOf(text: string): number[] {
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const left = numbersOf(head);
  if (tail === undefined) return left;
  const right = numbersOf(tail);
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function numbersOf(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}

function isMapped(groups: readonly number[]): boolean {
  return startsWith(groups, [0, 0, 0, 0, 0, 0xffff]);
}

/** RFC 6052 (64:ff9b::/96), RFC 3056 (2002::/16), RFC 2765 (::ffff:0:0:0/96), RFC 5214 (an identifier 5efe), RFC 4291 (::/96). */
function innerOf(groups: readonly number[]): string | undefined {
  if (startsWith(groups, [0x64, 0xff9b, 0, 0, 0, 0])) return ipv4At(groups, 6);
  if (startsWith(groups, [0x2002])) return ipv4At(groups, 1);
  if (startsWith(groups, [0, 0, 0, 0, 0xffff, 0])) return ipv4At(groups, 6);
  if (groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200)) return ipv4At(groups, 6);
  const compatible = startsWith(groups, [0, 0, 0, 0, 0, 0]) && groups[6] !== 0;
  return compatible ? ipv4At(groups, 6) : undefined;
}

function startsWith(groups: readonly number[], start: readonly number[]): boolean {
  return start.every((group, index) => groups[index] === group);
}

function ipv4At(groups: readonly number[], index: number): string {
  return groups
    .slice(index, index + 2)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}
