import { type By, EscapementError } from '@escapement/core';
import type { CutoverAnswer, HostAnswer } from '@escapement/core/shadow';
import {
  type Cutover,
  cutoversOf,
  type Database,
  decideCutover,
  findCutover,
  findTaskById,
  type Word,
} from '@escapement/store';
import { permitOnTask } from '../rights/permit.ts';
import { lineOf } from './line-tasks.ts';
import { planAt } from './plan-at.ts';

/** Times it starts over because planners or other people changed the task meanwhile. */
const MAX_RACES = 20;

/**
 * A person says in the place of a host that will not answer whether it has taken a cut-over. What the host says later counts more. Throws
 * `nothing_to_settle`.
 */
export async function settleCutover(
  db: Database,
  { line, answer }: { line: string; answer: CutoverAnswer },
  by: By,
): Promise<Cutover> {
  const find = async () => (await cutoversOf(db, [line])).find(({ state }) => state === 'proposed');
  const open = await find();
  const name = open && (await findTaskById(db, open.taskId))?.name;
  await permitOnTask(db, by, 'edit', { name: name ?? `line ${line.slice(0, 40)}`, action: 'settle cut-over' });
  if (!open)
    throw new EscapementError(
      'nothing_to_settle',
      `line ${line.slice(0, 40)} has no cut-over that waits for its host`,
      {
        fix: '`escapement shadow status` shows who runs what',
      },
    );
  await decide(db, open.id, { answer, from: 'person' }, by);
  return { ...open, state: answer, settled: answer, settledBy: by.principal.name };
}

/** Takes what a host has answered; told again, it is taken once. What is not of that host is passed over. Whoever asks may tell what cron did. */
export async function recordAnswers(db: Database, host: string, answers: readonly AnswerBody[], by: By): Promise<void> {
  for (const { id, answer, answeredAt } of answers) {
    const cutover = await findCutover(db, id);
    if (cutover?.host === host) await decide(db, id, { answer, from: 'host', answeredAt }, by);
  }
}

type AnswerBody = Pick<HostAnswer, 'id' | 'answer' | 'answeredAt'>;

async function decide(db: Database, id: string, word: Word, by: By): Promise<void> {
  for (let race = 0; race < MAX_RACES; race++) {
    const cutover = await findCutover(db, id);
    if (!cutover || cutover.answer !== null || (word.from === 'person' && cutover.state !== 'proposed')) return;
    const task = await findTaskById(db, cutover.taskId);
    const isOfLine = task !== null && lineOf(task) === cutover.line && cutover.state !== word.answer;
    const seen = isOfLine ? await planAt(db, task) : null;
    if (seen !== undefined && (await decideCutover(db, cutover, { task: seen, word, by }))) return;
  }
  throw new EscapementError('save_races', `cut-over ${id} kept changing while it was answered`, { fix: 'try again' });
}
