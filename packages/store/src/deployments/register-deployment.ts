import { type Database, query } from '../postgres/database.ts';

/** The tasks in the code of a worker. */
export interface DeploymentInfo {
  /** Whose code it is. Deployments of one application follow one another; those of several stand side by side. */
  app: string;
  /** What people call this version of it. */
  release: string | null;
  /** Of all that is here: the same code is the same deployment on every worker. */
  fingerprint: string;
  /** Every module could be loaded: what is not in `tasks` is not in the code. */
  whole: boolean;
  /** Name of each task, with the fingerprint of its definition. */
  tasks: Readonly<Record<string, string>>;
}

/** Notes a deployment, and returns its id: the later one was seen first, the larger. */
export async function registerDeployment(db: Database, deployment: DeploymentInfo): Promise<string> {
  const [row] = await query<{ id: string }>(
    db.pool,
    'register_deployment',
    `INSERT INTO deployment (namespace, app, release, fingerprint, whole, tasks) VALUES ($1, $2, $3, $4, $5, $6::jsonb)
     ON CONFLICT (namespace, app, fingerprint) DO UPDATE SET last_seen_at = now()
     RETURNING id::text`,
    [
      db.namespace,
      deployment.app,
      deployment.release,
      deployment.fingerprint,
      deployment.whole,
      JSON.stringify(deployment.tasks),
    ],
  );
  if (!row) throw new Error('the deployment was not written');
  return row.id;
}
