import { defineTask } from '@escapement/sdk';

export default defineTask({ name: 'first', key: 'shared', overlap: 'wait-all', run: () => 'one' });
