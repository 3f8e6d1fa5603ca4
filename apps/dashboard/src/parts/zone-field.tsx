import { Autocomplete } from '@mantine/core';
import { words } from '../words/index.ts';

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const MOST = 20;

/** A time zone, completed while one types. Which ones there are the server decides. */
export function ZoneField({ zone, onZone }: { zone: string; onZone: (zone: string) => void }) {
  return (
    <Autocomplete
      label={words.edit.timeZone}
      data={ZONES}
      limit={MOST}
      value={zone}
      onChange={onZone}
      required
      withScrollArea={false}
    />
  );
}
