import { maskText } from './mask-text.ts';
import { isSecretHolder, MASK } from './secret-name.ts';

const VALUE = `"[^"]{0,4096}"|'[^']{0,4096}'`;
const ASSIGNED = new RegExp(`([\\w-]{1,64})=(${VALUE}|[^\\s"']{1,4096})`, 'g');
const OPTION = new RegExp(`((?:^|\\s)--?([\\w-]{1,64})\\s+)(${VALUE}|[^\\s"'-][^\\s"']{0,4095})`, 'g');
/** `curl -u name:password`. */
const USER = /((?:^|\s)(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"'/]{1,256}):[^\s"']{1,1024}/g;
/** Programs whose option for the password does not say so. */
const TERSE =
  /((?:^|[\s/])(?:(?:mysql|mariadb)[\w-]{0,20}\s(?:[^|;&\n]{0,512}?\s)?-p|sshpass\s+-p\s*|redis-cli\s(?:[^|;&\n]{0,512}?\s)?-a\s+))(?!\s)[^\s"']{1,1024}/g;

/** A line of the shell with `***` for `PGPASSWORD=x`, `--token x`, `curl -u name:x`, `mysql -px` and the passwords of URLs. */
export function maskCommand(command: string): string {
  return maskText(command)
    .replace(ASSIGNED, (all, name: string) => (isSecretHolder(name) ? `${name}=${MASK}` : all))
    .replace(OPTION, (all, before: string, name: string) => (isSecretHolder(name) ? `${before}${MASK}` : all))
    .replace(USER, `$1:${MASK}`)
    .replace(TERSE, `$1${MASK}`);
}

/** The same of words that go to a program without a shell. */
export function maskArguments(argv: readonly string[]): string[] {
  return argv.map((word, index) => {
    const [, option] = /^--?([\w-]{1,64})$/.exec(argv[index - 1] ?? '') ?? [];
    return option !== undefined && isSecretHolder(option) ? MASK : maskCommand(word);
  });
}
