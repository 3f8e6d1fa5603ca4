import { defineTask } from '@escapement/sdk';
import double from './double.ts';

function* items() {
  for (let n = 0; n < 400; n++) yield { n };
}

export default defineTask({
  name: 'double-all',
  async run(_, ctx) {
    const batch = await ctx.fanOut(double, items(), { concurrency: 20 });
    const outputs: (number | undefined)[] = [];
    for await (const { output } of batch.results()) outputs.push(output?.twice);
    return { attempt: ctx.run.attempt, outputs };
  },
});
