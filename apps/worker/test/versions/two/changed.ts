import { defineTask, every, MINUTE } from '@escapement/sdk';

export default defineTask({
  name: 'changed',
  schedule: every(30 * MINUTE),
  overlap: 'allow',
  run: () => 'version two',
});
