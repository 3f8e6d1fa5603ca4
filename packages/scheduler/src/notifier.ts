import { createHash } from 'node:crypto';
import { type Emit, MINUTE, maskUrlPath, RUN_STATES, type RunState, SECOND } from '@escapement/core';
import { createLoop, type Loop, type Notice, type NoticeChannel, type NoticeSender } from '@escapement/service';
import { type Database, logTail, type PendingNotice, recordNotice, takeNotices } from '@escapement/store';

const WAIT_MS = 2 * SECOND;
const BATCH = 20;
/** A notice stays with the scheduler that took it for so long; should that one die, it is sent by another. */
const CLAIM_MS = 2 * MINUTE;
/** Tries over about a day: after 10 s, 20 s, 40 s ... at most an hour apart. */
const MAX_TRIES = 30;
const FIRST_RETRY_MS = 10 * SECOND;
const LAST_RETRY_MS = 60 * MINUTE;
const LOG_TAIL_LENGTH = 4000;

export interface NotifierOptions {
  db: Database;
  sender: NoticeSender;
  /** Who hears of the failures of tasks that name nobody. */
  defaults: { email: readonly string[]; webhook: readonly string[] };
  emit: Emit;
  onError: (error: unknown) => void;
}

/** Sends the notices that ended runs left behind: each recipient once as far as can be known, again where it failed. */
export function createNotifier(options: NotifierOptions): Loop {
  const { db, sender, emit } = options;

  async function runOnce(): Promise<number> {
    const notices = await takeNotices(db, { limit: BATCH, claimMs: CLAIM_MS });
    await Promise.all(notices.map(deliver));
    return notices.length === BATCH ? 0 : WAIT_MS;
  }

  async function deliver(pending: PendingNotice): Promise<void> {
    const channels = channelsOf(pending, options.defaults);
    const notice = toNotice(pending, await logTail(db, pending.run.id, LOG_TAIL_LENGTH));
    const delivered = [...pending.delivered];
    const givenUp = [...pending.givenUp];
    const errors: string[] = [];
    let retryInMs: number | undefined;
    for (const channel of channels) {
      const recipient = recipientOf(channel);
      if (delivered.includes(recipient) || givenUp.includes(recipient)) continue;
      const result = await sender.send(notice, channel);
      if (result.status === 'sent') {
        delivered.push(recipient);
        emit({ event: 'notice_sent', run: pending.run.id, task: pending.run.taskName, recipient });
        continue;
      }
      const hopeless = result.permanent || pending.tries >= MAX_TRIES;
      errors.push(`${recipient}: ${result.error}`);
      if (hopeless) givenUp.push(recipient);
      else retryInMs = Math.max(retryInMs ?? 0, result.retryAfterMs ?? retryWait(pending.tries));
      emit({
        event: 'notice_failed',
        run: pending.run.id,
        task: pending.run.taskName,
        recipient,
        error: result.error,
        givenUp: hopeless,
      });
    }
    await recordNotice(db, {
      id: pending.id,
      state: retryInMs !== undefined ? 'pending' : delivered.length > 0 ? 'sent' : 'dropped',
      delivered,
      givenUp,
      retryInMs: retryInMs ?? 0,
      error: errors.length > 0 ? errors.join('; ') : null,
    });
  }

  return createLoop({ name: 'notifier', runOnce, onError: options.onError });
}

/** The task's own recipients, else the fleet's; none where the task wants silence. */
export function channelsOf(
  pending: Pick<PendingNotice, 'notify'>,
  defaults: NotifierOptions['defaults'],
): NoticeChannel[] {
  const { notify } = pending;
  if (notify?.none) return [];
  const own = notify?.email !== undefined || notify?.webhook !== undefined;
  const { email = [], webhook = [] } = own ? notify : defaults;
  return [
    ...email.map((to): NoticeChannel => ({ kind: 'email', to })),
    ...webhook.map((url): NoticeChannel => ({ kind: 'webhook', url })),
  ];
}

/** Names a recipient in the ledger and in logs. A webhook's path is its secret: it shows only as a digest. */
function recipientOf(channel: NoticeChannel): string {
  if (channel.kind === 'email') return channel.to;
  return `${maskUrlPath(channel.url)} (${createHash('sha256').update(channel.url).digest('hex').slice(0, 8)})`;
}

function retryWait(tries: number): number {
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(tries - 1, 20));
}

function toNotice({ id, run }: PendingNotice, tail: string): Notice {
  return {
    id: `${run.namespace}-${id}`,
    namespace: run.namespace,
    taskName: run.taskName,
    runId: run.id,
    state: toState(run.state),
    ...(run.reason === null ? {} : { reason: run.reason }),
    ...(run.error === null ? {} : { error: run.error }),
    attempt: run.attempt,
    scheduledFor: run.scheduledFor,
    endedAt: run.finishedAt ?? run.scheduledFor,
    ...(run.worker === null ? {} : { worker: run.worker }),
    ...(tail === '' ? {} : { logTail: tail }),
    ...(run.pausedTask === null ? {} : { pausedTask: run.pausedTask }),
  };
}

function toState(text: string): RunState {
  return RUN_STATES.find((state) => state === text) ?? 'failed';
}
