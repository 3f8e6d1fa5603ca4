import path from 'node:path';
import type { MarkdownOptions, MarkdownRenderer } from 'vitepress';
import { anchorOf } from '../../../scripts/docs/anchor.ts';
import { siteLink } from './links.ts';
import { root } from './repository.ts';

/** Markdown as GitHub reads it: its anchors, no syntax of Vue or VitePress, pictures by Mermaid. */
export const markdown: MarkdownOptions = {
  anchor: { slugify: anchorOf },
  attrs: false,
  emoji: false,
  config(md) {
    linksIntoTheSite(md);
    textAsItIs(md);
    diagrams(md);
  },
};

/** The file that is rendered: VitePress tells it by different names, and none where it looks at a heading alone. */
interface Rendered {
  path?: string;
  realPath?: string;
}

function linksIntoTheSite(md: MarkdownRenderer): void {
  md.core.ruler.after('inline', 'links_into_the_site', (state) => {
    const { path: named, realPath = named }: Rendered = state.env;
    if (realPath === undefined) return;
    const from = path.relative(root, realPath);
    const children = state.tokens.flatMap((token) => token.children ?? []);
    for (const token of children.filter(({ type }) => type === 'link_open'))
      token.attrSet('href', siteLink(from, token.attrGet('href') ?? ''));
  });
}

/** In a template of Vue, `{{` begins an expression. Here it is a text. */
function textAsItIs(md: MarkdownRenderer): void {
  for (const kind of ['text', 'code_inline']) {
    const rule = md.renderer.rules[kind];
    md.renderer.rules[kind] = (...args) => (rule?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');
  }
}

/** A picture that the browser draws, from a text that stands in its place until then, and where there are no scripts. */
function diagrams(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (...args) => {
    const [tokens, index] = args;
    const { info = '', content = '' } = tokens[index] ?? {};
    if (info.trim() !== 'mermaid') return fence?.(...args) ?? '';
    const heading = tokens.slice(0, index).findLastIndex(({ type }) => type === 'heading_open');
    const label = md.utils.escapeHtml(`Diagram: ${tokens[heading + 1]?.content.replaceAll('`', '') ?? ''}`);
    return `<Diagram label="${label}"><pre v-pre>${md.utils.escapeHtml(content)}</pre></Diagram>`;
  };
}
