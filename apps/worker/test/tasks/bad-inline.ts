import { defineTask } from '@escapement/sdk';
import { misbehave } from './lib/misbehave.ts';

export default defineTask({ name: 'bad-inline', timeoutMs: 60_000, isolation: 'inline', run: misbehave });
