// What other schedulers write, read as tasks of ours, and tasks of ours written as they would. It does no I/O.

export * from './anacron/index.ts';
export * from './bullmq/index.ts';
export * from './crontab/index.ts';
export * from './k8s/index.ts';
export * from './run-parts/index.ts';
export { shellQuoted } from './shell-quoted.ts';
export * from './systemd/index.ts';
export * from './translated/index.ts';
