import { isUtf8 } from 'node:buffer';
import {
  admitJson,
  type ChainedRun,
  EscapementError,
  type HandlerContext,
  type HandlerOutcome,
  instantText,
  type Json,
  MAX_CHAINED,
  MAX_STATE_BYTES,
  parseJson,
  type RunEffects,
  refuseForbiddenKeys,
  toRunError,
} from '@escapement/core';
import { z } from 'zod';
import type { RunOutput } from './run-output.ts';

/** The longest message, in bytes; a state of 256 KiB fits. */
export const MAX_MESSAGE = 300 * 1024;
const MAX_SHOWN = 80;

const json: z.ZodType<Json> = z.json();

const chained = z.strictObject({ task: z.string().min(1), payload: json.optional() });

/** What a program, or the answer to a request, may say in a JSON object: any of these, alone or together. */
const message = z.strictObject({
  heartbeat: z.literal(true).optional(),
  progress: z.strictObject({ done: z.number(), total: z.number().optional(), note: z.string().optional() }).optional(),
  output: json.optional(),
  state: json.optional(),
  next: instantText.nullable().optional(),
  chain: z.union([chained, z.array(chained)]).optional(),
  skip: z.string().min(1).optional(),
});

type Message = z.output<typeof message>;
type Listener = Pick<HandlerContext, 'state' | 'heartbeat' | 'progress'>;

/** Whose messages they are, in the words of an error. */
export interface Speaker {
  /** `the program`. */
  who: string;
  /** `on descriptor 3`. */
  where: string;
  /** What it should say. */
  fix: string;
}

const PROGRAM: Speaker = {
  who: 'the program',
  where: 'on descriptor 3',
  fix: 'write one JSON object a line, with the keys that docs/reference/handlers.md names',
};

/**
 * The lines that a program writes to its descriptor 3, or that an answer consists of. Of `output`, `state`, `next` and `skip` the last one counts, of
 * `chain` each. A line that cannot be taken fails the run: what was to be kept would be lost in silence.
 */
export class HandlerMessages {
  readonly #listener: Listener;
  readonly #speaker: Speaker;
  readonly #output: Pick<RunOutput, 'note'>;
  readonly #chain: ChainedRun[] = [];
  #said: Message = {};
  /** A byte a character. */
  #line = '';
  #problem: unknown;

  constructor(listener: Listener, output: Pick<RunOutput, 'note'>, speaker = PROGRAM) {
    this.#speaker = speaker;
    this.#listener = listener;
    this.#output = output;
  }

  /** Bytes of the program, cut anywhere. */
  write(bytes: Buffer): void {
    const lines = (this.#line + bytes.toString('latin1')).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
    if (this.#line.length > MAX_MESSAGE) this.#take(this.#line);
  }

  /** What becomes of a program that has ended like this, with what it said. */
  outcomeOf(ending: HandlerOutcome): HandlerOutcome {
    this.#take(this.#line);
    this.#line = '';
    if (ending.status !== 'succeeded') return ending;
    if (this.#problem) return { status: 'failed', error: toRunError(this.#problem), retry: 'never' };
    if (this.#said.skip !== undefined) return { status: 'skipped', reason: this.#said.skip };
    const effects = this.#effects();
    return {
      ...ending,
      ...(this.#said.output === undefined ? {} : { output: this.#said.output }),
      ...(Object.keys(effects).length > 0 ? { effects } : {}),
    };
  }

  #take(line: string): void {
    if (this.#problem || line.trim() === '') return;
    try {
      if (line.length > MAX_MESSAGE)
        throw new EscapementError('bad_message', `a message is longer than ${MAX_MESSAGE} bytes`);
      this.#obey(parse(textOf(line, this.#speaker), this.#speaker));
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #obey(said: Message): void {
    const { progress, chain, state, output } = said;
    if (state !== undefined) this.#admitState(state);
    if (output !== undefined) admitJson(output, 'the output');
    for (const each of chain ? [chain].flat() : []) this.#admitChain(each);
    this.#said = { ...this.#said, ...said };
    if (progress) this.#listener.progress(progress.done, progress.total, progress.note);
    else this.#listener.heartbeat();
  }

  #admitState(state: Json): void {
    if (!this.#listener.state)
      throw new EscapementError('no_state', 'the task declares no state', { fix: 'give the task `state: {}`' });
    admitJson(state, 'the state', MAX_STATE_BYTES);
  }

  #admitChain({ task, payload }: z.output<typeof chained>): void {
    if (this.#chain.length >= MAX_CHAINED)
      throw new EscapementError('too_many_chained', `a run may chain at most ${MAX_CHAINED} runs`);
    this.#chain.push(payload === undefined ? { task } : { task, payload: admitJson(payload, `payload for ${task}`) });
  }

  #effects(): RunEffects {
    const { state, next } = this.#said;
    const found = this.#listener.state;
    return {
      ...(state === undefined || !found
        ? {}
        : { state: { value: state, version: found.version, shape: found.shape || 1 } }),
      ...(next === undefined ? {} : { next: next === null ? null : new Date(next) }),
      ...(this.#chain.length > 0 ? { chain: this.#chain } : {}),
    };
  }

  #refuse(thrown: unknown): void {
    this.#problem = thrown;
    this.#line = '';
    this.#output.note(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Throws `bad_message`: a character in the place of others would be kept as if it had been said. */
function textOf(line: string, { who, where }: Speaker): string {
  const bytes = Buffer.from(line, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new EscapementError('bad_message', `${who} said ${shown(bytes.toString('utf8'))} ${where}: it is not UTF-8`);
}

/** Throws `bad_message` with the line and what is wrong with it; `json_number`, `json_too_deep`, `json_forbidden_key`. */
function parse(line: string, { who, where, fix }: Speaker): Message {
  const said = jsonIn(line, `a message ${where}`);
  refuseForbiddenKeys(said, `a message ${where}`);
  const parsed = message.safeParse(said);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues.map(({ path, message: words }) => `${path.join('.') || 'it'}: ${words}`).join('; ');
  throw new EscapementError('bad_message', `${who} said ${shown(line)} ${where}: ${why}`, { fix });
}

function shown(line: string): string {
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}

/** Undefined: it is not JSON. */
function jsonIn(line: string, what: string): unknown {
  try {
    return parseJson(line, what);
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    return undefined;
  }
}
