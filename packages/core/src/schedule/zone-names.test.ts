import { afterEach, describe, expect, it, vi } from 'vitest';
import { nearestZone } from './zone-names.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the suggestion for an unknown zone', () => {
  it.each([
    ['Europe/Berln', 'Europe/Berlin'],
    ['Berlin', 'Europe/Berlin'],
    ['asia/berlin', 'Europe/Berlin'],
    ['Los Angeles', 'America/Los_Angeles'],
    ['Kyiv', 'Europe/Kyiv'],
    ['America/Kolkata', 'Asia/Kolkata'],
    ['Mars/Olympus_Mons', undefined],
  ])('%s: %s', (name, meant) => {
    expect(nearestZone(name)).toBe(meant);
  });

  it('asks Intl nothing, however many names are wrong', () => {
    nearestZone('Europe/Berln');
    const asked = vi.spyOn(Intl, 'DateTimeFormat');
    const listed = vi.spyOn(Intl, 'supportedValuesOf');
    for (let n = 0; n < 175; n++) nearestZone(`America/Argentina/Nowhere_${n}`);
    expect(asked).not.toHaveBeenCalled();
    expect(listed).not.toHaveBeenCalled();
  });
});
