import type { Child } from './children.ts';

/** How often a worker tells of its progress: rarely enough to cost nothing that could be measured. */
const SEND_MS = 20;

/** A run that began: its id, and how late it was. */
export type Start = [run: string, latenessMs: number];

/** From worker to benchmark. */
type Report = { finished: number; atMs: number } | { starts: Start[] };
/** From benchmark to worker: keep each start from now on; hand them over. */
type Order = 'record' | 'hand over';

/** What a worker's process counts, and tells the benchmark of. */
export function createTally() {
  const starts: Start[] = [];
  let recording = false;
  let finished = 0;
  let atMs = 0;
  let told = 0;
  const sendReport = (report: Report) => {
    // A benchmark that has ended does not listen any more.
    if (process.connected) process.send?.(report, undefined, undefined, () => undefined);
  };
  setInterval(() => {
    if (finished === told) return;
    told = finished;
    sendReport({ finished, atMs });
  }, SEND_MS).unref();
  process.on('message', (order: Order) => {
    if (order === 'hand over') sendReport({ starts: starts.splice(0) });
    recording = order === 'record';
  });
  return {
    finished(nowMs: number): void {
      finished++;
      atMs = nowMs;
    },
    started(run: string, latenessMs: number): void {
      if (recording) starts.push([run, latenessMs]);
    },
  };
}

/** What several workers have counted together, seen from the benchmark. */
export interface Count {
  /** Waits until so many runs have ended since the last call; returns when the last of them did, by the wall clock. */
  finished(runs: number): Promise<number>;
  record(): void;
  /** Ends the record. */
  starts(): Promise<Start[]>;
}

export function countOf(workers: readonly Child[]): Count {
  const last = workers.map(() => ({ finished: 0, atMs: 0 }));
  let before = 0;
  let look: () => void = () => undefined;
  for (const [index, { process: worker }] of workers.entries())
    worker.on('message', (report: Report) => {
      if ('finished' in report) last[index] = report;
      look();
    });
  const total = () => last.reduce((sum, { finished }) => sum + finished, 0);
  return {
    async finished(runs) {
      await new Promise<void>((resolve) => {
        look = () => total() >= before + runs && resolve();
        look();
      });
      before = total();
      return Math.max(...last.map(({ atMs }) => atMs));
    },
    record() {
      for (const { process: worker } of workers) worker.send('record');
    },
    async starts() {
      return (await Promise.all(workers.map(({ process: worker }) => handOver(worker)))).flat();
    },
  };
}

function handOver(worker: Child['process']): Promise<Start[]> {
  return new Promise((resolve) => {
    const receive = (report: Report) => {
      if (!('starts' in report)) return;
      worker.off('message', receive);
      resolve(report.starts);
    };
    worker.on('message', receive);
    worker.send('hand over');
  });
}
