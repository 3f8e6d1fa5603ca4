import { CODE_NEED, type Need, needsCode, splitNeed } from './queue-name.ts';

/** Runs that no living worker can take. */
export interface Unserved {
  pool: string;
  need: Need;
  /** The application whose code it is; null: none is known. */
  app: string | null;
  /** Living workers of the pool, which lack what is needed. */
  workers: readonly string[];
  /** Of them, those that could take it, and are being drained. */
  drained: readonly string[];
  /** Living workers that have what is needed and serve other pools. */
  others: readonly { id: string; pools: readonly string[] }[];
}

/** What is missing, as a plain sentence. */
export function unservedReason({ pool, need, app, workers, drained }: Unserved): string {
  const { worker } = splitNeed(need);
  if (drained.length > 0)
    return `${drained.join(', ')} of the pool "${pool}" ${drained.length === 1 ? 'is' : 'are'} being drained, and no other worker can take it`;
  if (worker !== null)
    return `it belongs to worker ${worker}, and no living worker of the pool "${pool}" with that name can run it`;
  if (workers.length === 0) return `no worker of the pool "${pool}" is alive`;
  const only = workers.length === 1;
  const none = only ? `${workers[0]}, the one worker of` : `none of the ${workers.length} workers of`;
  if (!needsCode(need)) return `${none} the pool "${pool}"${only ? ', may not' : ' may'} use the shell`;
  return `${none} the pool "${pool}"${only ? ', does not have' : ' has'} ${codeWords(need, app)}`;
}

/** Without an application in its need, a run rests until a worker comes that has its very task. */
function codeWords(need: Need, app: string | null): string {
  if (app === null) return 'its code, and no application is known that had it';
  return isOfNoApp(need)
    ? `it in its code of ${app}: its module could not be loaded, or is gone`
    : `the code of ${app}`;
}

function isOfNoApp(need: Need): boolean {
  return splitNeed(need).ability === CODE_NEED;
}

/** What somebody can do who wants it to run, and who could run it. */
export function unservedAdvice({ pool, need, app, workers, others, drained }: Unserved): string {
  const able = others.map(({ id, pools }) => `${id} of ${pools.join(', ')}`).join('; ');
  const elsewhere = able === '' ? '' : `, or give the task a pool whose workers can (${able})`;
  const again = drained.length === 0 ? '' : `\`escapement workers resume ${drained[0]}\`, or `;
  const logs =
    app !== null && isOfNoApp(need) && workers.length > 0
      ? `see in the log of ${workers[0]} why the module could not be loaded, and correct it, or `
      : '';
  return `${again}${logs}start a worker with ESCAPEMENT_POOLS=${pool}${settingOf(need, app)}${elsewhere}`;
}

function settingOf(need: Need, app: string | null): string {
  const { ability, worker } = splitNeed(need);
  return `${worker === null ? '' : ` and ESCAPEMENT_WORKER_NAME=${worker}`}${abilityOf(ability, app)}`;
}

function abilityOf(ability: Need, app: string | null): string {
  if (ability === null) return '';
  if (!needsCode(ability)) return ' and ESCAPEMENT_ALLOW_SHELL=true';
  return ` that has ${app === null ? 'the code' : app} in ESCAPEMENT_TASKS`;
}
