import { formsOf } from './secret-forms.ts';
import { MASK } from './secret-name.ts';

/** What is left of a secret where a text was cut off is masked from this length on. */
const MIN_CUT_LENGTH = 6;

/** Takes text piece by piece and gives it back with the secrets masked, also where one is split between pieces. */
export interface Masker {
  /** The part of what came so far that can no longer belong to a secret. */
  push(text: string): string;
  /** The rest. */
  end(): string;
  /** The rest of a text that is cut off here: the start of a secret, where it ends in one, is masked too. */
  cut(): string;
}

/** A masker for these values and the forms in which programs print them. An array must not change. */
export function createMasker(secrets: Iterable<string>): Masker {
  return maskerOf(Array.isArray(secrets) ? knownForms(secrets) : formsOf(secrets));
}

/** Those of a worker's own secrets are asked for with each text. */
const known = new WeakMap<readonly string[], readonly string[]>();

function knownForms(secrets: readonly string[]): readonly string[] {
  const forms = known.get(secrets) ?? formsOf(secrets);
  known.set(secrets, forms);
  return forms;
}

function maskerOf(patterns: readonly string[]): Masker {
  if (patterns.length === 0) return { push: (text) => text, end: () => '', cut: () => '' };
  let held = '';
  /** So many characters of `held` belong to a secret whose mask is already printed. */
  let masked = 0;
  function end(): string {
    const output = render(held, { spans: spansOf(held, patterns, masked), from: masked, to: held.length });
    held = '';
    masked = 0;
    return output;
  }
  return {
    push(text) {
      const buffer = held + text;
      const safe = buffer.length - longestOpenPrefix(buffer, patterns);
      const spans = spansOf(buffer, patterns, masked);
      const cut = spans.find((span) => span.start < safe && span.end > safe);
      const output = render(buffer, { spans, from: masked, to: safe });
      masked = cut ? cut.end - safe : Math.max(0, masked - safe);
      held = buffer.slice(safe);
      return output;
    },
    end,
    cut() {
      const rest = end();
      return rest.length < MIN_CUT_LENGTH ? rest : MASK;
    },
  };
}

/** A whole text with these values masked, and what is left of one before an `…`. */
export function maskWith(secrets: readonly string[], text: string): string {
  if (secrets.length === 0) return text;
  const masker = createMasker(secrets);
  const [last = '', ...cut] = (masker.push(text) + masker.end()).split('…').reverse();
  return [...cut.reverse().map((part) => masker.push(part) + masker.cut()), last].join('…');
}

interface Span {
  start: number;
  end: number;
}

/** Where secrets lie, in order; overlapping ones are joined, so that no part of the second shows. */
function spansOf(buffer: string, patterns: readonly string[], masked: number): Span[] {
  const found: Span[] = masked > 0 ? [{ start: 0, end: masked }] : [];
  for (const pattern of patterns)
    for (let at = buffer.indexOf(pattern); at !== -1; at = buffer.indexOf(pattern, at + 1))
      found.push({ start: at, end: at + pattern.length });
  found.sort((a, b) => a.start - b.start);
  const joined: Span[] = [];
  for (const span of found) {
    const last = joined.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else joined.push({ ...span });
  }
  return joined;
}

function render(buffer: string, part: { spans: readonly Span[]; from: number; to: number }): string {
  let output = '';
  let at = 0;
  for (const { start, end } of part.spans) {
    if (start >= part.to) break;
    output += buffer.slice(at, start);
    // A span at 0 with a masked beginning goes on from the last piece, where its mask was printed.
    if (start > 0 || part.from === 0) output += MASK;
    at = end;
  }
  return at < part.to ? output + buffer.slice(at, part.to) : output;
}

/** Length of the longest end of `buffer` with which some pattern begins. */
function longestOpenPrefix(buffer: string, patterns: readonly string[]): number {
  let longest = 0;
  for (const pattern of patterns) {
    const first = pattern.charAt(0);
    const from = Math.max(0, buffer.length - pattern.length + 1);
    for (let at = buffer.indexOf(first, from); at !== -1; at = buffer.indexOf(first, at + 1)) {
      if (!pattern.startsWith(buffer.slice(at))) continue;
      longest = Math.max(longest, buffer.length - at);
      break;
    }
  }
  return longest;
}
