import { storableText } from '@escapement/core';

/** What a secret becomes in a log. */
const MASK = '***';

/** Shorter values are not masked: replacing every "1" would destroy the log and tell the secret by its gaps. */
const MIN_SECRET_LENGTH = 4;

/** Takes text piece by piece and gives it back with the secrets masked, also where one is split between pieces. */
export interface Masker {
  /** The part of what came so far that can no longer belong to a secret. */
  push(text: string): string;
  /** The rest. */
  end(): string;
}

/** A masker for these values and the forms in which programs print them. */
export function createMasker(secrets: Iterable<string>): Masker {
  const patterns = patternsOf(secrets);
  if (patterns.length === 0) return { push: (text) => text, end: () => '' };
  let held = '';
  /** So many characters of `held` belong to a secret whose mask is already printed. */
  let masked = 0;
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
    end() {
      const output = render(held, { spans: spansOf(held, patterns, masked), from: masked, to: held.length });
      held = '';
      masked = 0;
      return output;
    },
  };
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

/** A secret as it is, as a JSON or URL part, in base64, and line by line (programs print keys so). */
function patternsOf(secrets: Iterable<string>): string[] {
  const patterns = new Set<string>();
  for (const secret of secrets) {
    const lines = secret.includes('\n') ? secret.split(/\r?\n/).filter((line) => line.length >= 8) : [];
    for (const value of [secret, secret.trim(), ...lines]) {
      if (value.length < MIN_SECRET_LENGTH) continue;
      patterns.add(value);
      patterns.add(JSON.stringify(value).slice(1, -1));
      patterns.add(encodeURIComponent(storableText(value)));
      patterns.add(Buffer.from(value).toString('base64'));
    }
  }
  return [...patterns];
}
