import type { HandlerSpec } from '../handler-spec.ts';
import { type TaskDefinition, taskDefinition } from '../task.ts';
import { maskArguments, maskCommand } from './mask-command.ts';
import { maskText } from './mask-text.ts';
import { maskUrl, maskUrlPath } from './mask-url.ts';
import { isSecretHolder, MASK } from './secret-name.ts';

/**
 * A definition as it may be shown: passwords and tokens of URLs, webhooks but for their host, and what stands in a header,
 * variable, option or field whose name says that it is a secret, are `***`. References (`{ secret: NAME }`) stay.
 */
export function redactDefinition(definition: TaskDefinition): TaskDefinition {
  const { handler, notify, ...others } = definition;
  const shown = redactFields(others) as Omit<TaskDefinition, 'handler' | 'notify'>;
  return {
    ...shown,
    handler: redactHandler(handler),
    ...(notify === undefined
      ? {}
      : { notify: { ...notify, ...(notify.webhook ? { webhook: notify.webhook.map(maskUrlPath) } : {}) } }),
  };
}

/** The same of a definition as another version may have stored it. */
export function redactUnknownDefinition(definition: unknown): unknown {
  const { data } = taskDefinition.safeParse(definition);
  return data ? redactDefinition(data) : redactJson(definition);
}

function redactHandler(handler: HandlerSpec): HandlerSpec {
  switch (handler.type) {
    case 'http': {
      const { url, headers, body } = handler;
      return {
        ...handler,
        url: maskUrl(url),
        ...(headers === undefined ? {} : { headers: redactValues(headers) }),
        ...(body === undefined ? {} : { body: redactJson(body) as typeof body }),
      };
    }
    case 'shell': {
      const { command, argv, env, stdin } = handler;
      return {
        ...handler,
        ...(command === undefined ? {} : { command: maskCommand(command) }),
        ...(argv === undefined ? {} : { argv: maskArguments(argv) }),
        ...(stdin === undefined ? {} : { stdin: maskText(stdin) }),
        ...(env === undefined ? {} : { env: redactValues(env) }),
      };
    }
    case 'code':
      return handler;
  }
}

type Values = Record<string, string | { secret: string }>;

function redactValues(values: Values): Values {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    typeof value !== 'string' ? value : isSecretHolder(name) ? MASK : maskText(value),
  ]);
  return Object.fromEntries(shown);
}

/** What the task's own names mean is known, and no secret; payloads are in there under names of the user's own. */
function redactFields(fields: object): object {
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    name === 'payload' ? redactJson(value) : within(value),
  ]);
  return Object.fromEntries(shown);
}

function within(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(within);
  return typeof value === 'object' && value !== null ? redactFields(value) : value;
}

function redactJson(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (typeof value !== 'object' || value === null) return value;
  const shown = Object.entries(value).map(([name, inner]) => [
    name,
    isSecretHolder(name) && (typeof inner === 'string' || typeof inner === 'number') ? MASK : redactJson(inner),
  ]);
  return Object.fromEntries(shown);
}
