/** Words, and signs with which the shell ends a command or leads its input and output elsewhere. */
const TOKEN =
  /(?<space>\s+)|(?<comment>#.*)|(?<end>&&|\|\||[|;])|(?<redirection>\d?(?:>>|>|<)(?:&\d)?)|(?<word>(?:'[^']*'|"[^"]*"|[^\s'"|;<>&]|&(?!&))+)/gy;

/** The commands of a line of a shell, each as its words without their quotes. What a variable is worth is not known. */
export function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  let isFile = false;
  for (const { groups = {} } of line.matchAll(TOKEN)) {
    if (groups.comment !== undefined) break;
    if (groups.end !== undefined) commands.push([]);
    if (groups.redirection !== undefined) isFile = !groups.redirection.includes('&');
    if (groups.word === undefined) continue;
    if (!isFile) commands.at(-1)?.push(withoutQuotes(groups.word));
    isFile = false;
  }
  return commands.map(withoutSettings).filter(({ length }) => length > 0);
}

function withoutQuotes(word: string): string {
  return word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? '');
}

/** `NAME=value` before a command sets a variable of it. */
function withoutSettings(words: string[]): string[] {
  const command = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return command === -1 ? [] : words.slice(command);
}

const STARTS = ['escapement', 'npx escapement', 'sudo escapement', 'docker compose run --rm cli'];

/** What the command `escapement` is given by each of the commands that start it. */
export function escapementArguments(line: string): string[][] {
  return commandsOf(line).flatMap((words) => {
    const start = STARTS.map((text) => text.split(' ')).find((first) => first.every((word, at) => words[at] === word));
    return start === undefined ? [] : [words.slice(start.length)];
  });
}
