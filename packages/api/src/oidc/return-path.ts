import { ProblemError } from '../http/problem.ts';

/** Browsers take `\\` for `/`, and leave out tabs and line ends. */
const PATH = /^\/(?![/\\])[^\\\p{C}]*$/u;

/** A path of this server, as a browser understands it. Throws `ProblemError` (`bad_return`): it leads elsewhere, or nowhere. */
export function returnPath(given: string, origin: string): string {
  const url = PATH.test(given) && URL.canParse(given, origin) ? new URL(given, origin) : undefined;
  // `/.//evil.example` is `//evil.example` to a browser.
  if (url && url.origin === new URL(origin).origin && !url.pathname.startsWith('//'))
    return `${url.pathname}${url.search}${url.hash}`;
  throw new ProblemError({
    code: 'bad_return',
    detail: `returnTo is ${JSON.stringify(given.slice(0, 200))}, no path of this server`,
    fix: 'give a path that begins with one /, as /tasks',
  });
}
