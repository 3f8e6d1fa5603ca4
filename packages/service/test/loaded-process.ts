import { getHeapSpaceStatistics } from 'node:v8';
import { loadProgram } from '@escapement/service/environment';

// What is made and kept for a while makes the young generation grow, unless it is made while a program is loaded.
const before = youngBytes();
const kept = [await loadProgram(async () => work())];
const loaded = youngBytes();
kept.push(work());
process.stdout.write(
  `${JSON.stringify({ loaded: loaded / before, worked: youngBytes() / before, kept: kept.length })}\n`,
);

function work(): string[][] {
  return Array.from({ length: 200_000 }, (_, index) => [`${index}`]);
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
