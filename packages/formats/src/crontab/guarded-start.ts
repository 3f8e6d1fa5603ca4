/** Words that a shell reads as they stand here, without an effect of their own. */
const WORD = /'(?:[^']|'\\'')*'|[\w./@:+,=-]+/g;
const WORDS = new RegExp(`^(?:${WORD.source})(?: (?:${WORD.source}))*$`);
/** What a shell runs itself: no program that it could become. And a setting is no word of a program. */
const OF_SHELL = /^(?:\.|command|eval|exec|time)$|=/;
/** `$1` to `$9`. */
const MOST_WORDS = 10;

/**
 * What comes before `report` in a patched line: `sh` looks first whether the program is there, then becomes the program or, where it is not,
 * the plain command. It starts nothing before that, so that nothing runs twice. A line that the fleet has is left to it, as `report` leaves it.
 * A program that is more to a shell than words is returned as it is. Has the words `report --line ID -- 'COMMAND'` behind it. Pure.
 */
export function guardedStart(program: string): string {
  const checks = checksOf(program);
  if (checks === undefined) return program;
  const script = [
    `${checks.join(' && ')} && exec "$0" "$@"`,
    'shift $(($#-3))',
    'echo "line $1 is not reported: escapement is not there" >&2',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is for sh.
    'if [ -e "${XDG_STATE_HOME:-$HOME/.local/state}/escapement/lines/$1.fleet" ]',
    'then echo "the fleet has it" >&2',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is for sh.
    'else exec "${SHELL:-/bin/sh}" -c "$3"',
    'fi',
  ].join('; ');
  return `/bin/sh -c '${script}' ${program}`;
}

/** In the words of `sh`: the program is there, and each file it is given can be read. Undefined: it is not known which word is what. */
function checksOf(program: string): string[] | undefined {
  if (!WORDS.test(program)) return undefined;
  const [first = '', ...rest] = (program.match(WORD) ?? []).map(unquoted);
  if (OF_SHELL.test(first) || rest.length >= MOST_WORDS) return undefined;
  const files = rest.flatMap((word, index) => (word.startsWith('/') ? [`[ -r "$${index + 1}" ]`] : []));
  return [first.includes('/') ? '[ -x "$0" ]' : '[ -x "$(command -v "$0")" ]', ...files];
}

function unquoted(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word;
}
