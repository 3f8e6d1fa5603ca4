export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  /** Figures stand on the right. Default left. */
  align?: 'right';
  /** May be broken into several lines where the terminal is too narrow. At most one column. */
  wraps?: true;
  /** Is never cut: somebody copies it. */
  whole?: true;
  /** Is left out where the terminal is too narrow: 1 first. Default: after those that say so, from the right. */
  spare?: number;
}

const GAP = '  ';
const LEAST_WRAP_WIDTH = 24;
/** Columns are cut to the first of these; where that is not enough some are left out, and then comes the next. */
const LEAST_WIDTHS = [20, 12, 4];
/** After all that are spare. */
const UNSPARED = 1000;

/** Lines of a table: titles, then rows. `width`: of the terminal in characters; undefined: lines may have any length. */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | undefined,
): string[] {
  return fitTable(rows, columns, width).lines;
}

/** The same, with the titles of the columns that had to be left out. */
export function fitTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | undefined,
): { lines: string[]; leftOut: string[] } {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row))));
  const wide = columns.map(({ title }, index) =>
    Math.max(textWidth(title), ...cells.map((row) => textWidth(row[index] ?? ''))),
  );
  const widths = width === undefined ? wide : fitWidths(columns, wide, width);
  const kept = <Each>(all: readonly Each[]) => all.filter((_, index) => widths[index] !== 0);
  const titles = columns.map(({ title }) => title);
  const lines = [titles, ...cells].flatMap((row) => rowLines(kept(row), kept(columns), kept(widths)));
  return { lines, leftOut: titles.filter((_, index) => widths[index] === 0) };
}

/** How wide each column is shown; 0: it is left out. */
function fitWidths<Row>(columns: readonly Column<Row>[], wide: readonly number[], width: number): number[] {
  const order = dropOrder(columns);
  let best = [...wide];
  for (const least of LEAST_WIDTHS)
    for (let dropped = 0; dropped <= order.length; dropped++) {
      const gone = new Set(order.slice(0, dropped));
      const kept = wide.map((each, index) => (gone.has(index) ? 0 : each));
      best = cutWidths(columns, kept, { width, least });
      if (totalOf(best) <= width) return best;
    }
  return best;
}

/** Spare columns as they say, and then the others from the right. The first stays. */
function dropOrder<Row>(columns: readonly Column<Row>[]): number[] {
  const places = columns
    .map((column, index) => ({ index, ...column }))
    .filter(({ index, whole }) => index > 0 && !whole);
  return places
    .toSorted((a, b) => (a.spare ?? UNSPARED) - (b.spare ?? UNSPARED) || b.index - a.index)
    .map(({ index }) => index);
}

/** Takes from the widest column, and again, until the line fits or nothing is left to take. */
function cutWidths<Row>(
  columns: readonly Column<Row>[],
  wide: readonly number[],
  { width, least }: { width: number; least: number },
): number[] {
  const floors = wide.map((each, index) => Math.min(each, floorOf(columns[index], each, least)));
  const widths = [...wide];
  for (let excess = totalOf(widths) - width; excess > 0; excess--) {
    const index = widest(widths, floors, columns);
    if (index < 0) break;
    widths[index] = (widths[index] ?? 0) - 1;
  }
  return widths;
}

function floorOf<Row>(column: Column<Row> | undefined, wide: number, least: number): number {
  if (column?.whole) return wide;
  return column?.wraps ? Math.max(least, Math.min(LEAST_WRAP_WIDTH, least * 2)) : least;
}

/** What wraps loses nothing when it becomes narrower, so it gives way first. */
function widest<Row>(widths: readonly number[], floors: readonly number[], columns: readonly Column<Row>[]): number {
  const room = (index: number) => (widths[index] ?? 0) > (floors[index] ?? 0);
  const wraps = columns.findIndex((column, index) => column.wraps && room(index));
  if (wraps >= 0) return wraps;
  let found = -1;
  for (const [index, each] of widths.entries()) if (room(index) && each > (widths[found] ?? 0)) found = index;
  return found;
}

function totalOf(widths: readonly number[]): number {
  const shown = widths.filter((each) => each > 0);
  return shown.reduce((sum, each) => sum + each, 0) + GAP.length * Math.max(0, shown.length - 1);
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ⏎ ').replace(/\t/g, ' ');
}

function rowLines<Row>(row: readonly string[], columns: readonly Column<Row>[], widths: readonly number[]): string[] {
  const parts = row.map((text, index) => (columns[index]?.wraps ? wrap : cutToOne)(text, widths[index] ?? 0));
  const height = Math.max(1, ...parts.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    parts
      .map((lines, index) => pad(lines[line] ?? '', widths[index] ?? 0, columns[index]?.align))
      .join(GAP)
      .trimEnd(),
  );
}

/** The text, or as much of it as fits, with a sign that there is more. */
export function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let taken = '';
  for (const sign of text) {
    if (textWidth(taken + sign) >= width) break;
    taken += sign;
  }
  return `${taken.trimEnd()}…`;
}

const cutToOne = (text: string, width: number): string[] => [cut(text, width)];

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
