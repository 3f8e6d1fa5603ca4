/** A name in which each `*` stands for any characters, also for none. */
export interface Glob {
  text: string;
  /** What stands between the stars. */
  parts: readonly string[];
}

export function globOf(text: string): Glob {
  return { text, parts: text.split('*') };
}

/** In one pass: a regular expression with many stars could take long. */
export function matchesGlob({ parts }: Glob, name: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
