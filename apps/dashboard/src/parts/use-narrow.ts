import { useMediaQuery } from '@mantine/hooks';

/** Whether the screen is that of a telephone: as the styles have it. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 640px)', false, { getInitialValueInEffect: false });
}
