import type { HandlerCall, HandlerContext, HandlerOutcome, HandlerSpec, RunEffects } from '@escapement/core';

/** The secret of the worker that is put through every door. */
export const SECRET = 'ESCAPEMENT_SECRET_CANARY';

/** What becomes of a secret at a door: it is masked, or what would keep it is refused. */
export type Fate = 'masked' | 'refused';

/** Doors of test/canary/tasks/leak.ts. */
export const CODE_DOORS = {
  'line of the log': 'masked',
  'pieces of the log': 'masked',
  'base64 in the log': 'masked',
  console: 'masked',
  'standard output': 'masked',
  progress: 'masked',
  output: 'masked',
  skip: 'masked',
  error: 'masked',
  'stray error': 'masked',
  'stray rejection': 'masked',
  exit: 'masked',
  state: 'refused',
  chain: 'refused',
  list: 'refused',
  batch: 'refused',
  'name of a batch': 'refused',
} as const satisfies Record<string, Fate>;

const says = (message: string) => `printf '${message}\\n' "$OPEN $KEY" >&3`;

/** Commands, with the secret as KEY and a word that is none as OPEN. */
export const SHELL_DOORS = {
  output: { fate: 'masked', command: 'echo "$OPEN $KEY"' },
  'pieces of output': {
    fate: 'masked',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
    command: 'start=${KEY%????????}; printf %s "$OPEN $start"; sleep 0.2; printf "%s\\n" "${KEY#"$start"}"',
  },
  'error output': { fate: 'masked', command: 'echo "$OPEN $KEY" >&2' },
  'last lines of a failure': { fate: 'masked', command: 'echo "$OPEN $KEY"; exit 3' },
  'base64 of output': { fate: 'masked', command: 'echo "$OPEN"; printf %s "app:$KEY" | base64' },
  'hexadecimal output': { fate: 'masked', command: 'echo "$OPEN"; printf %s "$KEY" | od -An -v -tx1 | tr -d " \\n"' },
  // Goes on until it is in the ledger.
  progress: {
    fate: 'masked',
    command: `${says('{"progress":{"done":1,"note":"%s"}}')}; until [ -e "$WRITTEN" ]; do sleep 0.1; done`,
  },
  'output message': { fate: 'masked', command: says('{"output":"%s"}') },
  skip: { fate: 'masked', command: says('{"skip":"%s"}') },
  'bad message': { fate: 'masked', command: says('{"%s":1}') },
  'long bad message': {
    fate: 'masked',
    command: `printf '{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":"%s"}\\n' "$OPEN $KEY" >&3`,
  },
  state: { fate: 'refused', command: says('{"state":"%s"}') },
  chain: { fate: 'refused', command: says('{"chain":{"task":"sink","payload":"%s"}}') },
} as const satisfies Record<string, { fate: Fate; command: string }>;

/** Answers of a server that was sent the secret as a header and sends it back; see test/canary/echo.ts. */
export const HTTP_DOORS = {
  body: 'masked',
  'pieces of a body': 'masked',
  'cut body': 'masked',
  'failed body': 'masked',
  'status text': 'masked',
  redirect: 'masked',
  header: 'masked',
  'answer as output': 'masked',
  'message of an answer': 'masked',
  'bad message of an answer': 'masked',
  'state of an answer': 'refused',
} as const satisfies Record<string, Fate>;

type CodeDoor = keyof typeof CODE_DOORS;

/*
 * What a handler has to let something out by, as the types of the product say. A new one does not compile here until it is
 * listed: give it a door above.
 */

export const BY_HANDLER = {
  code: CODE_DOORS,
  shell: SHELL_DOORS,
  http: HTTP_DOORS,
} satisfies Record<HandlerSpec['type'], object>;

/** Empty: nothing of the handler leaves by it. */
export const BY_CONTEXT = {
  spec: [],
  run: [],
  payload: [],
  signal: [],
  heartbeat: [],
  preparing: [],
  state: ['state'],
  log: ['line of the log', 'pieces of the log', 'base64 in the log', 'console', 'standard output'],
  progress: ['progress'],
  ask: ['list', 'batch', 'name of a batch'],
} satisfies Record<keyof HandlerContext, CodeDoor[]>;

export const BY_CALL = {
  previous: [],
  batch_seal: [],
  batch_results: [],
  batch_progress: [],
  list_take: [],
  batch_open: ['name of a batch'],
  batch_add: ['batch'],
  list_add: ['list'],
} satisfies Record<HandlerCall['call'], CodeDoor[]>;

export const BY_OUTCOME = {
  succeeded: ['output', 'state', 'chain'],
  failed: ['error', 'stray error', 'stray rejection', 'exit'],
  skipped: ['skip'],
} satisfies Record<HandlerOutcome['status'], CodeDoor[]>;

/** `next` is an instant. */
export const BY_EFFECT = {
  state: ['state'],
  chain: ['chain'],
  next: [],
} satisfies Record<keyof RunEffects, CodeDoor[]>;
