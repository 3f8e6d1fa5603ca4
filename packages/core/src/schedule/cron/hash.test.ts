import { describe, expect, it } from 'vitest';
import { describeSchedule } from '../explain/describe.ts';
import { parseSchedule } from '../parse.ts';
import { hashTo } from './hash.ts';

const at = (expression: string, seed: string): string =>
  describeSchedule(parseSchedule({ kind: 'cron', expression, timeZone: 'UTC' }, { seed }));

describe('H', () => {
  it('spreads names evenly, and each field by itself', () => {
    const minutes = new Map<number, number>();
    let same = 0;
    for (let n = 0; n < 6000; n++) {
      const minute = hashTo(`task-${n}`, 'minute', 60);
      minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
      if (minute % 24 === hashTo(`task-${n}`, 'hour', 24)) same++;
    }
    expect(minutes.size).toBe(60);
    expect(Math.max(...minutes.values())).toBeLessThan(150);
    expect(same).toBeLessThan(400);
  });

  it('is the same for the same name for ever', () => {
    expect(at('H H * * *', 'backup')).toBe('at 16:20 every day');
    expect(at('H/15 * * * *', 'backup')).toBe('every 15 minutes starting at minute 5');
    expect(at('H(0-29) H(9-16) * * 1-5', 'backup')).toBe('at 09:20 on Monday to Friday');
  });

  it('stays within its range, and on days that every month has', () => {
    for (let n = 0; n < 500; n++) {
      const [, hour] = /at (\d\d):/.exec(at('0 H(9-16) * * *', `task-${n}`)) ?? [];
      expect(Number(hour)).toBeGreaterThanOrEqual(9);
      expect(Number(hour)).toBeLessThanOrEqual(16);
      const [, day] = /day (\d+)/.exec(at('0 0 H * *', `task-${n}`)) ?? [];
      expect(Number(day)).toBeLessThanOrEqual(28);
    }
  });
});
