import { ProblemError } from './problem.ts';

/** What of a request says where it comes from. */
export interface Sent {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As the server was asked, or as a trusted proxy says that it was. */
  protocol: string;
  host: string;
}

/**
 * A browser sends cookies along with what any page makes it ask. So what changes something has to come from a page of this server, as the
 * browser says in `Origin`, which no page can set. Throws `ProblemError` (`cross_site`).
 */
export function requireOwnOrigin({ method, headers, protocol, host }: Sent): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, 'sec-fetch-site': site } = headers;
  if (typeof origin === 'string' && isOwn(origin, protocol, host) && (site === undefined || site === 'same-origin'))
    return;
  throw new ProblemError({
    code: 'cross_site',
    detail: 'the request comes from no page of this server',
    fix: 'a browser sends Origin by itself; a program gives a token in Authorization in place of a cookie',
  });
}

/** A page that came by TLS may ask: a proxy before the server need not say that it speaks TLS. */
function isOwn(origin: string, protocol: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  if (page.origin !== origin || (page.protocol !== 'https:' && page.protocol !== `${protocol}:`)) return false;
  const own = `${page.protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === page.host;
}
