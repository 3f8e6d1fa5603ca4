import { listSilences, silenceAlerts, unsilenceAlerts } from '@escapement/api/routes';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { readNote } from '../options.ts';
import { inUtc } from '../output/wording.ts';
import { readAlertId } from './alerts.ts';
import { pauseEnd } from './pause-end.ts';

interface SilenceOptions {
  until: string;
  reason: string;
}

/** `alerts silence`, `silences` and `unsilence`. */
export function addSilences(alerts: Command, context: Context): void {
  alerts
    .command('silence')
    .description('tell nobody of alerts that match, until then; they are still opened and shown')
    .argument('<match>', 'labels of alerts, all of which must be met: task=billing/nightly,rule=failed or team=shop')
    .requiredOption('--until <instant>', 'ISO 8601, or a span such as 2h')
    .requiredOption('--reason <text>', 'why', readNote('--reason'))
    .action((match: string, options: SilenceOptions) => silence(match, options, context));
  alerts
    .command('silences')
    .description('the silences in force')
    .action(() => list(context));
  alerts
    .command('unsilence')
    .description('end a silence; alerts that still fire are told')
    .argument('<id>', 'its number', readAlertId)
    .action((id: bigint) => unsilence(id, context));
}

async function silence(match: string, options: SilenceOptions, context: Context): Promise<void> {
  const untilAt = pauseEnd(options, context) ?? context.clock.now();
  const body = { match, untilAt: untilAt.toISOString(), reason: options.reason };
  const { id, warnings } = await withFleet(context, (fleet) => fleet.call(silenceAlerts, { body }));
  for (const warning of warnings) context.output.note(`warning: ${warning}`);
  context.output.result({ id, match, untilAt, reason: options.reason }, () => [
    `silence ${id}: nobody is told of alerts with ${match} until ${inUtc(untilAt)}; \`escapement alerts unsilence ${id}\` ends it`,
  ]);
}

async function list(context: Context): Promise<void> {
  const { output } = context;
  const { items: found } = await withFleet(context, (fleet) => fleet.call(listSilences, {}));
  output.table(found, found, [
    { title: 'ID', value: ({ id }) => String(id), align: 'right', whole: true },
    { title: 'ALERTS WITH', value: ({ match }) => match },
    { title: 'UNTIL', value: ({ untilAt }) => inUtc(untilAt) },
    { title: 'BY', value: ({ createdBy }) => createdBy },
    { title: 'REASON', value: ({ note }) => note, wraps: true },
  ]);
  if (found.length === 0) output.note('there is no silence in force');
}

async function unsilence(id: bigint, context: Context): Promise<void> {
  await withFleet(context, (fleet) => fleet.call(unsilenceAlerts, { params: { id: String(id) } }));
  context.output.result({ id, ended: true }, () => [`silence ${id} is over`]);
}
