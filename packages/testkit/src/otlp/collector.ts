import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterFile } from '../clean-up.ts';
import { bytesOf, type Field, fieldsOf, numberOf, textOf } from './protobuf.ts';

/** A span as it came: opentelemetry/proto/trace/v1/trace.proto. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Empty: it has none. */
  parentSpanId: string;
  name: string;
  /** As in the protocol: 1 internal, 4 producer, 5 consumer. */
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number | boolean>;
  /** Of the program that sent it. */
  resource: Record<string, string | number | boolean>;
  /** Undefined: no failure. */
  error: string | undefined;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** Headers of the requests. */
  headers: Record<string, string | string[] | undefined>[];
}

/** Takes traces by OTLP over HTTP, in the binary form, until the test file is over. */
export async function startCollector(): Promise<Collector> {
  const collected: Pick<Collector, 'spans' | 'headers'> = { spans: [], headers: [] };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const isTraces = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      if (isTraces) {
        collected.headers.push(request.headers);
        collected.spans.push(...spansOf(Buffer.concat(pieces)));
      }
      response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...collected };
}

/** opentelemetry/proto/collector/trace/v1/trace_service.proto */
function spansOf(body: Buffer): CollectedSpan[] {
  return bytesOf(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const fields = fieldsOf(resourceSpans);
    const [resource] = bytesOf(fields, 1);
    const attributes = resource ? attributesOf(fieldsOf(resource), 1) : {};
    return bytesOf(fields, 2).flatMap((scopeSpans) =>
      bytesOf(fieldsOf(scopeSpans), 2).map((span) => spanOf(fieldsOf(span), attributes)),
    );
  });
}

function spanOf(fields: readonly Field[], resource: CollectedSpan['resource']): CollectedSpan {
  const hex = (number: number) => bytesOf(fields, number)[0]?.toString('hex') ?? '';
  const [status] = bytesOf(fields, 15).map(fieldsOf);
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentSpanId: hex(4),
    name: textOf(fields, 5),
    kind: Number(numberOf(fields, 6)),
    startMs: Number(numberOf(fields, 7) / 1_000_000n),
    endMs: Number(numberOf(fields, 8) / 1_000_000n),
    attributes: attributesOf(fields, 9),
    resource,
    error: status && numberOf(status, 3) === 2n ? textOf(status, 2) : undefined,
  };
}

function attributesOf(fields: readonly Field[], number: number): CollectedSpan['attributes'] {
  return Object.fromEntries(
    bytesOf(fields, number).map((pair) => {
      const parts = fieldsOf(pair);
      return [textOf(parts, 1), anyValue(fieldsOf(bytesOf(parts, 2)[0] ?? Buffer.alloc(0)))];
    }),
  );
}

/** AnyValue: a text, a boolean, or an integer. */
function anyValue(fields: readonly Field[]): string | number | boolean {
  const [field] = fields;
  if (!field || field.number === 1) return textOf(fields, 1);
  return field.number === 2 ? numberOf(fields, 2) === 1n : Number(numberOf(fields, field.number));
}
