import { EscapementError, type HandlerCall, reportedCode } from '@escapement/core';
import type { FromProcess, ToProcess } from './protocol.ts';

interface Pending {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Asks the worker for what handlers call for. Ids are never used twice: an answer that comes late finds nobody. */
export class Asker {
  readonly #post: (message: FromProcess) => void;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(post: (message: FromProcess) => void) {
    this.#post = post;
  }

  ask(call: HandlerCall): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#post({ type: 'ask', id, call });
    });
  }

  answered(message: Extract<ToProcess, { type: 'answer' | 'refusal' }>): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === 'answer') pending?.resolve(message.answer);
    else pending?.reject(refusalOf(message));
  }
}

function refusalOf({ code, message, fix }: Extract<ToProcess, { type: 'refusal' }>): EscapementError {
  return new EscapementError(reportedCode(code), message, fix === undefined ? {} : { fix });
}
