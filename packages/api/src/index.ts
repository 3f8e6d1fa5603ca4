// The HTTP API: what the command line can do, for programs, scripts and the dashboard. It calls the use cases of `operations`.

export type { OidcSettings } from './oidc/provider.ts';
export { API_VERSION, openApiDocument } from './openapi.ts';
export { ROUTES } from './routes/index.ts';
export { type Api, type ApiOptions, createApi } from './server.ts';
