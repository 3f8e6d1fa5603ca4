import { commandsDoc } from './commands.ts';
import { errorsDoc } from './errors.ts';
import { routesDoc } from './routes.ts';
import { schemaDoc } from './schema.ts';
import { sdkDoc } from './sdk.ts';
import { statesDoc } from './states.ts';

/** The pages of docs/reference that are made of the code, by their names. */
export const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  commands: commandsDoc,
  errors: errorsDoc,
  routes: routesDoc,
  schema: schemaDoc,
  sdk: sdkDoc,
  states: statesDoc,
};

export function pageUrl(name: string): URL {
  return new URL(`../../docs/reference/${name}.md`, import.meta.url);
}
