import { defineTask, every, MINUTE } from '@escapement/sdk';

export default defineTask({ name: 'fresh', schedule: every(60 * MINUTE), overlap: 'allow', run: () => 'version two' });
