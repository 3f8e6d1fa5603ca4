import { parseAddress } from './address.ts';
import { classify } from './address-class.ts';

/** Whether a host, a name or an address in any spelling of a URL, is this machine itself. Names are not resolved. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const written = bare.includes(':') ? bare : hostOf(bare);
  if (written === 'localhost' || written.endsWith('.localhost')) return true;
  const address = parseAddress(written);
  if (address === undefined) return false;
  const { class: kind } = classify(address);
  // Who connects to the unspecified address comes to the loopback one.
  return kind === 'loopback' || kind === 'unspecified';
}

function hostOf(host: string): string {
  const url = `http://${host}/`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : host;
}
