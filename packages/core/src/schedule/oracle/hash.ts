import type { Fields } from './field.ts';

const NAMES = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'];
const LOWEST = [0, 0, 0, 1, 1, 0, 1970];
const HIGHEST = [59, 59, 23, 28, 12, 6, 2099];

/** The fields with H replaced by what it stands for: `H`, `H(0-29)`, `H/15`, `H(0-29)/10`. */
export function withoutHash(fields: Fields, seed: string): Fields {
  const [a, b, c, d, e, f, g] = fields.map((field, index) =>
    field.replace(/(?<![A-Z])H(?:\((\d+)-(\d+)\))?(?:\/(\d+))?(?![A-Z])/gi, (_, low, high, step) => {
      const min = Number(low ?? LOWEST[index]);
      const max = Number(high ?? HIGHEST[index]);
      const room = Math.min(max - min + 1, Number(step ?? Number.POSITIVE_INFINITY));
      const first = min + remainder(`${NAMES[index]}:${seed}`, room);
      return step === undefined ? String(first) : `${first}-${max}/${step}`;
    }),
  );
  return [a ?? '', b ?? '', c ?? '', d ?? '', e ?? '', f ?? '', g ?? ''];
}

/** FNV-1a over UTF-16 units and two rounds of mixing, in whole numbers of any size, as the definition reads. */
function remainder(text: string, divisor: number): number {
  const word = 2n ** 32n;
  let hash = 2_166_136_261n;
  for (let i = 0; i < text.length; i++) hash = ((hash ^ BigInt(text.charCodeAt(i))) * 16_777_619n) % word;
  hash = ((hash ^ (hash >> 16n)) * 2_246_822_507n) % word;
  hash ^= hash >> 13n;
  return Number(hash % BigInt(divisor));
}
