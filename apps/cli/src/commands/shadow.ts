import { getShadow } from '@escapement/api/routes';
import { readInstant } from '@escapement/core';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { systemZone } from '../output/wording.ts';
import { addCutovers } from './shadow-cutover.ts';
import { addPatch } from './shadow-patch.ts';
import { addPatchHost } from './shadow-patch-host.ts';
import { showShadow } from './shadow-report.ts';

/** `shadow`: crontabs that cron still runs while their tasks plan and do not run. */
export function addShadow(program: Command, context: Context, end: (code: ExitCode) => void): void {
  const shadow = program
    .command('shadow')
    .description(
      'crontabs that cron still runs: have their lines reported, and compare what cron did with what was planned',
    );
  addPatch(shadow, context);
  addPatchHost(shadow, context, end);
  shadow
    .command('status')
    .description(
      'what cron did with each line, beside what was planned for it; exit code 1 where a difference is not explained',
    )
    .option('--source <name>', 'only the crontab, or the crontabs of the host, imported under this name')
    .option('--since <instant>', 'ISO 8601, or a span such as 24h', '7d')
    .action(async ({ source, since: text }: { source?: string; since: string }) => {
      const now = context.clock.now();
      const since = readInstant(text, { what: '--since', now, spans: 'ago', timeZone: systemZone() });
      const query = { source, since: since.toISOString() };
      const { items } = await withFleet(context, (fleet) => fleet.call(getShadow, { query }));
      showShadow(items, context.output);
      end(items.some(({ state }) => state === 'differs') ? EXIT.failed : EXIT.ok);
    });
  addCutovers(shadow, context);
}
