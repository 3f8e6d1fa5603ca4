import { badHeader } from './bad-header.ts';
import type { RequestContext, TextAnswer } from './route.ts';

/** Server-sent events as an answer. */
export function eventAnswer(
  text: AsyncIterable<string | Buffer>,
  { header }: Pick<RequestContext, 'header'>,
): TextAnswer {
  // A proxy that gathers an answer would keep events from their reader.
  header('x-accel-buffering', 'no');
  return { contentType: 'text/event-stream; charset=utf-8', text };
}

/** What `Last-Event-ID` says, by a pattern of all of it; null: it is not there. Throws `ProblemError` (`bad_request`). */
export function lastEventId(
  { headers: { 'last-event-id': given } }: Pick<RequestContext, 'headers'>,
  pattern: RegExp,
): RegExpExecArray | null {
  if (given === undefined || given === '') return null;
  const read = pattern.exec(String(given));
  if (read) return read;
  const message = 'expected the id of an event as it was told';
  throw badHeader('Last-Event-ID', { detail: 'Last-Event-ID is no place of this stream', message });
}
