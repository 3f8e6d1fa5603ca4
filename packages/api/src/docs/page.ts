import { operationsOf, type PlacedOperation, type ShownDocument } from './document.ts';
import { Html, html, prose } from './html.ts';
import { operationView, placeView } from './operation.ts';
import { schemaView } from './schema.ts';
import { STYLE } from './style.ts';

interface Section {
  name: string;
  operations: readonly PlacedOperation[];
}

/** A page of an API, from its OpenAPI document. It has no script, and asks for nothing else. */
export function docsPage(document: ShownDocument): string {
  const { info, tags, components } = document;
  const all = operationsOf(document);
  const sections = tags
    .map(({ name }): Section => ({ name, operations: all.filter((each) => each.tags.includes(name)) }))
    .filter(({ operations }) => operations.length > 0);
  const page = html`${new Html('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API ${info.version}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">${navView(sections)}</nav>
<main id="content">
${headView(info, all.length)}
${sections.map((each) => sectionView(each, document))}
<section id="schemas"><h2>Schemas</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) =>
    html`<article id="schema-${name}"><h3><a href="#schema-${name}"><code>${name}</code></a></h3>${schemaView(schema)}</article>
`,
)}</section>
</main>
</body>
</html>
`;
  return page.text;
}

function headView(info: ShownDocument['info'], count: number): Html {
  return html`<header><h1>${info.title} API <small>${info.version}</small></h1>
<p>${prose(info.description)} ${count} routes; <a href="/openapi.json">the OpenAPI document</a> has the same for programs.</p>
<p>Each request takes a token, as <code>escapement tokens create</code> prints it; in the examples:</p>
<pre tabindex="0"><code>URL=https://escapement.example
T="Authorization: Bearer TOKEN"
curl -H "$T" "$URL/v1/me"</code></pre>
<p>What is refused is answered with a <a href="#schema-Problem">problem</a> (RFC 9457). Words in capitals in a path are to be replaced.</p></header>`;
}

function navView(sections: readonly Section[]): Html {
  return html`<p class="home"><a href="#content">API</a></p><ul>${sections.map(
    ({ name, operations }) =>
      html`<li><a href="#tag-${name}">${name}</a><ul>${operations.map(
        (each) => html`<li><a href="#${each.operationId}">${placeView(each)}</a></li>`,
      )}</ul></li>`,
  )}<li><a href="#schemas">Schemas</a></li></ul>`;
}

function sectionView({ name, operations }: Section, document: ShownDocument): Html {
  return html`<section id="tag-${name}"><h2>${name}</h2>
${operations.map((each) => operationView(each, document))}</section>
`;
}
