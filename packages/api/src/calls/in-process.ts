import { randomUUID } from 'node:crypto';
import { EscapementError } from '@escapement/core';
import { createForecastCache, createRowsAheadCache } from '@escapement/operations';
import type { Feed } from '../events/feed.ts';
import { toJson } from '../http/answer.ts';
import { carryOut } from '../http/carry-out.ts';
import { ProblemError } from '../http/problem.ts';
import type { RequestContext, TextAnswer } from '../http/route.ts';
import { type Calls, wired } from './calls.ts';

/** What the routes have to work with, and who asks. */
export type InProcessContext = Omit<
  RequestContext,
  'headers' | 'header' | 'requestId' | 'session' | 'signal' | 'renew' | 'oidc' | 'feed' | 'forecasts' | 'rowsAhead'
>;

/** Carries calls out in this process, on the database: the same requests, rights and answers as over HTTP. */
export function callsInProcess(context: InProcessContext): Calls {
  return {
    async call(route, given, { signal = new AbortController().signal, headers = {} } = {}) {
      const request: RequestContext = {
        ...context,
        ...{ headers, signal, feed: NO_FEED, oidc: null, session: null, requestId: randomUUID() },
        forecasts: createForecastCache(),
        rowsAhead: createRowsAheadCache(),
        header: () => undefined,
        renew: async () => undefined,
      };
      const answer = await carryOut(route, wired(given), request).catch((error: unknown) => {
        throw error instanceof ProblemError ? refusalOf(error) : error;
      });
      if ('text' in answer) return piecesOf(answer.text) as never;
      if (typeof route.answer === 'string') throw new Error(`${route.id} has not answered with text`);
      return route.answer.parse(JSON.parse(toJson(answer.json))) as never;
    },
  };
}

/** A program that ends with its answer watches nothing. */
const NO_FEED: Feed = {
  size: 0,
  listen: () => Promise.reject(new EscapementError('no_events', 'events are told by a server of the API alone')),
  isKept: async () => false,
  async *between() {},
  stop: async () => undefined,
};

async function* piecesOf(text: TextAnswer['text']): AsyncGenerator<string> {
  if (typeof text === 'string') yield text;
  else for await (const piece of text) yield piece.toString();
}

/** In the words that a client over HTTP has for it. */
function refusalOf({ problem: { code, detail, fix, errors = [] } }: ProblemError): EscapementError {
  const values = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const message = values.length > 1 ? `${detail}: ${values.join('; ')}` : detail;
  return new EscapementError(code, message, { ...(fix === undefined ? {} : { fix }), values: errors });
}
