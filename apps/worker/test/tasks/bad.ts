import { defineTask } from '@escapement/sdk';
import { misbehave } from './lib/misbehave.ts';

export default defineTask({ name: 'bad', timeoutMs: 60_000, memoryLimitMb: 64, run: misbehave });
