import type { TaskDefinition } from '@escapement/core';

/** What each format has in the place of options of a task. */
const SAYS = {
  systemd: { retries: false, overlaps: ['skip'] },
  k8s: { retries: true, overlaps: ['skip', 'allow', 'replace'] },
} as const;

/** What a task does and its copy in another format will not, in words. */
export function differencesFrom(format: keyof typeof SAYS, task: TaskDefinition): string[] {
  const { retries, overlaps } = SAYS[format];
  const differences: [boolean, string][] = [
    [!retries && task.retry.maxAttempts > 1, `up to ${task.retry.maxAttempts} attempts here, one there`],
    [
      !overlaps.some((policy) => policy === task.overlap.policy),
      `overlap ${task.overlap.policy}: what falls due meanwhile is left out there`,
    ],
    [task.key !== undefined || task.limit > 1, 'it shares a mutual-exclusion key, or has a limit of its own'],
    [task.pool !== 'default', `it runs on workers of the pool ${task.pool}`],
    [task.runOn !== undefined, 'it runs on every worker'],
    [task.payload !== undefined, 'it has a payload'],
    [task.calendars !== undefined, 'it goes by calendars'],
    [task.rate !== undefined, 'it has a rate'],
    [task.state !== undefined, 'it keeps a state'],
    [task.delivery !== 'at-least-once', 'it is never started again blindly'],
    [task.notify !== undefined, 'who is told of failures is not said there'],
    [task.shadow !== undefined, 'here it is of a line of a crontab, and does not run while cron runs that'],
    [hasFollowers(task), 'other tasks follow its runs'],
  ];
  return differences.flatMap(([holds, words]) => (holds ? [words] : []));
}

function hasFollowers(task: TaskDefinition): boolean {
  const { then, onStart, onSuccess, onFailure, onFinish, onSkip, onMisfire, onLate } = task;
  return [then, onStart, onSuccess, onFailure, onFinish, onSkip, onMisfire, onLate].some((each) => each !== undefined);
}
