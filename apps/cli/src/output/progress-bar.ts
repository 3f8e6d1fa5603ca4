import { formatProgress, type Progress } from '@escapement/core';

const WIDTH = 20;

/** `[########------------] 8 of 20 (40%), copying`; without the bar where it is not said how much there is. */
export function progressBar(progress: Progress): string {
  const { done, total } = progress;
  const words = formatProgress(progress);
  if (total === null || total <= 0) return words;
  const filled = Math.floor(WIDTH * Math.min(1, Math.max(0, done / total)));
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${words}`;
}
