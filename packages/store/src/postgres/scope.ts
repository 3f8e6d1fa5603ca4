/**
 * A `Database` is the scope of all that is done through it: its namespace. Each statement that is given an id or a name
 * compares the row's namespace with `db.namespace`; what another namespace has is to it as if it were not there. Rows without a
 * namespace of their own (attempts, logs, versions, states) belong to that of their run or task, which these conditions ask.
 * `test/scope.test.ts` tries all functions from a second namespace.
 */

/** The run of this id and time is one of the namespace; all are expressions of SQL. */
export const isRunOf = (namespace: string, id: string, scheduledFor: string): string =>
  `EXISTS (SELECT FROM any_run own WHERE own.id = ANY (ARRAY[${id}]) AND own.scheduled_for = ${scheduledFor} AND own.namespace = ${namespace})`;

/** The task of this id is one of the namespace; both are expressions of SQL. */
export const isTaskOf = (namespace: string, id: string): string =>
  `EXISTS (SELECT FROM task own WHERE own.id = ${id} AND own.namespace = ${namespace})`;

/** The batch of this id is one of the namespace; both are expressions of SQL. */
export const isBatchOf = (namespace: string, id: string): string =>
  `EXISTS (SELECT FROM batch own WHERE own.id = ${id} AND own.namespace = ${namespace})`;
