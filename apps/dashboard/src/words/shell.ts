import type { LiveState } from '../api/live/stream.ts';
import type { ZoneChoice } from '../settings/settings.ts';

const LIVE: Readonly<Record<LiveState['kind'], string>> = {
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  reconnecting: 'reconnecting',
};

const ZONES: Readonly<Record<ZoneChoice, (own: string) => string>> = {
  schedule: () => "Schedule's zone",
  mine: (own) => `My zone: ${own}`,
  utc: () => 'UTC',
};

export const shell = {
  skip: 'Skip to the content',
  navigation: 'Pages',
  openNavigation: 'Open the list of pages',
  closeNavigation: 'Close the list of pages',
  now: 'Now',
  tasks: 'Tasks',
  runs: 'Runs',
  errors: 'Errors',
  alerts: 'Alerts',
  audit: 'Audit log',
  about: 'About',
  access: 'Users and tokens',
  alerting: 'Alert rules',
  forecast: 'Forecast',
  fleet: 'Fleet',
  recovery: 'Recovery',
  backfills: 'Backfills',
  calendars: 'Calendars',
  crontabs: 'Crontabs',
  lists: 'Work-lists',
  live: LIVE,
  asOf: 'data as of',
  pause: 'Stop reading what changes',
  resume: 'Go on reading what changes',
  zone: 'Times in',
  zones: ZONES,
  theme: 'Theme',
  themes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
  density: 'Rows',
  densities: { comfortable: 'Comfortable', compact: 'Compact' },
  singleKeys: 'Shortcuts of a single key',
  account: 'Settings and account',
  signedInAs: (name: string, role: string) => `${name} (${role})`,
  signOut: 'Sign out',
  keys: 'Keyboard shortcuts',
  palette: 'Go to, or do',
  paletteHint: 'A page, a task, or the first digits of a run',
  paletteEmpty: 'Nothing is called so.',
  palettePages: 'Pages',
  paletteTasks: 'Tasks',
  paletteRuns: 'Runs',
};
