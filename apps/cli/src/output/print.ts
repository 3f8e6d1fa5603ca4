import { visible, visibleJson } from '@escapement/core';
import { withoutPayloads } from '@escapement/core/rights';
import { type Column, fitTable } from './table.ts';

export type Format = 'table' | 'json';

/**
 * Where a command writes: results to standard output, what is about them to standard error. What a terminal would act on
 * (escape sequences in what tasks print) is made visible there; pipes and files get it as it is.
 */
export interface Output {
  /** How results are written; settled once the command line is read. */
  format: Format;
  /** Writes a result: as JSON, or as the lines that `lines` makes of it. */
  result(value: unknown, lines: () => readonly string[]): void;
  /** Rows as a table; `json` is what they are with `-o json`. */
  table<Row>(json: unknown, rows: readonly Row[], columns: readonly Column<Row>[]): void;
  /** Plain text to standard output. */
  text(text: string): void;
  /** The same as it is, also where a terminal would act on it. */
  raw(text: string): void;
  /** A remark to standard error. */
  note(text: string): void;
  /** From now on results are written without payloads, outputs and progress. */
  hidePayloads(): void;
  /** A value as it may be shown. */
  shown<Value>(value: Value): Value;
  /** Tables are as wide as what is in them, also where the terminal is narrower. */
  wide: boolean;
  /** Width that a table may have; undefined: any. */
  readonly width: number | undefined;
  /** Whether somebody looks on: a terminal. */
  readonly isTerminal: boolean;
}

export interface Streams {
  stdout: { write(text: string): unknown; columns?: number; isTTY?: boolean };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}

export function createOutput({ stdout, stderr }: Streams): Output {
  const shown = (text: string, { isTTY }: { isTTY?: boolean }) => (isTTY ? visible(text) : text);
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) stdout.write(shown(`${lines.join('\n')}\n`, stdout));
  };
  const printJson = (json: string) => stdout.write(`${stdout.isTTY ? visibleJson(json) : json}\n`);
  let hides = false;
  const output: Output = {
    format: 'table',
    wide: false,
    isTerminal: stdout.columns !== undefined,
    hidePayloads() {
      hides = true;
    },
    shown: (value) => (hides ? withoutPayloads(value) : value),
    result(value, lines) {
      if (output.format === 'json') printJson(toJson(output.shown(value)));
      else print(lines());
    },
    table(json, rows, columns) {
      output.result(json, () => {
        const { lines, leftOut } = fitTable(rows, columns, output.width);
        if (leftOut.length > 0) output.note(`left out on this terminal: ${leftOut.join(', ')} (--wide shows all)`);
        return lines;
      });
    },
    text: (text) => void stdout.write(shown(text, stdout)),
    raw: (text) => void stdout.write(text),
    note: (text) => void stderr.write(shown(`${text}\n`, stderr)),
    get width() {
      return output.wide ? undefined : stdout.columns;
    },
  };
  return output;
}

/** Dates are ISO 8601; counters that may exceed a double are decimal strings. */
export function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? each.toString() : each), indent);
}
