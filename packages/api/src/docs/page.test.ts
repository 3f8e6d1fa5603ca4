import { expect, test } from 'vitest';
import { openApiDocument } from '../openapi.ts';
import { ROUTES } from '../routes/index.ts';
import { operationsOf, shownDocument } from './document.ts';
import { curlOf, exampleOf } from './example.ts';
import { docsPage } from './page.ts';

const written: unknown = JSON.parse(JSON.stringify(openApiDocument(ROUTES)));
const document = shownDocument.parse(written);
const page = docsPage(document);
const { schemas } = document.components;

/** Elements that have no end. */
const VOID = new Set(['meta', 'wbr']);

/** Throws where an element is not ended, or another one is ended than was begun. */
function refuseUnbalanced(html: string): void {
  const open: string[] = [];
  for (const [tag, end, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b(?:\s+[a-z-]+="[^"<>]*")*\s*>/g)) {
    if (VOID.has(name)) continue;
    if (end === '') open.push(name);
    else if (open.pop() !== name) throw new Error(`${tag} ends what was not begun`);
  }
  if (open.length > 0) throw new Error(`not ended: ${open.join(', ')}`);
}

/** What is left once all tags that are written as they should be are taken out. */
function withoutTags(html: string): string {
  return html
    .replace('<!doctype html>', '')
    .replace(/<style>[^<]*<\/style>/, '')
    .replaceAll(/<\/?[a-z][a-z0-9]*\b(?:\s+[a-z-]+="[^"<>]*")*\s*>/g, '');
}

test('every route stands in it, with its right, its audit act and an example', () => {
  for (const { id, method, path, right, audit } of ROUTES) {
    const [, rest = ''] = page.split(`<article id="${id}">`);
    const article = rest.slice(0, rest.indexOf('</article>')).replaceAll('<wbr>', '');
    const wanted = [
      `>${method}</span> <code>${path.replaceAll(/:(\w+)/g, '{$1}')}</code>`,
      ...(right === null ? [] : [`<dt>Right</dt><dd><code>${right}</code>`]),
      audit === null ? 'changes nothing' : `<dt>Audit</dt><dd><code>${audit}</code>`,
      '<pre tabindex="0"><code>curl ',
    ];
    expect([id, wanted.filter((words) => !article.includes(words))]).toEqual([id, []]);
  }
});

test('every schema that has a name stands in it', () => {
  const missing = Object.keys(schemas).filter((name) => !page.includes(`<article id="schema-${name}">`));
  expect(missing).toEqual([]);
});

test('it is well-formed: each element is ended, nothing else looks like one, each id is there once, each link leads somewhere', () => {
  refuseUnbalanced(page);
  expect(withoutTags(page)).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|#39);)/);
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const links = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !ids.includes(id))).toEqual([]);
});

test('the check of well-formedness finds what is wrong', () => {
  expect(() => refuseUnbalanced('<p><b>x</p></b>')).toThrow('ends what was not begun');
  expect(() => refuseUnbalanced('<p><b>x</b>')).toThrow('not ended: p');
  expect(withoutTags('<p onclick=x>a</p>')).toContain('<');
});

test('it has no script, no style of an element and nothing that is loaded from elsewhere', () => {
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\sstyle="|\son\w+="|src=|@import|url\(/);
  expect([...page.matchAll(/href="([^"#][^"]*)"/g)].map(([, to]) => to)).toEqual(['/openapi.json']);
});

test('text of the document is escaped', () => {
  const evil = `</p><script>alert("1 & '2'")</script>`;
  const schema = { type: 'object', description: evil, properties: { [evil]: { enum: [evil], description: evil } } };
  const route = {
    ...{ operationId: 'evil', tags: ['evil'], summary: evil, description: evil, 'x-right': evil, 'x-audit': evil },
    parameters: [{ name: evil, in: 'query', required: true, description: evil, schema: { pattern: evil } }],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 200: { description: evil, content: { [evil]: { schema } } } },
  };
  const made = docsPage(
    shownDocument.parse({
      info: { title: evil, version: evil, description: evil },
      tags: [{ name: 'evil' }],
      paths: { [evil]: { get: route } },
      components: { schemas: { Evil: schema } },
    }),
  );
  refuseUnbalanced(made);
  expect(made).not.toContain('<script');
  expect(withoutTags(made)).not.toMatch(/[<>]/);
  expect(made).toContain('&lt;script&gt;alert(&quot;1 &amp; &#39;2&#39;&quot;)&lt;/script&gt;');
});

test('the body of an example is one that its route takes', () => {
  const bodies = new Map(ROUTES.map(({ id, body }) => [id, body]));
  const refused = operationsOf(document).flatMap(({ operationId, requestBody }) => {
    const schema = requestBody?.content['application/json']?.schema;
    const parsed = schema && bodies.get(operationId)?.safeParse(exampleOf(schema, schemas));
    return parsed && !parsed.success ? [`${operationId}: ${parsed.error.issues[0]?.message}`] : [];
  });
  expect(refused).toEqual([]);
});

test('an example is one line that a shell reads as it is meant', () => {
  const operation = operationsOf(document).find(({ operationId }) => operationId === 'replaceTask');
  expect(operation && curlOf(operation, schemas)).toMatch(
    /^curl -H "\$T" -X PUT -H 'If-Match: "1"' --json '\{[^']*\}' "\$URL\/v1\/tasks\/ID"$/,
  );
  const quote = { type: 'object', required: ["it's"], properties: { "it's": { type: 'boolean' } } };
  const made = operation && {
    ...operation,
    path: '/x',
    method: 'POST',
    requestBody: { required: true, content: { 'application/json': { schema: quote } } },
  };
  expect(made && curlOf(made, schemas)).toBe(`curl -H "$T" --json '{"it'\\''s":true}' "$URL/x"`);
});
