import { examineQueue as route } from '@escapement/api/routes';
import type { Context } from '../context.ts';
import { withFleet } from '../fleet.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { inUtc } from '../output/wording.ts';

/**
 * `escapement doctor --queue`: compares queue and ledger twice. Changes nothing. Ends with 1 if a difference outlasts a
 * pass of the reconciler, none makes passes, or Redis is away.
 */
export async function examineQueue(context: Context): Promise<ExitCode> {
  const { output } = context;
  const report = await withFleet(context, (fleet) => fleet.call(route, {}));
  output.table(report, report.drift, [
    { title: 'KIND', value: ({ kind }) => kind },
    { title: 'NOW', value: ({ found }) => String(found) },
    { title: 'LASTING', value: ({ lasting }) => String(lasting) },
    { title: 'EVER REPAIRED', value: ({ repaired }) => String(repaired) },
    { title: 'LAST REPAIRED', value: ({ repairedAt }) => (repairedAt ? inUtc(repairedAt) : '-') },
    { title: 'EXAMPLES', value: ({ examples }) => examples.join(', '), wraps: true },
  ]);
  if (output.format !== 'json') {
    for (const problem of report.problems) output.note(`BAD  ${problem}`);
    if (report.ok) output.note('queue and ledger are equal, but for what is under way');
  }
  return report.ok ? EXIT.ok : EXIT.failed;
}
