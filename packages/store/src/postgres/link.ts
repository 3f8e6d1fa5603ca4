import { Client, type ClientConfig, DatabaseError } from 'pg';

/** As pg calls it back: with an error, or with null and the connection. */
type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

/** As pg calls back with the result of a statement. */
type Answered = (error: unknown, result?: unknown) => void;

/**
 * A connection that is gone once it could not be made. Where Postgres asks for a password and there is none, pg gives up and leaves the
 * connection as it is: Postgres waits a minute for an answer, and whoever tries again and again fills its connection table.
 *
 * Postgres reports a refusal before it undoes the statement. A refused statement is over here once Postgres is ready again, so that none of
 * its locks stands in the way of the next one.
 */
export class Link extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    // Postgres may end a session in the same breath in which it has opened it, before a pool listens. Who asks next hears of it.
    this.on('error', () => undefined);
  }

  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Client> | undefined {
    const connected = super.connect().catch((error: unknown) => {
      this.end().catch(() => undefined);
      throw error;
    });
    if (!callback) return connected;
    const call = callback as (error: Error | null, client?: Client) => void;
    connected.then((client) => call(null, client), call);
    return undefined;
  }

  /** As pg has it. It may be called in many ways, each with a callback at the end or none. */
  override query(...given: unknown[]): never {
    const done = given.at(-1);
    const waiting = isCallback(done) ? [...given.slice(0, -1), this.#whenReady(done)] : given;
    const sent: unknown = Reflect.apply(super.query, this, waiting);
    return (sent instanceof Promise ? sent.catch((error) => this.#throwWhenReady(error)) : sent) as never;
  }

  #whenReady(done: Answered): Answered {
    return (error, result) => {
      if (error instanceof DatabaseError) super.query('', () => done(error));
      else done(error, result);
    };
  }

  async #throwWhenReady(error: unknown): Promise<never> {
    if (error instanceof DatabaseError) await super.query('').catch(() => undefined);
    throw error;
  }
}

function isCallback(value: unknown): value is Answered {
  return typeof value === 'function';
}
