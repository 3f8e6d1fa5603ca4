import type { Operation, PlacedOperation, Schema, ShownDocument } from './document.ts';
import { curlOf } from './example.ts';
import { type Html, html, prose } from './html.ts';
import { boundsOf, schemaView, typeOf, valueView } from './schema.ts';

/** One operation: what it does, what it takes, what it answers, how one asks. */
export function operationView(operation: PlacedOperation, { components: { schemas } }: ShownDocument): Html {
  const { operationId, summary, description } = operation;
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${placeView(operation)}</a></h3>
<p class="summary">${prose(summary)}</p>
${description === undefined ? '' : html`<p>${prose(description)}</p>`}
${factsView(operation)}
${parametersView(operation)}
${bodyView(operation)}
${answersView(operation)}
<details><summary>Example</summary><pre tabindex="0"><code>${curlOf(operation, schemas)}</code></pre></details>
</article>
`;
}

/** Its method and path. */
export function placeView({ method, path }: PlacedOperation): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path
    .split(/(?<=\/)/)
    .map((part) => html`${part}<wbr>`)}</code>`;
}

function factsView(operation: Operation): Html {
  const { operationId, security } = operation;
  const right = operation['x-right'];
  const audit = operation['x-audit'];
  const rightWords = right === null ? 'any token or session' : html`<code>${right}</code>`;
  return html`<dl class="facts"><div><dt>Right</dt><dd>${security?.length === 0 ? 'none: anyone' : rightWords}</dd></div>
<div><dt>Audit</dt><dd>${audit === null ? 'changes nothing' : html`<code>${audit}</code>`}</dd></div>
<div><dt>Name in clients</dt><dd><code>${operationId}</code></dd></div></dl>`;
}

function parametersView({ parameters }: Operation): Html | string {
  if (parameters.length === 0) return '';
  return html`<h4>Parameters</h4><ul class="fields">${parameters.map(
    ({ name, in: place, required, description, schema }) => {
      const told = [`in the ${place}`, ...(required ? ['must be given'] : []), ...boundsOf(schema)];
      return html`<li>${valueView({ name, schema: { ...schema, description }, told })}</li>`;
    },
  )}</ul>`;
}

function bodyView({ requestBody }: Operation): Html | string {
  const [content] = Object.values(requestBody?.content ?? {});
  if (!requestBody || !content) return '';
  return contentView(html`Body${requestBody.required ? '' : html` <small>may be left out</small>`}`, content.schema);
}

function answersView({ responses }: Operation): Html[] {
  return Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .flatMap(([status, { content }]) =>
      Object.entries(content).map(([type, { schema }]) =>
        contentView(
          html`Answer <code>${status}</code>${type === 'application/json' ? '' : html` <small>${type}</small>`}`,
          schema,
        ),
      ),
    );
}

/** What stands elsewhere on the page is led to; text has nothing in it. */
function contentView(title: Html, schema: Schema): Html {
  if (schema.$ref !== undefined) return html`<p class="row"><b>${title}</b> ${typeOf(schema)}</p>`;
  if (schema.type === 'string') return html`<p class="row"><b>${title}</b></p>`;
  return html`<details><summary>${title}</summary>${schemaView(schema)}</details>`;
}
