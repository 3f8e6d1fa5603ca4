import { StringDecoder } from 'node:string_decoder';
import { type RunLog, storableText } from '@escapement/core';
import { createMasker, maskWith } from '@escapement/core/mask';

/** Cap of a run's log unless its task says otherwise, in bytes. */
export const DEFAULT_OUTPUT_BYTES = 10 * 1024 * 1024;

/** Of the output beyond the cap this much of the end is kept, in characters: a failure speaks last. */
const TAIL_CHARS = 16 * 1024;

export interface RunOutputOptions {
  log: RunLog;
  /** Bytes of UTF-8 that go to the log, the kept end apart. */
  maxBytes: number;
  /** Values that must not show. */
  secrets?: readonly string[];
}

/**
 * Carries raw bytes to a run's log as text that Postgres can store: UTF-8 (invalid bytes and NUL
 * become U+FFFD), secrets masked, capped. Holds at most the tail and one piece in memory, however
 * much flows through.
 */
export class RunOutput {
  readonly #decoder = new StringDecoder('utf8');
  readonly #masker;
  readonly #log: RunLog;
  readonly #secrets: readonly string[];
  readonly #maxBytes: number;
  #bytesLeft: number;
  #droppedChars = 0;
  #tail = '';
  #recent = '';
  #ended = false;

  constructor(options: RunOutputOptions) {
    this.#log = options.log;
    this.#maxBytes = options.maxBytes;
    this.#bytesLeft = options.maxBytes;
    this.#secrets = options.secrets ?? [];
    this.#masker = createMasker(this.#secrets);
  }

  /** Bytes of the process, cut anywhere. */
  write(bytes: Buffer): void {
    if (!this.#ended) this.#take(this.#masker.push(storableText(this.#decoder.write(bytes))));
  }

  /** Text that is whole characters already. */
  writeText(text: string): void {
    if (!this.#ended) this.#take(this.#masker.push(storableText(text)));
  }

  /** Something of our own to say, on a line of its own. Past the end, and past the cap, it is still written. */
  note(line: string): void {
    const text = `${this.#recent === '' || this.#recent.endsWith('\n') ? '' : '\n'}[escapement: ${storableText(maskWith(this.#secrets, line))}]\n`;
    if (this.#ended) this.#log.write(text);
    else this.#take(text);
  }

  /** Writes what was held back of a text whose rest is not shown. */
  cut(): void {
    if (!this.#ended) this.#take(this.#masker.push(storableText(this.#decoder.end())) + this.#masker.cut());
  }

  /** Writes what was held back. What comes after is ignored. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#take(this.#masker.push(storableText(this.#decoder.end())) + this.#masker.end());
    if (this.#tail === '') return;
    const tail = this.#tail.slice(-TAIL_CHARS);
    const dropped = this.#droppedChars - tail.length;
    if (dropped > 0)
      this.#log.write(`\n[escapement: ${dropped} characters left out here; the cap is ${this.#maxBytes} bytes]\n`);
    // Cut at a fixed length, so it may begin with half a surrogate pair.
    this.#log.write(storableText(tail));
  }

  /** The last lines, for the error of a failed run. */
  lastLines(maxChars: number): string {
    const end = storableText(this.#recent.slice(-maxChars));
    const lineStart = this.#recent.length > maxChars ? end.indexOf('\n') + 1 : 0;
    return end.slice(lineStart).trim();
  }

  #take(text: string): void {
    if (text === '') return;
    this.#recent = lastChars(this.#recent, text);
    const kept = this.#bytesLeft > 0 ? headBytes(text, this.#bytesLeft) : '';
    if (kept !== '') this.#log.write(kept);
    this.#bytesLeft -= Buffer.byteLength(kept);
    if (kept.length === text.length) return;
    this.#bytesLeft = 0;
    const rest = text.slice(kept.length);
    this.#droppedChars += rest.length;
    this.#tail = lastChars(this.#tail, rest);
  }
}

/** The longest start of `text` that takes at most `maxBytes` of UTF-8; never half a character. */
export function headBytes(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.min(maxBytes, text.length * 3)));
  return text.slice(0, read);
}

/** At least the last `TAIL_CHARS`; cut only at twice of them, since each cut copies. */
function lastChars(before: string, text: string): string {
  const joined = before + text;
  return joined.length > 2 * TAIL_CHARS ? joined.slice(-TAIL_CHARS) : joined;
}
