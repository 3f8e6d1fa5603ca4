import type { LinkProps } from '@tanstack/react-router';
import type { ShortcutName } from '../keyboard/shortcuts.ts';
import {
  toAbout,
  toAccess,
  toAlerting,
  toAlerts,
  toAudit,
  toBackfills,
  toCalendars,
  toCrontabs,
  toErrors,
  toFleet,
  toForecast,
  toLists,
  toNow,
  toRecovery,
  toRuns,
  toTasks,
} from '../links.ts';
import { words } from '../words/index.ts';

export interface Place {
  name: string;
  link: LinkProps;
  shortcut?: ShortcutName;
}

/** The pages of the side bar, in groups. A new screen is added here. */
export const PLACES: readonly (readonly Place[])[] = [
  [
    { name: words.shell.now, link: toNow(), shortcut: 'goNow' },
    { name: words.shell.tasks, link: toTasks(), shortcut: 'goTasks' },
    { name: words.shell.runs, link: toRuns(), shortcut: 'goRuns' },
    { name: words.shell.errors, link: toErrors(), shortcut: 'goErrors' },
    { name: words.shell.alerts, link: toAlerts(), shortcut: 'goAlerts' },
    { name: words.shell.forecast, link: toForecast(), shortcut: 'goForecast' },
    { name: words.shell.fleet, link: toFleet(), shortcut: 'goFleet' },
    { name: words.shell.recovery, link: toRecovery(), shortcut: 'goRecovery' },
    { name: words.shell.backfills, link: toBackfills(), shortcut: 'goBackfills' },
    { name: words.shell.calendars, link: toCalendars(), shortcut: 'goCalendars' },
    { name: words.shell.crontabs, link: toCrontabs(), shortcut: 'goCrontabs' },
    { name: words.shell.lists, link: toLists(), shortcut: 'goLists' },
    { name: words.shell.audit, link: toAudit() },
  ],
  [
    { name: words.shell.alerting, link: toAlerting(), shortcut: 'goAlerting' },
    { name: words.shell.access, link: toAccess(), shortcut: 'goAccess' },
    { name: words.shell.about, link: toAbout(), shortcut: 'goAbout' },
  ],
];

export const ALL_PLACES = PLACES.flat();
