import { ApiAway, ApiProblem, problemOf } from '../problem.ts';

export interface StreamEvent {
  name: string;
  id: string | null;
  data: string;
}

/**
 * Server-sent events of a URL, from behind an event on: what `EventSource` cannot ask for at its first request. Ends when the server does.
 * Throws `ApiProblem`, `ApiAway`.
 */
export async function* streamEvents(
  url: string,
  { after, signal }: { after: string | null; signal: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const headers = { accept: 'text/event-stream', ...(after === null ? {} : { 'last-event-id': after }) };
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    throw new ApiAway(error);
  });
  if (!response.ok || response.body === null) throw new ApiProblem(await problemOf(response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = `${rest}${value}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

/** The event of a block of lines; null: it has none, as `retry:` has. */
export function eventIn(block: string): StreamEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
    }),
  );
  const name = fields.get('event');
  return name === undefined ? null : { name, id: fields.get('id') ?? null, data: fields.get('data') ?? '' };
}
