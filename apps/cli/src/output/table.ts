export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  /** Figures stand on the right. Default left. */
  align?: 'right';
  /** May be broken into several lines where the terminal is too narrow. At most one column. */
  wraps?: true;
}

const GAP = '  ';
const LEAST_WRAP_WIDTH = 24;

/** Lines of a table: titles, then rows. `width`: of the terminal in characters; undefined: lines may have any length. */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | undefined,
): string[] {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row))));
  const shown = columns.map((column, index) => ({ column, index }));
  const widths = shown.map(({ column, index }) =>
    Math.max(textWidth(column.title), ...cells.map((row) => textWidth(row[index] ?? ''))),
  );
  limitWrapped(widths, columns, width);
  const titles = columns.map(({ title }) => title);
  return [titles, ...cells].flatMap((row) => rowLines(row, columns, widths));
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ⏎ ').replace(/\t/g, ' ');
}

function limitWrapped<Row>(widths: number[], columns: readonly Column<Row>[], width: number | undefined): void {
  const index = columns.findIndex(({ wraps }) => wraps);
  if (index < 0 || width === undefined) return;
  const others = widths.reduce((sum, each, at) => (at === index ? sum : sum + each + GAP.length), 0);
  widths[index] = Math.min(widths[index] ?? 0, Math.max(LEAST_WRAP_WIDTH, width - others));
}

function rowLines<Row>(row: readonly string[], columns: readonly Column<Row>[], widths: readonly number[]): string[] {
  const parts = row.map((text, index) => (columns[index]?.wraps ? wrap(text, widths[index] ?? 0) : [text]));
  const height = Math.max(1, ...parts.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    parts
      .map((lines, index) => pad(lines[line] ?? '', widths[index] ?? 0, columns[index]?.align))
      .join(GAP)
      .trimEnd(),
  );
}

function pad(text: string, width: number, align: 'right' | undefined): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'right' ? space + text : text + space;
}

/** Breaks a text at blanks; a word that is too long is cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, width))) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pieces(word: string, width: number): string[] {
  if (textWidth(word) <= width) return [word];
  const signs = [...word];
  return Array.from({ length: Math.ceil(signs.length / width) }, (_, index) =>
    signs.slice(index * width, (index + 1) * width).join(''),
  );
}

const WIDE = /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u;

const PLAIN = /^[ -~]*$/;

/** Columns of a terminal that a text takes. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return [...text].reduce((sum, sign) => sum + (WIDE.test(sign) ? 2 : 1), 0);
}
