/** Milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A duration in at most two units: `41 ms`, `3.2 s`, `4 min 05 s`, `2 h 10 min`, `3 d 4 h`. */
export function durationWords(ms: number): string {
  const span = Math.max(0, ms);
  if (span < SECOND) return `${Math.round(span)} ms`;
  if (span < 10 * SECOND) return `${(span / SECOND).toFixed(1)} s`;
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return twoUnits(span, { unit: MINUTE, name: 'min', smaller: SECOND, smallerName: 's' });
  if (span < DAY) return twoUnits(span, { unit: HOUR, name: 'h', smaller: MINUTE, smallerName: 'min' });
  return twoUnits(span, { unit: DAY, name: 'd', smaller: HOUR, smallerName: 'h' });
}

interface Units {
  unit: number;
  name: string;
  smaller: number;
  smallerName: string;
}

function twoUnits(span: number, { unit, name, smaller, smallerName }: Units): string {
  const whole = Math.floor(span / unit);
  const rest = Math.floor((span % unit) / smaller);
  if (rest === 0) return `${whole} ${name}`;
  return `${whole} ${name} ${smaller === HOUR ? rest : String(rest).padStart(2, '0')} ${smallerName}`;
}

/** A duration in one unit, for `ago` and `in`: `12 s`, `4 min`, `3 h`, `2 d`. */
export function roughly(ms: number): string {
  const span = Math.abs(ms);
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`;
  if (span < 2 * DAY) return `${Math.floor(span / HOUR)} h`;
  return `${Math.floor(span / DAY)} d`;
}
