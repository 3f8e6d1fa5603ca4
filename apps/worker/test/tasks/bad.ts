import { defineTask } from '@escapement/sdk';
import { misbehave } from './lib/misbehave.ts';

export default defineTask({ name: 'bad', timeoutMs: 8000, memoryLimitMb: 64, run: misbehave });
