// As much of SVG as the pictures of the documents need. They have a ground of their own: they are shown on light and dark pages.

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Words {
  x: number;
  words: string;
  colour?: string | undefined;
}

const INK = '#1f2328';
const LINE = '#8c959f';
const FONT = 'system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif';

export function picture(
  { width, height, title }: { width: number; height: number; title: string },
  parts: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}" font-family="${FONT}" font-size="14">
<title>${title}</title>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="${LINE}"/></marker></defs>
<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>
${parts.join('\n')}
</svg>
`;
}

/** A box with a heading and lines below it. */
export function box({ x, y, width, height }: Area, heading: string, lines: readonly string[]): string {
  const frame = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="#f6f8fa" stroke="${LINE}"/>`;
  const words = lines.map((line, index) => text({ x: x + 16, y: y + 50 + index * 20, colour: '#57606a' }, line));
  return [frame, text({ x: x + 16, y: y + 26, weight: 600 }, heading), ...words].join('\n');
}

export function text(
  {
    x,
    y,
    colour = INK,
    weight = 400,
    anchor = 'start',
  }: { x: number; y: number; colour?: string; weight?: number; anchor?: string },
  words: string,
): string {
  return `<text x="${x}" y="${y}" fill="${colour}" font-weight="${weight}" text-anchor="${anchor}">${words}</text>`;
}

type Point = readonly [x: number, y: number];

/** A line with a head, and a word beside its middle. */
export function arrow([x1, y1]: Point, [x2, y2]: Point, word: string): string {
  const isLevel = y1 === y2;
  const beside = isLevel ? { x: (x1 + x2) / 2, y: y1 - 8, anchor: 'middle' } : { x: x1 + 10, y: (y1 + y2) / 2 + 5 };
  const line = `<path d="M${x1} ${y1} L${x2} ${y2}" stroke="${LINE}" stroke-width="1.5" marker-end="url(#head)"/>`;
  return [line, text({ ...beside, colour: '#57606a' }, word)].join('\n');
}

/** Words side by side, as in a line of a table. */
export function row(y: number, cells: readonly Words[]): string {
  return cells.map(({ x, words, colour = INK }) => text({ x, y, colour }, words)).join('\n');
}
