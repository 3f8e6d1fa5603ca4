/** What `j` and `k` go over, also where a list says so itself. */
const ROWS = '#content :is(tbody > tr, [data-row])';
const ACTIONS = '#content [data-act]';
const CHOICE = 'input[type="checkbox"]';

/** Those in sight: a table that is folded away has none. */
const seen = <E extends Element>(elements: Iterable<E>): E[] => [...elements].filter((each) => each.checkVisibility());
const rowsOfPage = () => seen(document.querySelectorAll<HTMLElement>(ROWS));
const rowInFocus = () => document.activeElement?.closest<HTMLElement>(ROWS) ?? null;

/** The focus goes so many rows on: to the link that opens the row, or the row itself where it has none. */
export function stepRow(by: 1 | -1): void {
  const rows = rowsOfPage();
  const current = rowInFocus();
  const at = current ? rows.indexOf(current) : by > 0 ? -1 : rows.length;
  const wanted = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
  if (!wanted) return;
  const link = wanted.querySelector<HTMLElement>('a[href]');
  if (!link) wanted.tabIndex = -1;
  (link ?? wanted).focus();
}

/** Follows the link of the row in focus. */
export function openRow(): void {
  rowInFocus()?.querySelector<HTMLElement>('a[href]')?.click();
}

/** Chooses the row in focus, or not any more. */
export function selectRow(): void {
  rowInFocus()?.querySelector<HTMLElement>(`${CHOICE}:not(:disabled)`)?.click();
}

/** The focus goes to the first act of the row in focus, or else of the page; from an act to the one after it. */
export function focusAction(): void {
  const actions = actionsInReach();
  const at = actions.findIndex((each) => each.matches(':focus'));
  actions[(at + 1) % actions.length]?.focus();
}

function actionsInReach(): HTMLElement[] {
  const ofRow = seen(rowInFocus()?.querySelectorAll<HTMLElement>('[data-act]') ?? []);
  if (ofRow.length > 0) return ofRow;
  const all = seen(document.querySelectorAll<HTMLElement>(ACTIONS));
  const ofPage = all.filter((each) => !each.closest(ROWS));
  return ofPage.length > 0 ? ofPage : all;
}

/** The buttons of what can be done on the page as a whole, and not of one of its rows. */
export function actionsOfPage(): HTMLElement[] {
  return seen(document.querySelectorAll<HTMLElement>(`${ACTIONS}:not([aria-disabled="true"])`)).filter(
    (each) => !each.closest(ROWS),
  );
}

/** What of it the page has: the list of shortcuts leaves out the others. */
export function rowShortcuts(): Record<'next' | 'previous' | 'open' | 'select' | 'actions', boolean> {
  const rows = rowsOfPage();
  const has = (selector: string) => rows.some((row) => row.querySelector(selector));
  const next = rows.length > 0;
  return { next, previous: next, open: has('a[href]'), select: has(CHOICE), actions: actionsInReach().length > 0 };
}
