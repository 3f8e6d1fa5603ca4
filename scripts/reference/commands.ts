import { type Declared, type DeclaredPart, declaredCommands, EXIT } from '../../apps/cli/build/reference.ts';
import { cell, table } from './table.ts';

const HEADER = `# Commands and options

<!-- Written by \`npm run docs:reference\` from the commands in apps/cli/src/commands; do not edit. -->

All commands of \`escapement\`, with their arguments and options. [The command line](cli.md) explains them, with examples.
`;

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'the answer is a bad one: the run failed; `doctor` or `verify-ledger` found something',
  usage: 'wrong usage or input; the code of the [error](errors.md) says which',
  unreachable: 'Postgres, Redis or the API cannot be used, or migrations are missing',
  notRun: '`tasks trigger --wait`: the run was skipped, cancelled or superseded',
  interrupted: 'Ctrl-C',
  internal: 'a mistake in Escapement itself; please report it',
};

/** The text of docs/reference/commands.md. */
export async function commandsDoc(): Promise<string> {
  const [program, ...commands] = await declaredCommands();
  if (program === undefined) throw new Error('the command line declares nothing');
  return [HEADER, exitDoc(), programDoc(program), ...commands.map(commandDoc)].join('\n');
}

function exitDoc(): string {
  const codes = Object.entries(EXIT_MEANINGS).map(([name, meaning]) => ({ meaning, code: codeOf(name) }));
  const rows = codes.sort((one, other) => one.code - other.code).map(({ code, meaning }) => [String(code), meaning]);
  return `## Exit codes\n\n${table(['code', 'meaning'], rows)}\n[In detail](cli.md#exit-codes).\n`;
}

function codeOf(name: string): number {
  return Object.entries(EXIT).find(([known]) => known === name)?.[1] ?? EXIT.internal;
}

function programDoc({ options }: Declared): string {
  return `## Options of all commands\n\n${partsDoc('option', options)}`;
}

function commandDoc(command: Declared): string {
  const parts = [
    `## ${command.path}\n`,
    `${capital(command.description)}.\n`,
    `\`\`\`text\n${command.usage}\n\`\`\`\n`,
    partsDoc('argument', command.arguments),
    partsDoc('option', command.options),
  ];
  return parts.filter(Boolean).join('\n');
}

function partsDoc(kind: string, parts: readonly DeclaredPart[]): string {
  if (parts.length === 0) return '';
  const rows = parts.map((part) => [`\`${cell(part.name)}\``, cell(part.description), valueDoc(part)]);
  return table([kind, 'meaning', 'value'], rows);
}

function valueDoc({ mandatory, choices, default: value }: DeclaredPart): string {
  const facts = [
    mandatory ? 'required' : '',
    choices.map((choice) => `\`${choice}\``).join(', '),
    value === undefined || value === 'false' ? '' : `default \`${cell(value)}\``,
  ];
  return facts.filter(Boolean).join('; ');
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
