import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { OutgoingRequest } from './request.ts';

/** The head of an answer. */
export interface Answer {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  /** Its body was longer than is read. */
  isCut: boolean;
}

/** How far an exchange got: what it was waiting for when it ended. */
export type Phase = 'connecting' | 'waiting for the answer' | 'reading the answer';

export interface ExchangeWatch {
  /** Finds the address to connect to: one that is open to requests. */
  lookup: LookupFunction;
  signal: AbortSignal;
  /** So much of the body is read; then the connection is closed. Bytes. */
  maxBodyBytes: number;
  onPhase: (phase: Phase) => void;
  onAnswer: (answer: Answer) => void;
  onBody: (bytes: Buffer) => void;
}

/**
 * Sends a request and reads its answer to the end or to the limit; what is read is handed on, nothing is kept.
 * Each on a connection of its own: a kept one may be closed by the server in the moment of its use.
 * Not `fetch`, which gives up after 300 s of silence whatever the task's time limit says.
 */
export function exchange(request: OutgoingRequest, watch: ExchangeWatch): Promise<Answer> {
  const send = request.url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const { method, headers } = request;
    const sent = send(request.url, { method, headers, signal: watch.signal, lookup: watch.lookup, agent: false });
    watch.onPhase('connecting');
    sent.once('socket', (socket) => {
      const ready = request.url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(ready, () => watch.onPhase('waiting for the answer'));
    });
    sent.once('response', (response) => {
      const { statusCode: status = 0, statusMessage: statusText = '' } = response;
      const answer = { status, statusText, headers: response.headers, isCut: false };
      watch.onPhase('reading the answer');
      watch.onAnswer(answer);
      let bytesLeft = watch.maxBodyBytes;
      response.on('data', (bytes: Buffer) => {
        watch.onBody(bytes.subarray(0, bytesLeft));
        bytesLeft -= Math.min(bytes.length, bytesLeft);
        if (bytesLeft > 0) return;
        resolve({ ...answer, isCut: true });
        response.destroy();
      });
      response.on('error', reject);
      response.once('end', () => resolve(answer));
    });
    sent.once('error', reject);
    // Nothing else is told of a connection that ends with neither an answer nor an error.
    sent.once('close', () => reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' })));
    sent.end(request.body);
  });
}
