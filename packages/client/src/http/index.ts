// Requests to the HTTP API, for programs of this repository that need more of it than the client has.

export { ApiError } from './refusal.ts';
export { createSend, type HttpOptions, type HttpRequest, type Send } from './send.ts';
