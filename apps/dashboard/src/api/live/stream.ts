import { TOPICS, type Topic } from './topics.ts';

/** How the one stream of events of this tab stands. */
export interface LiveState {
  kind: 'connecting' | 'live' | 'paused' | 'reconnecting';
  /** Up to when what is shown is known to be true; null: nothing has been heard yet. */
  asOf: number | null;
}

/** As of the browser's own, so that tests may give another one. */
export interface Source {
  addEventListener(name: string, listener: () => void): void;
  close(): void;
}

export interface LiveOptions {
  open: () => Source;
  now: () => number;
  /** Draws a number from 0 up to 1: clients that were cut off together do not come back together. */
  random: () => number;
  onEvents: (topics: ReadonlySet<Topic>) => void;
  /** The server has refused the stream, or is away. */
  onRefused: () => void;
}

const SECOND = 1000;
/** Events of so long are told together. */
const GATHER_MS = 1 * SECOND;
/** Twice the time after which a server that has nothing to tell sends a heartbeat: a connection that says nothing for longer is dead. */
const SILENCE_MS = 32 * SECOND;
/** A connection that has said nothing since it was asked for is tried anew after so long. */
const OPEN_MS = 10 * SECOND;
const FIRST_DELAY_MS = 1 * SECOND;
const LONGEST_DELAY_MS = 30 * SECOND;
/** A connection that has held for so long was good: the next try comes soon again. */
const HEALTHY_MS = 30 * SECOND;

/** Keeps one stream of events open, and tells what it makes stale, at most once a second. */
export class LiveStream {
  #state: LiveState = { kind: 'connecting', asOf: null };
  readonly #options: LiveOptions;
  readonly #listeners = new Set<() => void>();
  readonly #gathered = new Set<Topic>();
  #source: Source | null = null;
  #openedAt = 0;
  #tries = 0;
  /** Since the stream was cut, something else was not answered either. */
  #isAway = false;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  get state(): LiveState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    this.#close();
    const source = this.#options.open();
    this.#source = source;
    source.addEventListener('open', () => {
      // Not the event of the connection alone: the server names its first event so, too.
      if (this.#source === source) this.#hear();
    });
    source.addEventListener('keep-alive', () => this.#hear());
    for (const topic of TOPICS) {
      source.addEventListener(topic, () => {
        this.#hear();
        this.#gather(topic);
      });
    }
    source.addEventListener('error', () => {
      if (this.#source === source) this.#lost();
    });
    this.#watchSilence(OPEN_MS);
  }

  /** Something else that was asked of the API has got no answer. */
  unanswered(): void {
    if (this.#state.kind === 'reconnecting') this.#isAway = true;
  }

  /**
   * Something else was answered. Was the API away, it is there again, and the stream does not wait for its turn. Where the API answers all but the
   * stream, that tells nothing new.
   */
  answered(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    if (this.#source !== null || this.#state.kind !== 'reconnecting') return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.start(), FIRST_DELAY_MS * this.#options.random());
  }

  /** Ends the stream while nobody looks. */
  pause(): void {
    this.#close();
    this.#set({ kind: 'paused', asOf: this.#state.asOf });
  }

  /** Goes on, and reads all anew: nobody knows what has changed meanwhile. */
  resume(): void {
    this.#set({ kind: 'connecting', asOf: this.#state.asOf });
    this.#tries = 0;
    this.start();
    this.#options.onEvents(new Set<Topic>(['resync']));
  }

  stop(): void {
    this.#close();
  }

  #hear(): void {
    if (this.#state.kind !== 'live') {
      const wasCut = this.#state.kind === 'reconnecting';
      this.#openedAt = this.#options.now();
      if (wasCut) this.#gather('resync');
    }
    this.#isAway = false;
    this.#set({ kind: 'live', asOf: this.#options.now() });
    this.#watchSilence(SILENCE_MS);
  }

  #gather(topic: Topic): void {
    this.#gathered.add(topic);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      const topics = new Set(this.#gathered);
      this.#gathered.clear();
      this.#options.onEvents(topics);
    }, GATHER_MS);
  }

  #lost(): void {
    const heldMs = this.#state.kind === 'live' ? this.#options.now() - this.#openedAt : 0;
    if (heldMs > HEALTHY_MS) this.#tries = 0;
    this.#close();
    this.#set({ kind: 'reconnecting', asOf: this.#state.asOf });
    const longest = Math.min(FIRST_DELAY_MS * 2 ** this.#tries, LONGEST_DELAY_MS);
    this.#tries += 1;
    this.#retry = setTimeout(() => this.start(), longest * (0.5 + this.#options.random() / 2));
    this.#options.onRefused();
  }

  #watchSilence(longestMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#lost(), longestMs);
  }

  #close(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = null;
  }

  #set(state: LiveState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
