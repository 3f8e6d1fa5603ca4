import { admitInstant, type ChainedRun, EscapementError, jsonOf, MAX_CHAINED, type RunEffects } from '@escapement/core';
import type { RunState } from './run-state.ts';
import { checkValueNow } from './schema-check.ts';
import { nameOf, type TaskRef } from './task-ref.ts';

/** Gathers what a run asks for, until it has succeeded. */
export class EffectCollector {
  readonly #chain: ChainedRun[] = [];
  /** Of payloads whose schemas take their time. */
  readonly #checks: Promise<unknown>[] = [];
  #next: Date | null | undefined;

  scheduleNext(at: Date | null): void {
    if (at !== null && !(at instanceof Date && Number.isFinite(at.getTime())))
      throw new EscapementError('bad_date', `scheduleNext was given ${String(at)}`, {
        fix: 'give a Date, or null for never again',
      });
    this.#next = at === null ? null : new Date(admitInstant(at, 'scheduleNext'));
  }

  chain<Input>(task: TaskRef<Input>, payload?: Input): void {
    if (this.#chain.length >= MAX_CHAINED)
      throw new EscapementError('too_many_chained', `a run may chain at most ${MAX_CHAINED} runs`, {
        fix: 'for many runs of one task use ctx.fanOut',
      });
    const name = nameOf(task);
    if (payload === undefined) this.#chain.push({ task: name });
    else this.#chain.push({ task: name, payload: jsonOf(payload, `payload for ${name}`) ?? null });
    if (typeof task === 'string' || !task.payload || payload === undefined) return;
    const checked = checkValueNow({ use: 'payload', task: name, schema: task.payload, value: payload });
    if (checked instanceof Promise) {
      checked.catch(() => undefined);
      this.#checks.push(checked);
    }
  }

  /** What is committed with the run; undefined: nothing. Throws if a part of it is not allowed. */
  async collect(state: RunState | undefined): Promise<RunEffects | undefined> {
    await Promise.all(this.#checks);
    const change = await state?.change();
    const effects: RunEffects = {
      ...(change ? { state: change } : {}),
      ...(this.#next === undefined ? {} : { next: this.#next }),
      ...(this.#chain.length > 0 ? { chain: this.#chain } : {}),
    };
    return Object.keys(effects).length > 0 ? effects : undefined;
  }
}
