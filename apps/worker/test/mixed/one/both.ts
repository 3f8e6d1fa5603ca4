import { defineTask } from '@escapement/sdk';

export default defineTask({ name: 'both', overlap: 'allow', run: () => 'one' });
