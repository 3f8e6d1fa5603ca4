import { SECOND } from '@escapement/core';
import type { Member, Role } from '../fleet.ts';
import { busyWorker, during, type Fault, nowMs } from './fault.ts';

/** For two leases a worker reaches one of its servers, and not the other. Nobody is told: bytes vanish. */
function cut(from: 'redis' | 'postgres', title: string): Fault {
  return {
    name: `worker-cut-from-${from}`,
    title: `worker cut off from ${title} only`,
    async inject(scene) {
      const victim = await busyWorker(scene);
      const held = await scene.ledger.activeOn(victim.instance);
      const link = victim[from];
      const injury = await during(
        2 * scene.leaseMs,
        () => link.hole(),
        () => link.pass(),
      );
      const excusedMs = injury.fromMs + scene.leaseMs;
      return { ...injury, excusedMs, detail: `${victim.name}, it held ${held.length} runs, ${injury.detail}` };
    },
  };
}

export const cutFromRedis = cut('redis', 'Redis');
export const cutFromPostgres = cut('postgres', 'Postgres');

const STATEMENTS: readonly { name: string; title: string; role: Role; statement: string }[] = [
  { name: 'commit', title: 'commit', role: 'worker', statement: 'settle_runs' },
  { name: 'begin', title: 'begin', role: 'worker', statement: 'begin_runs' },
  { name: 'plan', title: 'claim', role: 'scheduler', statement: 'plan_runs' },
];

/** The statement was carried out, its answer never arrived: it must be asked again, and nothing done twice (I8). */
export const repliesLost: readonly Fault[] = STATEMENTS.map(({ name, title, role, statement }) => ({
  name: `${name}-reply-lost`,
  title: `reply to a ${title} lost`,
  async inject(scene) {
    const victim: Member = scene.random.pick(scene.fleet.alive(role));
    await within(20 * SECOND, victim.postgres.loseReply(statement), `${victim.name} sent no ${statement}`);
    const fromMs = nowMs();
    return { fromMs, healedMs: fromMs, repeated: [`${statement} of ${victim.name}`], detail: victim.name };
  },
}));

async function within(ms: number, happening: Promise<unknown>, otherwise: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${otherwise} for ${ms} ms`)), ms);
  });
  await Promise.race([happening, late]);
  clearTimeout(timer);
}
