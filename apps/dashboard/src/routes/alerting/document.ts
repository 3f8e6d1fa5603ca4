import type { components } from '../../api/generated/openapi.ts';
import type { Draft } from '../edit/draft.ts';

export type Document = components['schemas']['AlertingDocument'];
export type Rule = Document['rules'][number];
export type Condition = Rule['when'];
export type Route = NonNullable<Document['routes']>[number];
export type Hours = NonNullable<Route['hours']>;
export type Receiver = NonNullable<Document['receivers']>[string];
export type ReceiverType = Receiver['type'];

/** A document as it is in force. */
export interface InForce {
  /** 0: the defaults. */
  version: number;
  definition: Draft;
}

/** As the API keeps one: it has looked at it before it was saved. */
export const documentOf = ({ definition }: InForce): Document => definition as Document;
