import type { LabelSelector, Right } from '@escapement/core/rights';
import type { Reading } from '@escapement/operations';

/** A command line, as it was read. */
export interface Asked {
  arguments: readonly string[];
  options: { readonly [name: string]: unknown };
}

/** Null: it shows nothing but what an act gives back, and acts ask for themselves. */
type Reads = (asked: Asked) => Reading | null;

const actions: Reads = () => null;
const inAll =
  (right: Right): Reads =>
  () => ({ right, of: null });
const ofTask =
  (right: Right): Reads =>
  ({ arguments: [task] }) => ({ right, of: task === undefined ? null : { task } });
/** By the id, or by the task whose last run it is. */
const ofRun =
  (right: Right): Reads =>
  ({ arguments: [run], options: { task } }) => ({
    right,
    of: run !== undefined ? { run } : typeof task === 'string' ? { task } : null,
  });
const seen: Reads = () => ({ right: 'read', of: 'some' });
/** By the option `--label`, if it is given: of each task that it selects. */
const labelled =
  (right: Right): Reads =>
  ({ options: { label } }) => ({ right, of: isSelector(label) ? { labels: label } : null });
const ofLabelled = labelled('read');
/** By the option `--task`, or `--label`, if one is given. */
const ofChosen: Reads = (asked) =>
  typeof asked.options.task === 'string' ? { right: 'read', of: { task: asked.options.task } } : ofLabelled(asked);
/** By the option `--task`; without it, of those that whoever asks may see. */
const ofTaskOrSeen: Reads = (asked) => (typeof asked.options.task === 'string' ? ofChosen(asked) : seen(asked));
/** What is done to many is shown first. */
const preview: Reads = (asked) => (asked.options.dryRun || asked.arguments.length === 0 ? ofChosen(asked) : null);
/** A schedule that is given as such needs no server. */
const ofSchedule: Reads = (asked) => (typeof asked.options.task === 'string' ? ofChosen(asked) : null);

/** A plan shows what a save would change of the tasks that are there. */
const importing: Reads = ({ options }) => (options.write ? null : { right: 'edit', of: null });

/** What each command shows, beside what it does. One that is not here is for nobody with a token. */
export const READS: ReadonlyMap<string, Reads> = new Map<string, Reads>([
  ['import crontab', ({ options }) => (options.write ? null : { right: 'read', of: null })],
  ['import host', ({ options }) => (options.write ? null : { right: 'read', of: null })],
  ['import anacron', importing],
  ['import run-parts', importing],
  ['import systemd', importing],
  ['import k8s', importing],
  ['import bullmq', importing],
  // Commands as they are, with what stands in them.
  ['export crontab', labelled('read-payload')],
  ['shadow patch', actions],
  ['shadow unpatch', actions],
  ['shadow patch-host', actions],
  ['shadow unpatch-host', actions],
  ['shadow status', inAll('read')],
  ['shadow cutover', actions],
  ['shadow back', actions],
  ['shadow settle', actions],
  ['report', actions],
  ['export systemd', labelled('read-payload')],
  ['export k8s', labelled('read-payload')],
  ['export ical', seen],
  ['tasks list', seen],
  ['tasks show', ofTask('read')],
  ['tasks trigger', (asked) => (asked.options.wait ? ofTask('read-payload')(asked) : preview(asked))],
  ['tasks pause', preview],
  ['tasks resume', preview],
  ['tasks delete', actions],
  ['tasks state show', ofTask('read-payload')],
  ['tasks state set', actions],
  ['tasks state drop', actions],
  ['tasks skip', actions],
  ['tasks add', (asked) => (asked.options.plan ? ofTask('edit')(asked) : null)],
  ['tasks edit', ofTask('edit')],
  ['tasks revert', ofTask('edit')],
  ['tasks rename', ofTask('edit')],
  ['tasks stats', (asked) => (asked.arguments.length > 0 ? ofTask('read')(asked) : ofLabelled(asked))],
  ['tasks history', ofTask('read')],
  ['runs list', ofTaskOrSeen],
  ['runs show', ofRun('read')],
  ['runs tree', ofRun('read')],
  ['runs logs', ofRun('read-payload')],
  ['runs watch', ofRun('read')],
  ['errors list', ofTaskOrSeen],
  ['errors resolve', actions],
  ['errors mute', actions],
  ['errors reopen', actions],
  ['errors redrive', actions],
  ['top', inAll('read')],
  ['runs cancel', preview],
  ['runs rerun', preview],
  ['runs redrive', preview],
  ['runs resolve', actions],
  ['keys list', inAll('read')],
  ['keys show', inAll('read')],
  ['keys history', inAll('read')],
  ['keys release', actions],
  ['pools list', inAll('read')],
  ['pools show', inAll('read')],
  ['pools set', actions],
  ['pools pause', actions],
  ['pools resume', actions],
  ['workers list', inAll('read')],
  ['workers drain', actions],
  ['workers resume', actions],
  ['freeze', actions],
  ['unfreeze', actions],
  ['recovery list', ofTaskOrSeen],
  ['recovery run', preview],
  ['recovery drop', preview],
  ['requests list', inAll('read')],
  ['requests show', inAll('read')],
  ['audit log', inAll('read-payload')],
  ['alerts list', ofTaskOrSeen],
  ['alerts show', seen],
  ['alerts ack', actions],
  ['alerts silence', actions],
  ['alerts silences', inAll('read')],
  ['alerts unsilence', actions],
  // Addresses, and URLs whose path is their secret.
  ['alerts rules', inAll('read')],
  ['alerts get', inAll('edit')],
  ['alerts set', actions],
  ['alerts explain', ofTask('read')],
  // Messages have the end of a log in them.
  ['alerts deliveries', inAll('read-payload')],
  ['alerts inbox', inAll('read-payload')],
  ['alerts test', actions],
  ['monitors create', actions],
  ['monitors list', inAll('read')],
  ['monitors show', inAll('read')],
  ['monitors edit', actions],
  ['monitors pause', actions],
  ['monitors resume', actions],
  ['monitors rotate', actions],
  ['monitors delete', actions],
  ['calendars list', inAll('read')],
  ['calendars show', inAll('read')],
  ['calendars set', actions],
  ['calendars delete', actions],
  ['lists add', actions],
  ['lists show', ({ arguments: [name] }) => ({ right: name === undefined ? 'read' : 'read-payload', of: null })],
  ['lists drop', actions],
  ['next', ofSchedule],
  ['explain', ofSchedule],
  ['forecast', seen],
  ['slot', inAll('read')],
  ['tzdata', inAll('read')],
  ['what-if', ofTask('read')],
  ['apply', ({ options }) => (options.plan ? { right: 'edit', of: null } : null)],
  ['backfill start', actions],
  ['backfill list', inAll('read')],
  ['backfill stop', actions],
  ['backfill resume', actions],
  ['users create', actions],
  ['users list', inAll('access')],
  ['users password', actions],
  ['users disable', actions],
  ['users enable', actions],
  ['users grant', actions],
  ['users delete', actions],
  ['tokens create', actions],
  ['tokens list', inAll('access')],
  ['tokens revoke', actions],
  ['login', actions],
  ['logout', actions],
  ['schema', actions],
  ['init', actions],
  ['dev', actions],
  ['build', actions],
  ['start', actions],
  ['migrate', actions],
  ['config', actions],
  // The routes that its tools call ask for rights.
  ['mcp', actions],
  ['restore-check', inAll('access')],
  ['doctor', inAll('read')],
  ['verify-ledger', ofChosen],
]);

/** What a command shows. One that nobody has thought of shows everything. */
export function readingOf(command: string, asked: Asked): Reading | null {
  const reads = READS.get(command);
  return reads ? reads(asked) : { right: 'access', of: null };
}

function isSelector(option: unknown): option is LabelSelector {
  return typeof option === 'object' && option !== null && 'terms' in option;
}
