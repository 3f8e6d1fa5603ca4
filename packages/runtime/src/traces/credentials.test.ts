import { expect, test } from 'vitest';
import { credentialsFrom } from './credentials.ts';

test('what signs in at a collector is known, as it is written and as it is sent', () => {
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token-1, x-key=key-2',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-short=abc',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com',
  };
  expect(credentialsFrom(env)).toEqual(['Bearer%20token-1', 'Bearer token-1', 'token-1', 'key-2']);
});
