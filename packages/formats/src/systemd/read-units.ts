import type { TaskInput } from '@escapement/core';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { cannotSay, type Translated, type Translation, translate } from '../translated/translated.ts';
import { readService, type Service } from './service.ts';
import { templateOf, type UnitName, unitName, withoutSpecifiers } from './specifiers.ts';
import { readTimer, type Timer } from './timer.ts';
import { Unit } from './unit-file.ts';
import { unreadKeys } from './unread-keys.ts';

export type UnitText = { path: string; text: string } | { path: string; unreadable: string };

/** Files of units, as they were found. */
export interface UnitsGiven {
  /** `/etc/systemd/system/backup.timer`, `.../backup.service.d/user.conf`; with what they say, or why they cannot be read. */
  files: readonly UnitText[];
  /** Paths of the timers that shall be tasks; an instance of a template is named as such, though there is no file of that name. */
  timers: readonly string[];
  /** Zone of OnCalendar= without one. */
  timeZone: string;
  /** Before the name of each task. */
  prefix?: string | undefined;
  pool?: string | undefined;
}

/** What timers and their services become. A timer that cannot be a task stops no other one. Pure. */
export function readUnits(given: UnitsGiven): Translation {
  const translation: Translation = { tasks: [], refused: [], notes: [] };
  const files = new Map(given.files.map((file) => [file.path, file]));
  for (const path of given.timers) translate(translation, path, () => tasksOf(path, files, given));
  return translation;
}

type Files = ReadonlyMap<string, UnitText>;

function tasksOf(path: string, files: Files, given: UnitsGiven): Translated[] {
  const name = unitName(path.slice(path.lastIndexOf('/') + 1));
  const folder = path.slice(0, path.length - name.full.length);
  if (name.full.endsWith('@.timer'))
    throw cannotSay(`${name.full} is a template`, `name an instance: ${folder}${name.prefix}@INSTANCE.timer`);
  const timerUnit = findUnit(folder, name, files);
  const timer = readTimer(timerUnit, given.timeZone);
  const started = withoutSpecifiers(timerUnit.last('Timer', 'Unit') ?? name.full.replace(/timer$/, 'service'), name);
  if (!started.endsWith('.service'))
    throw cannotSay(`${name.full} starts ${started}, which is no service`, 'a task runs the command of a service');
  const serviceName = unitName(started);
  const serviceUnit = findUnit(folder, serviceName, files);
  const service = readService(serviceUnit, serviceName);
  const description = serviceUnit.last('Unit', 'Description') ?? timerUnit.last('Unit', 'Description');
  const lost = [
    ...timer.lost,
    ...service.lost,
    ...unreadKeys(timerUnit, 'Timer'),
    ...unreadKeys(serviceUnit, 'Service'),
    ...unreadKeys(serviceUnit, 'Unit'),
  ];
  const about = description === undefined ? {} : { description: withoutSpecifiers(description, serviceName) };
  return named(taskName(name), { timer, service, about, lost }, { path, given });
}

/** A unit with its drop-ins, those of its template first. Throws `cannot_say` where there is none. */
function findUnit(folder: string, name: UnitName, files: Files): Unit {
  const names = [templateOf(name), name.full].filter((each) => each !== undefined);
  const path = names
    .toReversed()
    .map((each) => folder + each)
    .find((each) => files.has(each));
  const text = path === undefined ? undefined : textOf(path, files);
  if (path === undefined || text === undefined)
    throw cannotSay(`${name.full} is not in ${folder || '.'}`, 'give the folder that has the timer and its service');
  if (text.trim() === '') throw cannotSay(`${name.full} is empty, as a masked unit is`, 'leave it out, or unmask it');
  const dropIns = names.flatMap((each) => dropInsOf(`${folder}${each}.d/`, files));
  return new Unit([{ path, text }, ...dropIns]);
}

/** Throws `cannot_say` for a file that could not be read. */
function textOf(path: string, files: Files): string | undefined {
  const file = files.get(path);
  if (file && 'unreadable' in file) throw cannotSay(file.unreadable, 'let whoever imports read it, or copy it');
  return file?.text;
}

function dropInsOf(folder: string, files: Files): { path: string; text: string }[] {
  return [...files]
    .filter(([path]) => path.startsWith(folder) && path.endsWith('.conf') && !path.slice(folder.length).includes('/'))
    .map(([path]) => ({ path, text: textOf(path, files) ?? '' }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** An escape of systemd's is no character of a name. */
function taskName({ full }: UnitName): string {
  return full
    .replace(/\.timer$/, '')
    .replace(/\\x[0-9a-f]{2}/gi, '-')
    .replace(/[^A-Za-z0-9._:@/-]/g, '-');
}

interface Parts {
  timer: Timer;
  service: Service;
  about: { description?: string };
  lost: string[];
}

/** A task for each schedule. Several share a key, as a service runs once at a time whoever starts it. */
function named(base: string, parts: Parts, { path, given }: { path: string; given: UnitsGiven }): Translated[] {
  const { timer, service, about, lost } = parts;
  const name = `${given.prefix ?? ''}${base}`;
  const notes = [...timer.notes];
  if (timer.schedules.length > 1)
    notes.push(`its ${timer.schedules.length} times are no one schedule: a task for each, with the key ${name}`);
  return timer.schedules.map((schedule, index) => ({
    place: path,
    task: {
      name: index === 0 ? name : `${name}.${index + 1}`,
      ...about,
      schedule,
      ...(timer.onFleetStart && index === 0 ? { onFleetStart: true } : {}),
      ...catchUpOf(schedule, timer),
      ...service.said,
      ...(timer.schedules.length > 1 ? { key: name } : {}),
      ...(given.pool === undefined ? {} : { pool: given.pool }),
    },
    atFirst: service.atFirst,
    paused: false,
    lost: index === 0 ? lost : [],
    notes: index === 0 ? notes : [],
  }));
}

/** `Persistent=` is about OnCalendar= alone. */
function catchUpOf({ kind }: ScheduleSpec, { catchUp }: Timer): Pick<TaskInput, 'catchUp'> {
  return kind === 'cron' && catchUp !== undefined ? { catchUp } : {};
}
