/** What each shortcut does, as `keyboard/shortcuts.ts` names them. */
export const keys = {
  title: 'Keyboard shortcuts',
  search: 'Go to the filter or search',
  palette: 'Go to a page, a task, a run',
  goNow: 'Now',
  goTasks: 'Tasks',
  goRuns: 'Runs',
  goForecast: 'Forecast',
  goErrors: 'Errors',
  goFleet: 'Fleet',
  next: 'Next row',
  previous: 'Previous row',
  select: 'Select the row',
  open: 'Open the row',
  acts: 'What can be done',
  help: 'This list',
  close: 'Close, or leave a field',
};
