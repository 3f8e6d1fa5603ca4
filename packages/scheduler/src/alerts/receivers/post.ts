import { lookup as lookUp } from 'node:dns';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type EgressPolicy, guardedLookup, type Resolver } from '@escapement/core/egress';

export interface Post {
  url: URL;
  headers: Record<string, string>;
  body: string;
}

export interface PostOptions {
  /** Where it may go. */
  egress: EgressPolicy;
  /** From the start to the head of the answer. Milliseconds. */
  timeoutMs: number;
  /** Finds the addresses of names. Default: the system's. */
  resolve?: Resolver | undefined;
}

/** The head of an answer; its body is not read. */
export interface PostAnswer {
  status: number;
  headers: IncomingHttpHeaders;
}

/**
 * Sends a POST to an open address, and gives back the head of its answer. A redirect is an answer like others. Rejects with
 * `EgressDenied` where the address is not open. Not `fetch`: it has no look-up of ours.
 */
export function post({ url, headers, body }: Post, options: PostOptions): Promise<PostAnswer> {
  const { egress, timeoutMs, resolve: find = lookUp } = options;
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const lookup = guardedLookup(egress, url, find);
    const length = String(Buffer.byteLength(body));
    const sent = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': length },
      lookup,
      signal,
      agent: false,
    });
    sent.once('response', (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
      response.destroy();
    });
    sent.on('error', (error) => reject(signal.aborted ? noAnswer(timeoutMs) : error));
    sent.once('close', () => reject(new Error('closed without an answer')));
    sent.end(body);
  });
}

function noAnswer(timeoutMs: number): Error {
  return new Error(`no answer for ${timeoutMs} ms`);
}
