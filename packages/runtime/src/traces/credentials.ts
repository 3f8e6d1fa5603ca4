import type { Environment } from '@escapement/service';

const HEADERS = /^OTEL_EXPORTER_OTLP(_[A-Z]+)?_HEADERS$/;
/** Too short to be one: it would be masked in many a word. */
const MIN_LENGTH = 4;

/** The values of the headers by which spans sign in at a collector, as in `authorization=Bearer%20x,x-key=y`. */
export function credentialsFrom(env: Environment): string[] {
  const lists = Object.entries(env).flatMap(([name, value]) => (HEADERS.test(name) && value ? [value] : []));
  return lists
    .flatMap((list) => list.split(','))
    .flatMap((pair) => {
      const value = pair.slice(pair.indexOf('=') + 1).trim();
      return [value, decoded(value)].flatMap((each) => [each, each.slice(each.lastIndexOf(' ') + 1)]);
    })
    .filter((value, index, all) => value.length >= MIN_LENGTH && all.indexOf(value) === index);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
