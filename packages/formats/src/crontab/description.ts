import { splitSchedule } from './fields.ts';

/** What core admits as a description. */
const MAX_CHARACTERS = 4096;

/**
 * Collects the comments directly above a schedule line, as its description. A blank line, an empty comment, the usual
 * header (`# m h dom mon dow command`) and a schedule line that is commented out end what stands above them: that
 * speaks of something else. Frames and drawings are left out.
 */
export class Description {
  private lines: string[] = [];

  comment(text: string): void {
    const words = text.replace(/^[\s#]+/, '').trimEnd();
    if (words === '' || isHeader(words) || isDisabledLine(words)) this.clear();
    else if (!isDrawing(words)) this.lines.push(words);
  }

  clear(): void {
    this.lines = [];
  }

  /** Undefined: there is none. A comment speaks of the first line below it only. */
  take(): string | undefined {
    const text = this.lines.join('\n').slice(0, MAX_CHARACTERS);
    this.clear();
    return text === '' ? undefined : text;
  }
}

function isHeader(words: string): boolean {
  return /^(m|min|mins|minute|minutes|mm)\b\W*(h|hh|hr|hour|hours)\b/i.test(words);
}

/** Signs alone, or the drawing that explains the five fields (`|  .------ hour (0 - 23)`). */
function isDrawing(words: string): boolean {
  return !/[\p{L}\p{N}]/u.test(words) || /^(?:[|│┌├└+]|\.-)/.test(words);
}

const FIELD = /^(?:\*|\d|[a-z]{3}(?![a-z]))[\w*,/-]*$/i;

function isDisabledLine(words: string): boolean {
  const split = splitSchedule(words);
  if (!split.ok || split.rest === '') return false;
  return split.schedule.startsWith('@') || split.schedule.split(' ').every((field) => FIELD.test(field));
}
