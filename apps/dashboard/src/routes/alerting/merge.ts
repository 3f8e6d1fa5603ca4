import { type Draft, edited, editsOf } from '../edit/draft.ts';

interface Merged {
  document: Draft;
  /** What others have changed since. */
  theirs: string[];
  /** Of that what was changed here as well. */
  both: string[];
}

/** A change put over the document that others have saved meanwhile. Rules go by their names, not by their places. */
export function merged({ from, mine, theirs }: { from: Draft; mine: Draft; theirs: Draft }): Merged {
  const all = [from, mine, theirs].map(byName);
  const [keyedFrom = from, keyedMine = mine, keyedTheirs = theirs] = all.every((each) => each !== null)
    ? all.map((each) => each ?? {})
    : [from, mine, theirs];
  const placesOf = (to: Draft) => [...new Set(editsOf(keyedFrom, to).map(placeOf))];
  const changed = placesOf(keyedTheirs);
  const own = new Set(placesOf(keyedMine));
  return {
    document: inPlaces(edited(keyedTheirs, editsOf(keyedFrom, keyedMine))),
    theirs: changed,
    both: changed.filter((place) => own.has(place)),
  };
}

/** A rule or a receiver, or all the routes. */
function placeOf(edit: ReturnType<typeof editsOf>[number]): string {
  return ('set' in edit ? edit.set : edit.unset).slice(0, 2).join('.');
}

/** Null: a rule has no name, or two have the same. */
function byName(document: Draft): Draft | null {
  const { rules } = document;
  if (!Array.isArray(rules)) return null;
  const names = rules.map((rule: unknown) => (Object(rule) as { name?: unknown }).name);
  const areNames = names.every((name) => typeof name === 'string' && name !== '');
  if (!areNames || new Set(names).size < names.length) return null;
  return { ...document, rules: Object.fromEntries(rules.map((rule: { name: string }) => [rule.name, rule])) };
}

function inPlaces(document: Draft): Draft {
  const { rules } = document;
  return Array.isArray(rules) ? document : { ...document, rules: Object.values(Object(rules)) };
}
