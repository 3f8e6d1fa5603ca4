import type { Browser, Page } from 'playwright-core';

const VIEW = { width: 1280, height: 900 };

/** A tab in a profile of its own, signed in. */
export interface Tab {
  page: Page;
  /** Empties the cache, and leaves the page. */
  forget(): Promise<void>;
  /** Begins to note scripts that are loaded; what is returned says which. */
  scripts(): () => string[];
  /** When the verdict of *Now* stood in a frame, since the page was asked for. Milliseconds. */
  verdictMs(): Promise<number>;
  /** How long interactions took, each until the next frame stood. Milliseconds; those under 16 count as 16. */
  interactions(): Promise<number[]>;
  /** What scripts keep, after what they do not keep has been collected. */
  heapBytes(): Promise<number>;
  close(): Promise<void>;
}

/** `duration` is that of the Event Timing API; of several events of one interaction the longest counts. */
const NOTE_INTERACTIONS = `window.taken = new Map();
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries())
    if (interactionId > 0) window.taken.set(interactionId, Math.max(duration, window.taken.get(interactionId) ?? 16));
}).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

/** Noted by the page itself: to be asked for it again and again costs a slow processor a tenth of the time. */
const NOTE_VERDICT = `window.stood = new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    const said = [...document.querySelectorAll('main [role=status]')].map((each) => each.textContent);
    if (!said.some((each) => /need you|needs you/.test(each))) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  }).observe(document, { childList: true, subtree: true });
});`;

/** On a processor so many times slower than this one. */
export async function openTab(browser: Browser, link: string, slower: number): Promise<Tab> {
  const context = await browser.newContext({ viewport: VIEW, reducedMotion: 'reduce' });
  context.setDefaultTimeout(120_000);
  await context.addInitScript(`${NOTE_INTERACTIONS}\n${NOTE_VERDICT}`);
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  return {
    page,
    async forget() {
      await page.goto('about:blank');
      await devtools.send('Network.clearBrowserCache');
    },
    scripts() {
      const paths = new Set<string>();
      page.on('response', (response) => {
        const { pathname } = new URL(response.url());
        if (pathname.endsWith('.js')) paths.add(pathname);
      });
      return () => [...paths];
    },
    verdictMs: () => page.evaluate<number>('window.stood'),
    interactions: () => page.evaluate<number[]>('[...window.taken.values()]'),
    async heapBytes() {
      await devtools.send('HeapProfiler.collectGarbage');
      const { usedSize } = await devtools.send('Runtime.getHeapUsage');
      return usedSize;
    },
    close: () => context.close(),
  };
}
