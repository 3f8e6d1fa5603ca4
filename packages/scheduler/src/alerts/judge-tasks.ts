import { type AlertRule, countingRules, KINDS_OF_TASKS } from '@escapement/core/alerts';
import { type Database, settleAlerts, unplannableTasks } from '@escapement/store';
import { ofTask } from './finding.ts';

/** Judges tasks whose next occurrences cannot be worked out. */
export async function judgeUnplannable(db: Database, rules: readonly AlertRule[], now: Date): Promise<void> {
  const ofKind = rules.filter(({ when }) => when.kind === 'unplannable');
  if (ofKind.length === 0) return;
  const tasks = await unplannableTasks(db);
  const findings = tasks.flatMap(({ task, why }) =>
    countingRules(ofKind, task, KINDS_OF_TASKS).map((rule) =>
      ofTask(rule, task, { summary: `${task.name} cannot be planned`, since: now, why: [why] }),
    ),
  );
  await settleAlerts(
    db,
    ofKind.map(({ name }) => name),
    findings,
  );
}
