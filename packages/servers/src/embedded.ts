/** Where and how an embedded server runs. */
export interface EmbeddedOptions {
  /** The folder of its data; made when missing. Its log and the note of its owner are kept beside it. */
  dir: string;
  /** The port to take when it is free; 0 = any. */
  port: number;
  /** Speed instead of durability. Default false. */
  ephemeral?: boolean;
  /** A folder to delete once the server has ended, however that came about. */
  removeDir?: string | undefined;
  /** Further settings: `name=value` for Postgres, `--name value` for Redis. */
  settings?: string[];
}

/** A server that runs on this machine. */
export interface EmbeddedServer {
  url: string;
  port: number;
  /** Process id of the server. */
  pid: number;
  /** Whether it belongs to another process of ours that runs now; `stop` then leaves it alone. */
  shared: boolean;
  /** Ends it in order (SIGKILL after 5 s) and waits for it. Again is harmless. */
  stop(): Promise<void>;
}
