import { DIALECTS, FIELDS, type Field } from './field.ts';
import { backwards, type Place, readStep, readValue } from './item.ts';

/** FNV-1a, 32 bits: stable for ever, on every machine. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // The low bits of FNV follow the last characters; task names often differ only there.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return hash >>> 0;
}

/** A number in [0, count) that is the same for the same seed and purpose. */
export function hashTo(seed: string, purpose: string, count: number): number {
  return hash32(`${purpose}:${seed}`) % count;
}

const HASH = /^(\+?)H(?:\((\d+)-(\d+)\))?(?:\/(\d+))?$/i;

/**
 * A unix expression with each H replaced by what it stands for: a value, or from a value on in steps.
 * Throws `ScheduleError` where a range or step of H cannot be.
 */
export function withoutHash(expression: string, seed: string): string {
  const fields = expression.trim().split(/\s+/);
  const names = FIELDS.slice(fields.length === 5 ? 1 : 0);
  const dialect = DIALECTS.unix;
  return fields
    .map((text, index) => {
      const field = dialect.fields[names[index] ?? 'year'];
      if (field.name === 'year') return text;
      return text
        .split(',')
        .map((member) => hashedMember(member, seed, { field, dialect }))
        .join(',');
    })
    .join(' ');
}

function hashedMember(member: string, seed: string, place: Place): string {
  const match = HASH.exec(member);
  if (!match) return member;
  const { field } = place;
  const [, plus = '', low, high, stepText] = match;
  const min = low === undefined ? field.min : readValue(low, member, place);
  const max = high === undefined ? highest(field) : readValue(high, member, place);
  if (max < min) throw backwards(member, place);
  const step = stepText === undefined ? undefined : readStep(stepText, member, place);
  const first = min + hashTo(seed, field.name, Math.min(step ?? Number.POSITIVE_INFINITY, max - min + 1));
  return plus + (step === undefined ? String(first) : `${first}-${max}/${step}`);
}

/** A hashed day of month is one that every month has. */
function highest(field: Field): number {
  if (field.name === 'dayOfMonth') return 28;
  return field.name === 'dayOfWeek' ? field.min + 6 : field.max;
}
