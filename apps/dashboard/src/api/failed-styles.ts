/** Styles of parts that could not be loaded. */
const failed = new Set<HTMLLinkElement>();

if (typeof document !== 'undefined')
  document.addEventListener('error', ({ target }) => isStyles(target) && failed.add(target), { capture: true });

function isStyles(target: EventTarget | null): target is HTMLLinkElement {
  return target instanceof HTMLLinkElement && target.rel === 'stylesheet';
}

/** Asks once more for styles that could not be loaded, which Vite does not do. Throws as Vite does where one cannot. */
export async function loadFailedStyles(): Promise<void> {
  await Promise.all([...failed].map(loadAgain));
}

function loadAgain(link: HTMLLinkElement): Promise<void> {
  failed.delete(link);
  const again = link.cloneNode() as HTMLLinkElement;
  const loaded = new Promise<void>((resolve, reject) => {
    again.addEventListener('load', () => resolve());
    again.addEventListener('error', () => reject(new Error(`Unable to preload CSS for ${again.href}`)));
  });
  link.replaceWith(again);
  return loaded;
}
