import { StringDecoder } from 'node:string_decoder';
import {
  admitJson,
  type ChainedRun,
  EscapementError,
  type HandlerContext,
  type HandlerOutcome,
  type Json,
  MAX_CHAINED,
  MAX_STATE_BYTES,
  type RunEffects,
  toRunError,
} from '@escapement/core';
import { z } from 'zod';
import type { RunOutput } from '../output/run-output.ts';

/** The longest line; a state of 256 KiB fits. In UTF-16 units. */
const MAX_LINE = 300 * 1024;
const MAX_SHOWN = 80;

const json: z.ZodType<Json> = z.json();

/** What a program may say, one JSON object a line: any of these, alone or together. */
const message = z.strictObject({
  heartbeat: z.literal(true).optional(),
  progress: z.strictObject({ done: z.number(), total: z.number().optional(), note: z.string().optional() }).optional(),
  output: json.optional(),
  state: json.optional(),
  next: z.iso.datetime({ offset: true }).nullable().optional(),
  chain: z.strictObject({ task: z.string().min(1), payload: json.optional() }).optional(),
  skip: z.string().min(1).optional(),
});

type Message = z.output<typeof message>;
type Listener = Pick<HandlerContext, 'state' | 'heartbeat' | 'progress'>;

/**
 * The lines that a program writes to its descriptor 3. Of `output`, `state`, `next` and `skip` the last one counts, of
 * `chain` each. A line that cannot be taken fails the run: what was to be kept would be lost in silence.
 */
export class ShellMessages {
  readonly #listener: Listener;
  readonly #output: Pick<RunOutput, 'note'>;
  readonly #decoder = new StringDecoder('utf8');
  readonly #chain: ChainedRun[] = [];
  #said: Message = {};
  #line = '';
  #problem: unknown;

  constructor(listener: Listener, output: Pick<RunOutput, 'note'>) {
    this.#listener = listener;
    this.#output = output;
  }

  /** Bytes of the program, cut anywhere. */
  write(bytes: Buffer): void {
    const lines = (this.#line + this.#decoder.write(bytes)).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
    if (this.#line.length > MAX_LINE) this.#take(this.#line);
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
      if (line.length > MAX_LINE)
        throw new EscapementError('bad_message', `a line is longer than ${MAX_LINE} characters`);
      this.#obey(parse(line));
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #obey(said: Message): void {
    const { progress, chain, state, output } = said;
    if (state !== undefined) this.#admitState(state);
    if (output !== undefined) admitJson(output, 'the output');
    if (chain) this.#admitChain(chain);
    this.#said = { ...this.#said, ...said };
    if (progress) this.#listener.progress(progress.done, progress.total, progress.note);
    else this.#listener.heartbeat();
  }

  #admitState(state: Json): void {
    if (!this.#listener.state)
      throw new EscapementError('no_state', 'the task declares no state', { fix: 'give the task `state: {}`' });
    admitJson(state, 'the state', MAX_STATE_BYTES);
  }

  #admitChain({ task, payload }: NonNullable<Message['chain']>): void {
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

/** Throws `bad_message` with the line and what is wrong with it. */
function parse(line: string): Message {
  const shown = line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
  const fix = 'write one JSON object a line, with the keys that docs/reference/handlers.md names';
  const parsed = message.safeParse(jsonOf(line));
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues.map(({ path, message: words }) => `${path.join('.') || 'it'}: ${words}`).join('; ');
  throw new EscapementError('bad_message', `the program said ${shown} on descriptor 3: ${why}`, { fix });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
