// Requests to the HTTP API, and what it refuses.

export { ApiError } from './refusal.ts';
export { createSend, type HttpOptions, type HttpRequest, type Send } from './send.ts';
