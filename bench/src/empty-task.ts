import { defineTask } from '@escapement/sdk';

export default defineTask({ name: 'empty', run: async () => undefined });
