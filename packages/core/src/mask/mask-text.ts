import { isSecretParameter } from './mask-url.ts';
import { MASK } from './secret-name.ts';

// Each repetition has a bound: a text is read once, however it is made.
const PASSWORD = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:@/"'\\]{0,256}):[^\s@"'\\]{1,1024}@/gi;
const NAME_ALONE = /(\bhttps?:\/\/)[^\s:@/"'\\?#]{1,1024}@/gi;
const PARAMETER = /([?&;#])([\w.%[\]-]{1,64})=([^&;\s"'#\\<>]{1,4096})/g;
const HEADER =
  /\b((?:authorization|x-[\w-]{0,40}(?:key|token|secret|signature)|api-key|private-token)\\?["']? ?[:=] ?\\?["']?(?:(?:bearer|basic|token) )?)[^\s"',\\]{1,8192}/gi;
/** A cookie has blanks and several parts. */
const COOKIE = /\b((?:set-)?cookie\\?["']? ?[:=] ?\\?["']?)[\w.-]{1,256}=[^\r\n"'\\]{1,8192}/gi;
/** Words are no credentials: those have a figure or a sign. */
const CREDENTIALS = /\b(bearer|basic)( )(?=eyJ|[A-Za-z._~+/-]{0,512}[0-9=])[A-Za-z0-9._~+/=-]{8,8192}/gi;

/** None of them fits where none of these is: most texts of a definition are a word. */
const ANY = /[:= ]/;

/**
 * Any text with the passwords and tokens of URLs in it, and what stands in headers for credentials (`Authorization`, `X-Api-Key`, `Cookie`), as `***`: for lines of
 * which nobody knows what they quote.
 */
export function maskText(text: string): string {
  if (!ANY.test(text)) return text;
  return text
    .replace(PASSWORD, `$1:${MASK}@`)
    .replace(NAME_ALONE, `$1${MASK}@`)
    .replace(PARAMETER, (all, before: string, name: string) =>
      isSecretParameter(name) ? `${before}${name}=${MASK}` : all,
    )
    .replace(COOKIE, `$1${MASK}`)
    .replace(HEADER, `$1${MASK}`)
    .replace(CREDENTIALS, `$1$2${MASK}`);
}
