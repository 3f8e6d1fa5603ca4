import { z } from 'zod';
import { taskName } from './task-name.ts';

/** Says why an option of code has no place elsewhere; a strict object would only call it unknown. */
const onlyForCode = (why: string) => z.never({ error: `only code tasks take it: ${why}` }).optional();

const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'letters, digits and _');

/** A value taken from the worker's environment when the run starts, and masked in logs. */
const secretRef = z.strictObject({ secret: envName });

export const shellHandler = z
  .strictObject({
    type: z.literal('shell'),
    isolation: onlyForCode('a shell line always has processes of its own'),
    /** One line for `shell -c`, as cron has it. Either this or `argv`. */
    command: z.string().min(1).max(32_768).optional(),
    /** Program and arguments, started without a shell. */
    argv: z.array(z.string()).min(1).max(1024).optional(),
    /** The shell for `command`. Default /bin/sh. */
    shell: z.string().optional(),
    /** Added to the worker's own PATH, HOME, LANG and USER. */
    env: z.record(envName, z.union([z.string(), secretRef])).optional(),
    /** Working directory. Default: the home directory. */
    cwd: z.string().optional(),
    /** Operating-system user; needs a worker that runs as root. Default: the worker's own. */
    user: z
      .string()
      .regex(/^[^\s\p{Cc}:]{1,256}$/u, 'a name of a user, without spaces, line breaks and colons')
      .optional(),
    /** Written to standard input. Default: empty. */
    stdin: z.string().max(65_536).optional(),
    /**
     * The program may say more than its exit code: JSON, a line each, on descriptor 3 (state, output, the next run, ...), and
     * reads its state from descriptor 4. Default: true where the task declares `state`, else false.
     */
    messages: z.boolean().optional(),
    /** Cap of the run's log in bytes; the rest is counted and dropped. Default 10 MiB. */
    maxOutputBytes: z
      .int()
      .min(1024)
      .max(1024 * 1024 * 1024)
      .optional(),
  })
  .refine((value) => (value.command === undefined) !== (value.argv === undefined), {
    message: 'give either command or argv',
  });

/** What makes a message of a request is not a task's to say (RFC 9110, 7.6.1; RFC 9112, 6): two readings of one would smuggle a second one. */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, 'a name that HTTP allows, without spaces and colons')
  .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), {
    message: 'a header that is not set by HTTP itself, as Host, Content-Length and Transfer-Encoding are,',
  });

const headerValue = z
  .string()
  .regex(/^[\t -~\u0080-\u00ff]*$/, 'a value that HTTP allows, without line breaks and of Latin-1 characters');

/** Numbers, and ranges like "200-299". */
const statuses = z.array(z.union([z.int().min(100).max(599), z.string().regex(/^[1-5]\d\d-[1-5]\d\d$/)]));

/** Methods whose request carries the payload where the task has no body of its own. */
export const METHODS_WITH_PAYLOAD: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export const httpHandler = z.strictObject({
  type: z.literal('http'),
  isolation: onlyForCode('a request runs none of your code here, and is sent by the worker itself'),
  url: z.url({ protocol: /^https?$/ }),
  /** Default GET without and POST with a body. */
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  headers: z.record(headerName, z.union([headerValue, secretRef])).optional(),
  /** Sent as it is if a string, else as JSON. Default: the run's payload, if the method takes a body and there is one. */
  body: z.json().optional(),
  /** Statuses that count as success: numbers or ranges like "200-299". Default ["200-299"]. Redirects are not followed. */
  expectStatus: statuses.min(1).optional(),
  /** Of the other statuses, those after which the run is tried again as `retry` says. Default ["408", "425", "429", "500-599"]. */
  retryStatus: statuses.optional(),
  /**
   * What the answer's body, which has to be JSON, is for the run. `body`: its output, at most 64 KiB. `messages`: an object with
   * `output`, `state`, `next`, `chain`, `skip`, as a shell task says them. Default: the output is `{ "status": 200 }`.
   */
  output: z.enum(['body', 'messages']).optional(),
  /** How much of the answer's body goes into the run's log. Default 64 KiB. */
  maxResponseBytes: z
    .int()
    .min(0)
    .max(1024 * 1024)
    .optional(),
});

/** Where the code of a task runs: in a process of its own, or in that of the worker. */
export const isolation = z.enum(['process', 'inline']);

/** Memory of a process for code, in MB, unless its task says otherwise. */
export const DEFAULT_MEMORY_LIMIT_MB = 512;

/** A handler written with `defineTask`, known to workers by its name. */
const codeHandler = z
  .strictObject({
    type: z.literal('code'),
    name: taskName,
    /** `inline` costs least and shields the worker from nothing: for light work that is run often. Default `process`. */
    isolation: isolation.optional(),
    /** What the heap of its process may grow to, in MB; an attempt that wants more fails. Default 512. */
    memoryLimitMb: z.int().min(64).max(65_536).optional(),
    /** Names of the worker's secrets that it is given: `ctx.secrets.NAME`. Its processes serve no other task then. Default none. */
    secrets: z.array(envName).min(1).max(50).optional(),
  })
  .refine((value) => value.isolation !== 'inline' || value.memoryLimitMb === undefined, {
    path: ['memoryLimitMb'],
    message: "a limit needs a process of the task's own; leave out isolation 'inline'",
  });

export const handlerSpec = z.discriminatedUnion('type', [shellHandler, httpHandler, codeHandler]);

export type HandlerSpec = z.output<typeof handlerSpec>;
export type HandlerKind = HandlerSpec['type'];
export type HandlerOf<Kind extends HandlerKind> = Extract<HandlerSpec, { type: Kind }>;
export type ShellHandler = HandlerOf<'shell'>;
export type HttpHandler = HandlerOf<'http'>;
export type CodeHandler = HandlerOf<'code'>;
export type Isolation = z.output<typeof isolation>;
