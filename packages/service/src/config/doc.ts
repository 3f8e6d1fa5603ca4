import { defaultOf } from './load.ts';
import { type Role, SECTIONS, type Section, type Variable } from './variable.ts';
import { VARIABLES } from './variables.ts';

const HEADER = `# Configuration

<!-- Written by \`npm run docs:configuration\` from packages/service/src/config/variables.ts; do not edit. -->

Processes are configured by environment variables only. All processes may share one set of variables: each reads those that concern it.

- A process reads and checks them once, at start. If there are problems, it lists all of them and ends with exit code 1.
- An unknown variable that begins with \`ESCAPEMENT_\` is a problem too, so that a typing error is found.
- An empty value counts as absent.
- \`ESCAPEMENT_RECEIVER_NAME\`, with any NAME of capitals, digits and \`_\`, is what a receiver of alerts hides as \`{ secret: NAME }\`, see [Receivers](alerts.md#receivers). Schedulers read it.
- Passwords in URLs are masked wherever a value is shown. \`escapement config\` lists all settings.
`;

/** The text of docs/reference/configuration.md. */
export function configurationDoc(): string {
  return [HEADER, ...SECTIONS.map(sectionDoc)].join('\n');
}

function sectionDoc(section: Section): string {
  const variables = Object.values<Variable>(VARIABLES).filter((variable) => variable.section === section);
  const rows = variables.map(
    (variable) =>
      `| \`${variable.env}\` | ${variable.roles.join(', ')} | ${cell(allowedDoc(variable))} | ${cell(defaultDoc(variable))} | ${cell(variable.doc)} |`,
  );
  return `## ${section}\n\n| variable | read by | value | default | meaning |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

function allowedDoc(variable: Variable): string {
  const allowed = variable.schema.description ?? '';
  return variable.unit === 'ms' ? `milliseconds, ${allowed}` : allowed;
}

function defaultDoc(variable: Variable): string {
  if (variable.required) return 'required (by the command line: where a command needs it)';
  const byRole = variable.roles.map((role): [Role, string | undefined] => [role, defaultOf(variable, role)]);
  const values = new Set(byRole.map(([, value]) => value));
  if (values.size > 1) return byRole.map(([role, value]) => `\`${value}\` (${role})`).join(', ');
  const [value] = values;
  return value === undefined ? 'none' : `\`${value}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
