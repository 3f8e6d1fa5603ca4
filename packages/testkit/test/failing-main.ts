import { systemClock } from '@escapement/core';
import { answer, createCounter } from './failing-work.ts';

const counter = createCounter();
// Says a line each time it is through, and what its clock says.
setInterval(async () => {
  try {
    process.stdout.write(`${await answer()} ${await counter.count()}\n`);
  } catch (error) {
    process.stdout.write(`failed: ${error instanceof Error ? error.message : error}\n`);
  }
}, 20);
setInterval(() => process.stdout.write(`clock ${systemClock.now().toISOString()}\n`), 50);
