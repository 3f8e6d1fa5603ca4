import { Client, type ClientConfig } from 'pg';

/** As pg calls it back: with an error, or with null and the connection. */
type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

/**
 * A connection that is gone once it could not be made. Where Postgres asks for a password and there is none, pg gives up and leaves the
 * connection as it is: Postgres waits a minute for an answer, and whoever tries again and again fills its connection table.
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
}
