import type { By, Clock } from '@escapement/core';
import type { DefaultReceivers } from '@escapement/core/alerts';
import type { EgressPolicy } from '@escapement/core/egress';
import type { Right } from '@escapement/core/rights';
import type { ForecastCache, Reading, RowsAheadCache } from '@escapement/operations';
import type { Database } from '@escapement/store';
import type { z } from 'zod';
import type { Feed } from '../events/feed.ts';
import type { OidcProvider } from '../oidc/provider.ts';
import type { OwnSession } from './authenticate.ts';
import { readPart as read } from './read-request.ts';

/** What routes have to work with. */
export interface ApiContext {
  db: Database;
  clock: Clock;
  /** By what a worker is taken for dead. Milliseconds. */
  deadMs: number;
  /** Where requests of tasks may go. */
  egress: EgressPolicy;
  /** A template of URLs at which traces can be seen; undefined: nobody has said. */
  traceUrl: string | undefined;
  /** Where browsers and jobs elsewhere reach the API; undefined: nobody has said. */
  apiUrl?: string | undefined;
  /** The version of the program that answers; undefined: nobody has said. */
  appVersion?: string | undefined;
  /** Who is told of alerts that nobody is named for. */
  defaults: DefaultReceivers;
  /** How far clocks may be off. Milliseconds. */
  maxClockOffsetMs: number;
  /** Whether a Redis may be one that drops jobs when it is full. */
  allowEviction: boolean;
  /** Forecasts that need not be made anew. */
  forecasts: ForecastCache;
  /** The same of what each task and key will start. */
  rowsAhead: RowsAheadCache;
  /** What changes. */
  feed: Feed;
  /** Where users may sign in beside here; null: nowhere. */
  oidc: OidcProvider | null;
}

export const TAGS = [
  'me',
  'session',
  'tasks',
  'apply',
  'crontab',
  'other-schedulers',
  'runs',
  'batches',
  'bulk',
  'errors',
  'events',
  'keys',
  'pools',
  'fleet',
  'calendars',
  'work-lists',
  'backfills',
  'recovery',
  'access',
  'alerts',
  'monitors',
  'forecast',
  'ledger',
  'doctor',
] as const;
export type Tag = (typeof TAGS)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What every request has. */
export interface RequestContext extends ApiContext {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Who asks. With a reason: for an act, why. */
  by: (reason?: string | null) => By;
  requestId: string;
  /** From where: an IP address, as trusted proxies say. */
  address: string;
  /** In which session is asked; null: by a token. */
  session: OwnSession | null;
  /** Sets a header of the answer. */
  header: (name: string, value: string) => void;
  /** The server stops; of answers that are text, which take long, also: the client is gone. */
  signal: AbortSignal;
  /** Asks again who asks. Throws where they may not any more what they could at first. */
  renew: () => Promise<void>;
}

/** What one request asks, checked. */
export interface Asked<Params, Query, Body> extends RequestContext {
  params: Params;
  query: Query;
  body: Body;
}

/** A value as handlers may have it: text of an instant or of a large number will do as well. */
export type Loose<Value> = Value extends Date | bigint
  ? Value | string
  : Value extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Loose<Value[Key]> }
      : Value;

/** Text that is not JSON: a log, a calendar. */
export interface TextAnswer {
  contentType: string;
  text: string | AsyncIterable<string | Buffer>;
}

/** What a route says of itself. */
interface Told {
  /** Its name in clients that are generated: `listRuns`. */
  id: string;
  method: Method;
  /** As `/v1/runs/:id`. */
  path: string;
  tag: Tag;
  /** One line that says what it does. */
  summary: string;
  /** More, in sentences. Default: nothing. */
  description?: string;
  /** The right that it takes; null: any token or session will do. */
  right: Right | null;
  /** The entry that it makes in the audit, as `auditEntries` calls it. Null: it changes nothing. */
  audit: string | null;
  /** Codes of what it is about and may not be there: they are 404. Default: none. */
  missing?: readonly string[];
  /** Whoever asks need not be known yet. Default: they must. */
  anyone?: boolean;
  /** The largest body, in bytes. Default: 1 MiB. */
  maxBodyBytes?: number;
  /** Headers that it reads, and what they are for. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** It asks more than the ledger, or waits for what comes: it is not read from a standby. Default: what it shows may be. */
  fromPrimary?: boolean;
  /** No field of its answer holds a payload, whatever its name: all is shown to whoever may not see payloads. Default: fields of these names are left out. */
  withoutPayloads?: boolean;
  /** A token may stand in the query as well, as `token`: for programs that send no headers. Default: it may not. */
  tokenInQuery?: boolean;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<string, never>;

interface Declared<Params, Query, Body, Answer> extends Told {
  params?: Params;
  query?: Query;
  body?: Body;
  /** On what its right is asked: what it shows. `act`: the act itself asks for it, before it does anything. */
  on: 'action' | ((asked: AskedOf<Params, Query, Body>) => Reading['of'] | Promise<Reading['of']>);
  handle(asked: AskedOf<Params, Query, Body>): Promise<Answer>;
}

type AskedOf<Params, Query, Body> = Asked<Parsed<Params>, Parsed<Query>, Parsed<Body>>;

/** A request, as it came. */
export interface Parts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** A request that has been read: who asks may be refused before it is carried out. */
interface Opened {
  /** What is to be shown; null: the act asks for itself. */
  reading(): Promise<Reading | null>;
  handle(): Promise<unknown>;
}

/** The route as a value that a server can answer by and a document can be written from. */
export interface Route extends Told {
  params: z.ZodObject | null;
  query: z.ZodObject | null;
  body: z.ZodType | null;
  /** 303: the header `Location` says where to go on. */
  status: 200 | 201 | 202 | 303;
  /** Its answer; a media type: it answers with such text. */
  answer: z.ZodType | string;
  /** Throws `ProblemError` (`bad_request`) for values that are not as the schemas say. */
  open(parts: Parts, context: RequestContext): Opened;
}

type Maybe<Schema> = Schema | undefined;

/** A route of which it is known what it is asked and what it answers, for who calls it in TypeScript. */
export interface RouteOf<Given, Answer> extends Route {
  /** Never there: it has the types alone. */
  readonly types?: (given: Given) => Answer;
}

/** What a call of a route is given. */
export type GivenOf<Params, Query, Body> = PartOf<'params', Params> & PartOf<'query', Query> & PartOf<'body', Body>;

type PartOf<Name extends string, Schema> = Schema extends z.ZodType
  ? Record<never, never> extends z.input<Schema>
    ? { [Key in Name]?: z.input<Schema> }
    : { [Key in Name]: z.input<Schema> }
  : unknown;

/** Declares a route. */
export function route<
  Answer extends z.ZodType,
  Params extends Maybe<z.ZodObject> = undefined,
  Query extends Maybe<z.ZodObject> = undefined,
  Body extends Maybe<z.ZodType> = undefined,
>(
  declared: Declared<Params, Query, Body, Loose<z.output<Answer>>> & {
    /** Default: 200. */
    status?: Route['status'];
    answer: Answer;
  },
): RouteOf<GivenOf<Params, Query, Body>, z.output<Answer>> {
  return { ...declaredAs(declared), status: declared.status ?? 200, answer: declared.answer };
}

/** Declares a route that answers with text. */
export function textRoute<Params extends Maybe<z.ZodObject> = undefined, Query extends Maybe<z.ZodObject> = undefined>(
  declared: Declared<Params, Query, undefined, TextAnswer> & {
    /** Default: 200. */
    status?: Route['status'];
    /** Its media type. */
    answer: string;
  },
): RouteOf<GivenOf<Params, Query, undefined>, AsyncIterable<string>> {
  return { ...declaredAs(declared), status: declared.status ?? 200, answer: declared.answer };
}

function declaredAs<
  Params extends Maybe<z.ZodObject>,
  Query extends Maybe<z.ZodObject>,
  Body extends Maybe<z.ZodType>,
  Answer,
>(declared: Declared<Params, Query, Body, Answer>): Omit<Route, 'status' | 'answer'> {
  const { params, query, body, on, handle, ...others } = declared;
  return {
    ...others,
    params: params ?? null,
    query: query ?? null,
    body: body ?? null,
    open(parts, context) {
      const asked = {
        ...context,
        params: readPart<Params>(params, parts.params, 'path'),
        query: readPart<Query>(query, parts.query, 'query'),
        body: readPart<Body>(body, parts.body ?? {}, 'body'),
      };
      return {
        reading: async () =>
          declared.right === null || on === 'action' ? null : { right: declared.right, of: await on(asked) },
        handle: () => handle(asked),
      };
    },
  };
}

/** What a schema makes of a part of a request; nothing where there is none. */
function readPart<Schema extends Maybe<z.ZodType>>(
  schema: Schema | undefined,
  value: unknown,
  place: 'path' | 'query' | 'body',
): Parsed<Schema> {
  return (schema ? read(schema, value, place) : {}) as Parsed<Schema>;
}
