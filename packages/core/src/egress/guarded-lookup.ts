import type { LookupAddress, LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type Destination, hostOf, judgeDestination, judgeUrl, portOf } from './judge.ts';
import type { EgressPolicy } from './policy.ts';

/** Finds all addresses of a name; `lookup` of node:dns. */
export type Resolver = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * The look-up for the socket of a request to `url`, which gives back open addresses only: what is judged is what is
 * connected to, and no name can mean something else in between. A socket does not look up a literal address: it is judged
 * here. Throws `EgressDenied`, and so does the look-up where no address of the name is open. Each redirect needs its own.
 */
export function guardedLookup(policy: EgressPolicy, url: URL, resolve: Resolver): LookupFunction {
  const literal = judgeUrl(policy, url);
  if (literal) throw literal;
  const to: Omit<Destination, 'address'> = { host: hostOf(url), port: portOf(url) };
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const judged = found.map((each) => ({
        each,
        denied: judgeDestination(policy, { ...to, address: each.address }),
      }));
      const open = judged.filter(({ denied }) => denied === undefined).map(({ each }) => each);
      const [first] = open;
      if (!first) return callback(judged[0]?.denied ?? notFound(hostname), '', 0);
      if (options.all) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}
