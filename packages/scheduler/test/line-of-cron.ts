import { randomUUID } from 'node:crypto';
import { MINUTE, systemClock } from '@escapement/core';
import {
  answerProposal,
  type CronReport,
  type CutoverAnswer,
  type HostAnswer,
  type Proposal,
  type Side,
  sideOfStart,
} from '@escapement/core/shadow';
import { cutOver, receiveReports, settleCutover, verifyLedger } from '@escapement/operations';
import { cutoversOf, findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import type { testFleet } from '@escapement/testkit/fleet';

type Fleet = Awaited<ReturnType<typeof testFleet>>;

/** What becomes of what host and server say to each other. */
export type Link = 'up' | 'down' | 'no-answer';

let made = 0;

/**
 * A line of a crontab that is due each minute, its host and its task. Time is moved by moving all that has been back by whole minutes, which
 * changes no schedule of this kind.
 */
export async function lineOfCron(fleet: Fleet) {
  const { db } = fleet;
  made += 1;
  const [name, line] = [`line-${made}`, `${made}`.padStart(12, '0')];
  await fleet.save({
    ...{ name, shadow: { line }, catchUp: { policy: 'all' } },
    schedule: { kind: 'cron', dialect: 'vixie', expression: '* * * * *', timeZone: 'UTC' },
  });
  const task = await findTask(db, name);
  if (!task) throw new Error('no task');
  const host = new Host(line);
  const minuteNow = () => Math.floor(systemClock.now().getTime() / MINUTE) * MINUTE;
  // Of the minute of the save it is not certain that it is due.
  let seenMs = minuteNow();
  const firstMs = () => host.fires[0] ?? 0;

  async function pass(minutes: number): Promise<void> {
    await shift(fleet, { taskId: task?.id ?? '', line, minutes });
    host.shift(minutes * MINUTE);
    seenMs -= minutes * MINUTE;
    for (let at = seenMs + MINUTE; at <= minuteNow(); at += MINUTE) {
      host.fire(at);
      seenMs = at;
    }
  }

  async function tell(link: Link, answers: readonly HostAnswer[]): Promise<readonly Proposal[]> {
    if (link === 'down') return [];
    const lines = [{ line, lastStartedAt: new Date(host.fires.at(-1) ?? 0) }];
    const reports = host.spool.slice();
    const proposals = await receiveReports(db, { reports, host: 'web1', lines, answers }, by('web1'));
    if (link === 'no-answer') return [];
    host.spool.splice(0, reports.length);
    return proposals;
  }

  return {
    ...{ name, line, host, pass },
    plan: () => fleet.planner.runOnce(),
    /** The host tells, and answers; each of the two may be lost, or its answer. */
    async talk(first: Link = 'up', second: Link | ((answer: HostAnswer) => boolean) = 'up'): Promise<void> {
      const proposals = await tell(first, []);
      const answers = proposals.map((each) => host.answer(each));
      if (answers.length === 0) return;
      if (typeof second === 'string') await tell(second, answers);
      else await tell('up', answers.filter(second));
    },
    ask: (to: Side, at?: Date) => cutOver(db, { to, lines: [line], dryRun: false, at, deadMs: 60_000 }, by('ann')),
    settle: (answer: CutoverAnswer) => settleCutover(db, { line, answer }, by('ann')),
    cutover: async () => (await cutoversOf(db, [line])).at(-1),
    rows: () => fleet.runs(name),
    /** Fires from the first to the last one that cron has seen, each with who runs it: `c`, `f`, both, or nobody. */
    async whoRan(): Promise<string[]> {
      const { rows } = await db.pool.query<{ scheduled_for: Date; until_at: Date | null; state: string }>(
        `SELECT scheduled_for, until_at, state FROM run WHERE task_id = $1 AND state NOT IN ('superseded')`,
        [task.id],
      );
      return host.fires.map((at) => {
        const row = rows.find(({ scheduled_for: from, until_at: until }) => +from <= at && at <= +(until ?? from));
        const isRun = row && ['planned', 'queued', 'waiting', 'running', 'succeeded'].includes(row.state);
        const left = row?.state === 'held' ? '?' : row === undefined ? '-' : '';
        return `${host.ran.has(at) ? 'c' : ''}${isRun ? 'f' : ''}${left}`;
      });
    },
    async gaps(): Promise<string[]> {
      const found: string[] = [];
      const to = systemClock.now();
      await verifyLedger(db, {
        ...{ from: new Date(firstMs() - 1), to, task: name },
        onFinding: ({ kind, detail }) => void found.push(`${kind}: ${detail}`),
      });
      // Nobody works here, and what was released runs late.
      return found.filter((each) => !each.startsWith('not_started') && !each.startsWith('wrongly_rolled_up'));
    },
  };
}

class Host {
  readonly fires: number[] = [];
  readonly ran = new Set<number>();
  readonly spool: CronReport[] = [];
  readonly line: string;
  answers: HostAnswer[] = [];

  constructor(line: string) {
    this.line = line;
  }

  fire(at: number): void {
    const startedAt = new Date(at);
    const isLeft = sideOfStart(this.answers, startedAt) === 'fleet';
    this.fires.push(at);
    if (!isLeft) this.ran.add(at);
    this.spool.push({
      ...{ id: randomUUID(), line: this.line, host: 'web1', startedAt, endedAt: startedAt },
      ...{ exitCode: 0, signal: null, bootedAt: null, leftToFleet: isLeft },
    });
  }

  answer(proposal: Proposal): HostAnswer {
    const answer = answerProposal(this.answers, proposal, systemClock.now());
    if (!this.answers.includes(answer)) this.answers.push(answer);
    return answer;
  }

  shift(ms: number): void {
    const earlier = (at: Date) => new Date(at.getTime() - ms);
    const ran = [...this.ran].map((at) => at - ms);
    this.fires.splice(0, this.fires.length, ...this.fires.map((at) => at - ms));
    this.ran.clear();
    for (const at of ran) this.ran.add(at);
    for (const report of this.spool) {
      report.startedAt = earlier(report.startedAt);
      report.endedAt = report.startedAt;
    }
    this.answers = this.answers.map((each) => ({
      ...each,
      at: earlier(each.at),
      answeredAt: earlier(each.answeredAt),
    }));
  }
}

/** All that is known of a task lies so much longer back. */
async function shift(
  { db }: Fleet,
  { taskId, line, minutes }: { taskId: string; line: string; minutes: number },
): Promise<void> {
  const back = (columns: string) =>
    columns
      .split(' ')
      .map((column) => `${column} = ${column} - interval '${minutes} min'`)
      .join(', ');
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    // What has ended may not change, but for this.
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(`UPDATE task_plan SET ${back('next_run_at')}, plan_seq = plan_seq + 1 WHERE task_id = $1`, [
      taskId,
    ]);
    await client.query(`UPDATE task SET ${back('effective_at')} WHERE id = $1`, [taskId]);
    await client.query(`UPDATE task_version SET ${back('effective_at ended_at created_at')} WHERE task_id = $1`, [
      taskId,
    ]);
    // The first one first: each place is free when a row comes to it.
    const { rows } = await client.query<{ id: string; scheduled_for: Date }>(
      'SELECT id, scheduled_for FROM run WHERE task_id = $1 ORDER BY scheduled_for',
      [taskId],
    );
    for (const { id, scheduled_for: at } of rows)
      await client.query(
        `UPDATE run SET ${back('scheduled_for due_at start_by misfire_at created_at finished_at until_at')} WHERE id = $1 AND scheduled_for = $2`,
        [id, at.toISOString()],
      );
    await client.query(`UPDATE cron_cutover SET ${back('at asked_at answered_at settled_at')} WHERE line = $1`, [line]);
    await client.query(`UPDATE cron_report SET ${back('started_at ended_at told_at')} WHERE line = $1`, [line]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
