import type { Clock } from '@escapement/core';
import type { Logger } from '@escapement/service';
import type { OidcProvider, OidcSettings } from './provider.ts';

/** A provider whose library is loaded when the first browser signs in there: until then it would cost every server 8 MB. */
export function oidcWhenNeeded(settings: OidcSettings, around: { clock: Clock; log: Logger }): OidcProvider {
  const { apiUrl, groupRoles } = settings;
  let loading: Promise<OidcProvider> | undefined;
  const load = (): Promise<OidcProvider> => {
    loading ??= import('./provider.ts').then(({ createOidcProvider }) => createOidcProvider(settings, around));
    return loading;
  };
  return {
    apiUrl,
    groupRoles,
    signInUrl: async (...asked) => await (await load()).signInUrl(...asked),
    prove: async (...asked) => await (await load()).prove(...asked),
  };
}
