import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

/** What a browser finds in a page: where its links lead, what can be linked to, and by how much it is wider than the screen. */
export interface Seen {
  url: string;
  links: string[];
  ids: string[];
  overflow: number;
  /** Texts of pictures, and pictures. */
  diagrams: { asked: number; drawn: number };
}

const LOOK = `({
  url: location.href,
  links: [...document.links].map(({ href }) => href),
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  diagrams: {
    asked: document.querySelectorAll('.diagram').length,
    drawn: document.querySelectorAll('.diagram .picture svg:not([aria-roledescription=error])').length,
  },
})`;

/** Opens a page, and waits until its scripts have taken over and its pictures are drawn. */
export async function visit(page: Page, url: string): Promise<Seen> {
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.waitForFunction(`
    document.querySelector('#app').__vue_app__ &&
    document.querySelectorAll('.diagram').length === document.querySelectorAll('.diagram .picture svg').length
  `);
  return await page.evaluate<Seen>(LOOK);
}

/** Notes what a page does that it should not: errors, requests that fail, requests to other hosts. */
export function watch(page: Page, site: string): string[] {
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(site) && !url.startsWith('data:')) complaints.push(`asked another host: ${url}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
  });
  return complaints;
}

/** The links within the site that lead to no file of it, or to no element of the page. */
export function lostLinks(folder: string, site: string, seen: readonly Seen[]): string[] {
  const idsOf = new Map(seen.map(({ url, ids }) => [url, new Set(ids)]));
  const isLost = (link: string) => {
    const [url = '', anchor = ''] = link.split('#');
    if (!existsSync(path.join(folder, decodeURIComponent(url.slice(site.length)) || 'index.html'))) return true;
    return anchor !== '' && idsOf.get(url)?.has(decodeURIComponent(anchor)) !== true;
  };
  return seen.flatMap(({ url, links }) =>
    links.filter((link) => link.startsWith(site) && isLost(link)).map((link) => `${url} -> ${link}`),
  );
}
