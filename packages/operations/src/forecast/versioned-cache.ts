import { createHash } from 'node:crypto';

/** Answers that were made, kept as long as nothing has changed that they were made from. */
export interface VersionedCache<Of, Asked, Answer> {
  /** Asked twice at once, it is made once. */
  read(of: Of, asked: Asked): Promise<Answer>;
}

interface VersionedOptions<Of, Asked, Answer> {
  /** All that an answer is made from, but for what is asked. Asked each time, so an answer is as right as a new one, whoever has changed something. */
  versionOf: (of: Of, asked: Asked) => Promise<unknown>;
  make: (of: Of, asked: Asked) => Promise<Answer>;
  /** Tells what is asked from other questions. */
  nameOf: (of: Of, asked: Asked) => unknown;
  /** So many answers are kept. */
  kept: number;
}

export function createVersionedCache<Of, Asked, Answer>(
  options: VersionedOptions<Of, Asked, Answer>,
): VersionedCache<Of, Asked, Answer> {
  const { versionOf, make, nameOf, kept } = options;
  const made = new Map<string, Promise<Answer>>();
  const placeOf = async (of: Of, asked: Asked) =>
    createHash('sha256')
      .update(JSON.stringify([nameOf(of, asked), await versionOf(of, asked)]))
      .digest('base64url');

  return {
    async read(of, asked) {
      const place = await placeOf(of, asked);
      const known = made.get(place);
      const answer = known ?? make(of, asked);
      // The last used is the last to go.
      made.delete(place);
      made.set(place, answer);
      try {
        const found = await answer;
        // What changed while it was made may be in it, in part.
        if (!known && (await placeOf(of, asked)) !== place) made.delete(place);
        return found;
      } catch (error) {
        made.delete(place);
        throw error;
      } finally {
        const [oldest] = made.keys();
        if (made.size > kept && oldest !== undefined) made.delete(oldest);
      }
    },
  };
}
