import { notifyPolicy, type TaskInput } from '@escapement/core';

/** What a crontab sets above a line. */
export type Settings = Readonly<Record<string, string>>;

/** Set by cron itself from the owner of the crontab; a setting of the file does not count. */
const SET_BY_CRON = new Set(['LOGNAME', 'USER', 'SHELL']);

/** In which shell, with which environment and in which folder a command runs. */
export function surroundingsOf(settings: Settings): {
  shell?: string;
  env?: Record<string, string>;
  cwd?: string;
} {
  const env = Object.fromEntries(Object.entries(settings).filter(([name]) => !SET_BY_CRON.has(name)));
  return {
    ...(settings.SHELL ? { shell: settings.SHELL } : {}),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(env.HOME ? { cwd: env.HOME } : {}),
  };
}

/** Who is told, by MAILTO. What is no address is a mailbox of the host. */
export function mailOf({ MAILTO }: Settings): { notify?: TaskInput['notify']; notes: string[] } {
  if (MAILTO === undefined) return { notes: [] };
  if (MAILTO.trim() === '') return { notify: { none: true }, notes: [] };
  const names = MAILTO.split(',').map((name) => name.trim());
  const email = names.filter((name) => notifyPolicy.safeParse({ email: [name] }).success);
  const local = names.filter((name) => !email.includes(name));
  const notes = local.length === 0 ? [] : [`MAILTO=${local.join(',')} is no mail address: no mail to it`];
  return email.length === 0 ? { notes } : { notify: { email }, notes };
}
