import { defineTask } from '@escapement/sdk';
import { misbehave } from './lib/misbehave.ts';

export default defineTask({ name: 'endless', timeoutMs: 8000, run: misbehave });
