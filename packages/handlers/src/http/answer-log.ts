import type { RunLog } from '@escapement/core';
import { createMasker, maskText } from '@escapement/core/mask';
import { RunOutput } from '../output/run-output.ts';
import type { Answer } from './exchange.ts';

/** What of an answer's headers is worth a line. Cookies and the like stay out of logs. */
const SHOWN_HEADERS = ['content-type', 'content-length', 'content-encoding', 'location', 'retry-after', 'x-request-id'];

/** Room for our own lines, beside the body. */
const HEAD_BYTES = 64 * 1024;

/** So much of the body goes with the error of a run that failed, in bytes. */
const EXCERPT_BYTES = 2000;

const TEXT = /^(text\/|application\/(.*\+)?(json|xml|javascript|x-www-form-urlencoded|problem))|\+(json|xml)/i;

/** Writes an exchange to the run's log: what was asked, what came back, the start of the body. */
export class AnswerLog {
  readonly #output: RunOutput;
  readonly #secrets: readonly string[];
  readonly #maxBodyBytes: number;
  #showsBody = true;
  #bodyBytes = 0;
  #excerpt = Buffer.alloc(0);

  constructor(log: RunLog, options: { secrets: readonly string[]; maxBodyBytes: number }) {
    this.#secrets = options.secrets;
    this.#maxBodyBytes = options.maxBodyBytes;
    this.#output = new RunOutput({ log, maxBytes: options.maxBodyBytes + HEAD_BYTES, secrets: options.secrets });
  }

  line(text: string): void {
    this.#output.writeText(`${text}\n`);
  }

  head({ status, statusText, headers }: Answer, elapsedMs: number): void {
    this.line(`${status} ${statusText}`.trimEnd().concat(` after ${Math.round(elapsedMs)} ms`));
    for (const name of SHOWN_HEADERS) {
      const value = headers[name];
      if (value !== undefined) this.line(`${name}: ${maskText(String(value).slice(0, 1000))}`);
    }
    const type = headers['content-type'] ?? 'text/plain';
    this.#showsBody = TEXT.test(type) && (headers['content-encoding'] ?? 'identity') === 'identity';
  }

  body(bytes: Buffer): void {
    if (this.#showsBody) {
      const shown = bytes.subarray(0, Math.max(0, this.#maxBodyBytes - this.#bodyBytes));
      if (this.#bodyBytes === 0 && shown.length > 0) this.line('');
      this.#output.write(shown);
      if (shown.length < bytes.length) this.#output.cut();
      const room = EXCERPT_BYTES - this.#excerpt.length;
      if (room > 0) this.#excerpt = Buffer.concat([this.#excerpt, bytes.subarray(0, room)]);
    }
    this.#bodyBytes += bytes.length;
  }

  end(): void {
    const hidden = this.#bodyBytes - (this.#showsBody ? Math.min(this.#bodyBytes, this.#maxBodyBytes) : 0);
    this.#output.end();
    if (hidden > 0) this.#output.note(`${hidden} bytes of the answer are not shown`);
  }

  note(text: string): void {
    this.#output.note(text);
  }

  /** The start of the body, masked. */
  excerpt(): string {
    const masker = createMasker(this.#secrets);
    const shown = masker.push(this.#excerpt.toString('utf8'));
    return (shown + (this.#bodyBytes > this.#excerpt.length ? masker.cut() : masker.end())).trim();
  }
}
