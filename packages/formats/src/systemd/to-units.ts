import { EscapementError, type TaskDefinition } from '@escapement/core';
import { differencesFrom } from '../translated/differences.ts';
import type { ExportedTask, LeftTask } from '../translated/exported-task.ts';
import { freeName } from '../translated/free-name.ts';
import { serviceLines } from './write-service.ts';
import { timerLines } from './write-timer.ts';

export interface UnitsExport {
  /** Names of files, and what they hold. */
  files: { name: string; text: string }[];
  /** Tasks that systemd cannot express. */
  left: LeftTask[];
}

export interface UnitsOptions {
  /** Who runs tasks that name no user. Default: they are left out. */
  user?: string | undefined;
}

/** Tasks as timers and services of systemd. Pure. */
export function toUnits(tasks: readonly ExportedTask[], options: UnitsOptions = {}): UnitsExport {
  const exported: UnitsExport = { files: [], left: [] };
  const taken = new Set<string>();
  for (const task of tasks) {
    const unit = freeName(unitName(task.definition.name), taken);
    try {
      exported.files.push(...unitsOf(task, unit, options));
      taken.add(unit);
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      exported.left.push({
        name: task.definition.name,
        reason: error.fix ? `${error.message}: ${error.fix}` : error.message,
      });
    }
  }
  return exported;
}

function unitsOf({ definition, paused }: ExportedTask, unit: string, { user }: UnitsOptions): UnitsExport['files'] {
  const notes: string[] = [];
  const timer = timerLines(definition, notes);
  const service = serviceLines(definition, user);
  const about = [
    comment(`Task ${definition.name} of Escapement`),
    ...[...notes, ...differencesFrom('systemd', definition)].map((note) => comment(`differs: ${note}`)),
  ];
  const install = paused ? [comment('paused: not to be enabled'), ''] : ['[Install]', 'WantedBy=timers.target', ''];
  return [
    {
      name: `${unit}.timer`,
      text: [...about, '[Unit]', ...descriptionLines(definition), '', '[Timer]', ...timer, '', ...install].join('\n'),
    },
    {
      name: `${unit}.service`,
      text: [...about, '[Unit]', ...descriptionLines(definition), '', '[Service]', ...service, ''].join('\n'),
    },
  ];
}

function descriptionLines({ description }: TaskDefinition): string[] {
  if (description === undefined) return [];
  return [`Description=${oneLine(description).replaceAll('%', '%%').replace(/\\+$/, '')}`];
}

const MAX_UNIT_NAME = 200;

/** `web1/backup` is `web1-backup`: a unit has no slash in its name. */
function unitName(name: string): string {
  return name
    .replaceAll('/', '-')
    .replace(/@(?=.*@)/g, '-')
    .slice(0, MAX_UNIT_NAME);
}

function comment(text: string): string {
  return `# ${oneLine(text)}`;
}

/** Whatever is in the text, it begins no line of its own, and a backslash at its end does not take the next one. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
