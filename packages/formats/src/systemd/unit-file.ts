import { cannotSay } from '../translated/translated.ts';

/** A unit and its drop-ins, as `systemd.syntax(7)` reads them. */
export class Unit {
  private readonly values = new Map<string, string[]>();
  private readonly written = new Map<string, string>();

  /** Throws `cannot_say` for what systemd would not read either. */
  constructor(texts: readonly { path: string; text: string }[]) {
    for (const { path, text } of texts) this.read(path, text);
  }

  private read(path: string, text: string): void {
    let section = '';
    for (const { line, number } of logicalLines(text)) {
      const [, name] = /^\[([^\]]*)\]$/.exec(line) ?? [];
      const [, key, value = ''] = /^([A-Za-z][A-Za-z0-9_-]*)\s*=\s*(.*)$/s.exec(line) ?? [];
      if (name !== undefined) section = name;
      else if (key === undefined || section === '')
        throw cannotSay(
          `${path}, line ${number}: "${line.slice(0, 60)}" is no line of a unit`,
          'a unit has [Section] lines, and Key=value below them',
        );
      else this.set(section, key, value.trim());
    }
  }

  private set(section: string, key: string, value: string): void {
    const place = `${section}.${key}`;
    this.written.set(place, key);
    // An empty value forgets what was said before.
    this.values.set(place, value === '' ? [] : [...(this.values.get(place) ?? []), value]);
  }

  /** All values of a key, in their order. */
  all(section: string, key: string): readonly string[] {
    return this.values.get(`${section}.${key}`) ?? [];
  }

  /** The last value of a key; undefined: it has none. */
  last(section: string, key: string): string | undefined {
    return this.all(section, key).at(-1);
  }

  /** Throws `cannot_say`. */
  flag(section: string, key: string): boolean {
    const value = this.last(section, key);
    if (value === undefined || /^(0|no|n|false|f|off)$/i.test(value)) return false;
    if (/^(1|yes|y|true|t|on)$/i.test(value)) return true;
    throw cannotSay(`${key}=${value} is neither yes nor no`, 'correct it in the unit');
  }

  /** The keys of a section that have a value. */
  keys(section: string): string[] {
    return [...this.written].flatMap(([place, key]) =>
      place === `${section}.${key}` && this.all(section, key).length > 0 ? [key] : [],
    );
  }
}

/** Lines without comments, with those that go on after a backslash as one. */
function logicalLines(text: string): { line: string; number: number }[] {
  const lines: { line: string; number: number }[] = [];
  let open: { line: string; number: number } | undefined;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    // A comment in the midst of a line that goes on is left out too.
    if (/^[#;]/.test(line) || (line === '' && !open)) continue;
    const goesOn = line.endsWith('\\');
    const part = goesOn ? `${line.slice(0, -1)} ` : line;
    const whole = open ? { ...open, line: open.line + part } : { line: part, number: index + 1 };
    if (goesOn) open = whole;
    else {
      lines.push(whole);
      open = undefined;
    }
  }
  return open ? [...lines, open] : lines;
}
