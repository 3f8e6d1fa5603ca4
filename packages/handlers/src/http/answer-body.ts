import { isUtf8 } from 'node:buffer';
import {
  admitJson,
  EscapementError,
  type HandlerContext,
  type HandlerOutcome,
  type HttpHandler,
  type Json,
  parseJson,
  toRunError,
} from '@escapement/core';
import { HandlerMessages, MAX_MESSAGE, type Speaker } from '../output/messages.ts';
import type { Answer } from './exchange.ts';

/** So much of an answer is kept to be read, in bytes: JSON that is written with blanks is larger than it is kept. */
const MAX_KEPT_BYTES = 4 * MAX_MESSAGE;

const ANSWER: Speaker = {
  who: 'the answer',
  where: 'in its body',
  fix: 'answer with a JSON object with the keys that docs/reference/handlers.md names',
};

/** The body of an answer that says more than its status. */
export class AnswerBody {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= MAX_KEPT_BYTES) this.#pieces.push(bytes);
  }

  /**
   * What becomes of a run whose request has succeeded. A body that cannot be taken fails it for good: the work is done, and
   * what it gave back would be lost in silence.
   */
  outcomeOf(answer: Answer, context: HandlerContext<HttpHandler>, log: { note(text: string): void }): HandlerOutcome {
    const { output } = context.spec;
    const plain = { status: 'succeeded', output: { status: answer.status } } as const;
    if (output === undefined) return plain;
    try {
      const body = this.#json(answer);
      if (output === 'body') return { status: 'succeeded', output: admitJson(body, "the answer's body") };
      const messages = new HandlerMessages(context, log, ANSWER);
      if (body !== null) messages.write(Buffer.from(`${JSON.stringify(body)}\n`));
      return messages.outcomeOf(plain);
    } catch (thrown) {
      log.note(thrown instanceof Error ? thrown.message : String(thrown));
      return { status: 'failed', error: toRunError(thrown), retry: 'never' };
    }
  }

  /** Of an empty body: null. Throws `bad_answer`, `json_number`, `json_too_deep`. */
  #json({ headers }: Answer): Json {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw badAnswer(`is encoded as ${encoding}`, 'answer without Content-Encoding');
    if (this.#bytes > MAX_KEPT_BYTES)
      throw badAnswer(`is ${this.#bytes} bytes`, `at most ${MAX_KEPT_BYTES} bytes are read as JSON`);
    const bytes = Buffer.concat(this.#pieces);
    if (!isUtf8(bytes)) throw badAnswer('is not UTF-8', 'answer with JSON in UTF-8');
    const text = bytes.toString('utf8');
    if (text.trim() === '') return null;
    try {
      return parseJson(text, "the answer's body") as Json;
    } catch (error) {
      if (error instanceof EscapementError) throw error;
      throw badAnswer('is not JSON', 'answer with JSON, or leave out `output`');
    }
  }
}

function badAnswer(what: string, fix: string): EscapementError {
  return new EscapementError('bad_answer', `the answer's body ${what}: ${fix}`, { fix });
}
