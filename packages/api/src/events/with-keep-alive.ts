import type { Deadlines } from './deadlines.ts';
import { eventOf } from './event-text.ts';

/** What a client is told next. */
export interface Step<Piece> {
  /** Text of events; null: there is nothing to tell it for now. */
  piece: Piece | null;
  /** The place after which it goes on, if it hears no more than this. Undefined: it stays where it is. */
  place?: number;
}

/** The pieces, and a keep-alive where nothing was sent for a while. Before each the token is asked for again, if that is due. */
export async function* withKeepAlive<Piece>(
  steps: AsyncIterable<Step<Piece>>,
  deadlines: Deadlines,
): AsyncGenerator<Piece | string> {
  for await (const { piece, place } of steps) {
    await deadlines.renewIfDue();
    if (piece === null && !deadlines.isSilent()) continue;
    yield piece ?? eventOf('keep-alive', {}, place);
    // Not before: only now the client has taken it.
    deadlines.sent();
  }
}
