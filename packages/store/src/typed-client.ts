import type { Database } from './database.ts';
import type { PrismaClient } from './generated/client.ts';

const clients = new WeakMap<Database, Promise<PrismaClient>>();

/**
 * Prisma's typed client over the database's own connections, for reads that nobody waits for by the thousand. Loaded
 * on first use: it costs 80 ms and 70 MB that schedulers and workers need not spend.
 */
export function typedClient(db: Database): Promise<PrismaClient> {
  const known = clients.get(db);
  if (known) return known;
  const opening = open(db);
  clients.set(db, opening);
  return opening;
}

async function open(db: Database): Promise<PrismaClient> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('./generated/client.ts'),
    import('@prisma/adapter-pg'),
  ]);
  return new PrismaClient({ adapter: new PrismaPg(db.pool, { disposeExternalPool: false }) });
}
