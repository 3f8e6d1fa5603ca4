import { SECOND } from '@escapement/core';

/** How long a client waits before it comes back. */
export const RETRY_MS = 2 * SECOND;

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html. JSON has no line break in it. */
export function eventOf(name: string, data: unknown, id?: number | string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
