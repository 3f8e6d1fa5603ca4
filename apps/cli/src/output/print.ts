import { type Column, tableLines } from './table.ts';

export type Format = 'table' | 'json';

/** Where a command writes: results to standard output, what is about them to standard error. */
export interface Output {
  /** How results are written; settled once the command line is read. */
  format: Format;
  /** Writes a result: as JSON, or as the lines that `lines` makes of it. */
  result(value: unknown, lines: () => readonly string[]): void;
  /** Rows as a table; `json` is what they are with `-o json`. */
  table<Row>(json: unknown, rows: readonly Row[], columns: readonly Column<Row>[]): void;
  /** Plain text to standard output, as it is. */
  text(text: string): void;
  /** A remark to standard error. */
  note(text: string): void;
  /** Width of the terminal; undefined: it is none. */
  readonly width: number | undefined;
}

export interface Streams {
  stdout: { write(text: string): unknown; columns?: number };
  stderr: { write(text: string): unknown };
}

export function createOutput({ stdout, stderr }: Streams): Output {
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
  };
  const output: Output = {
    format: 'table',
    result(value, lines) {
      print(output.format === 'json' ? [toJson(value)] : lines());
    },
    table(json, rows, columns) {
      output.result(json, () => tableLines(rows, columns, output.width));
    },
    text: (text) => void stdout.write(text),
    note: (text) => void stderr.write(`${text}\n`),
    get width() {
      return stdout.columns;
    },
  };
  return output;
}

/** Dates are ISO 8601; counters that may exceed a double are decimal strings. */
export function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? each.toString() : each), indent);
}
