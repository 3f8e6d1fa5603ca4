import { type Draft, partOf, withPart } from '../edit/draft.ts';

/** What the API shows in the place of a secret, or of the path of a URL. */
const MASK = '***';
/** Fields of receivers in which the API hides something. */
const SECRETS = ['url', 'routingKey', 'token'] as const;

interface Revealed {
  document: Draft;
  /** Where something is hidden that cannot be told. */
  unknown: string[];
}

/** A document with what is hidden in it put back, from the one in force. `shown` is that one as the API shows it. */
export function revealed(typed: Draft, { shown, real }: { shown: Draft; real: Draft }): Revealed {
  const places = Object.keys(Object(typed.receivers)).flatMap((name) =>
    SECRETS.map((field) => ['receivers', name, field] as const),
  );
  const unknown: string[] = [];
  let document = typed;
  for (const place of places) {
    const value = partOf(typed, place);
    if (typeof value !== 'string' || !value.includes(MASK)) continue;
    const known = partOf(real, place);
    if (value === partOf(shown, place) && typeof known === 'string') document = withPart(document, place, known);
    else unknown.push(place.join('.'));
  }
  return { document, unknown };
}
