// The routes for a program that calls them: in its own process on the database, or at a server.

export type { Route, RouteOf } from '../http/route.ts';
export type { AnswerOf, CallOptions, Calls } from './calls.ts';
export { callsInProcess, type InProcessContext } from './in-process.ts';
export { callsOverHttp, type SendRequest } from './over-http.ts';
