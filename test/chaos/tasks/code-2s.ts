import { defineTask, every } from '@escapement/sdk';

export default defineTask({
  name: 'code-2s',
  schedule: every(2_000, { phaseMs: 100 }),
  misfireThresholdMs: 60_000,
  async run(_payload, { run, signal }) {
    const response = await fetch(`${process.env.CHAOS_TARGET}/report?ms=80`, {
      method: 'POST',
      signal,
      headers: {
        'Escapement-Run-Id': run.id,
        'Escapement-Task': run.taskName,
        'Escapement-Attempt': String(run.attempt),
        'Escapement-Fence': String(run.fence),
      },
    });
    await response.text();
    return { status: response.status };
  },
});
