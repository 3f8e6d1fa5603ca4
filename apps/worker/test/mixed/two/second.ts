import { defineTask } from '@escapement/sdk';

export default defineTask({ name: 'second', key: 'shared', overlap: 'wait-all', run: () => 'two' });
