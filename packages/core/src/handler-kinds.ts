import {
  type CodeHandler,
  type HandlerKind,
  type HandlerOf,
  type HttpHandler,
  METHODS_WITH_PAYLOAD,
  type ShellHandler,
} from './handler-spec.ts';
import { CODE_NEED, SHELL_NEED } from './queue-name.ts';
import type { Right } from './rights/roles.ts';

/** What handlers differ in. No other code asks for a kind by its name; a switch over kinds has all of them. */
export interface HandlerFacts {
  /** Where it sends requests: that must be open to tasks, and a secret may be bound to it. Null: it sends none by itself. */
  url: string | null;
  /** The command that it runs, as cron and systemd know commands; null: it runs none. */
  shell: ShellHandler | null;
  /** The code that it runs, which a worker must have; null: none. */
  code: CodeHandler | null;
  /** What it asks of its worker beside the pool; null: nothing. */
  need: typeof SHELL_NEED | typeof CODE_NEED | null;
  /** What it takes to save it, beside `edit`. */
  rights: readonly Right[];
  /** Names of the secrets that it refers to. */
  secrets: readonly string[];
  /** Why it cannot report that it lives; null: it can. */
  heartbeatProblem: string | null;
  /** Why it cannot keep a state. */
  stateProblems: readonly string[];
}

/** The facts of each kind. The SQL function need_of has the kinds that need more of a worker than its pool; a test compares them. */
export const HANDLER_KINDS: { readonly [Kind in HandlerKind]: (spec: HandlerOf<Kind>) => HandlerFacts } = {
  shell: (spec) => ({
    url: null,
    shell: spec,
    code: null,
    need: SHELL_NEED,
    rights: spec.user === undefined ? ['shell'] : ['shell', 'run-as'],
    secrets: referencesIn(spec.env),
    heartbeatProblem: null,
    stateProblems: [],
  }),
  http: (spec) => ({
    url: spec.url,
    shell: null,
    code: null,
    need: null,
    rights: [],
    secrets: referencesIn(spec.headers),
    heartbeatProblem: 'an http task cannot report that it lives; bound it with timeoutMs',
    stateProblems: [...stateProblemsOf(spec)],
  }),
  code: (spec) => ({
    url: null,
    shell: null,
    code: spec,
    need: CODE_NEED,
    rights: [],
    secrets: spec.secrets ?? [],
    heartbeatProblem: null,
    stateProblems: [],
  }),
};

export function handlerFacts<Kind extends HandlerKind>(spec: HandlerOf<Kind>): HandlerFacts {
  const facts: (spec: HandlerOf<Kind>) => HandlerFacts = HANDLER_KINDS[spec.type as Kind];
  return facts(spec);
}

function* stateProblemsOf({ output, method, body }: HttpHandler): Generator<string> {
  if (output !== 'messages')
    yield "an http task gives a state back in its answer: add output: 'messages' to its handler";
  if (body !== undefined || method === undefined || !METHODS_WITH_PAYLOAD.has(method))
    yield 'an http task sends its state as body: give its handler the method POST, PUT or PATCH, and no body of its own';
}

function referencesIn(values: Readonly<Record<string, string | { secret: string }>> = {}): string[] {
  return Object.values(values).flatMap((value) => (typeof value === 'string' ? [] : [value.secret]));
}
