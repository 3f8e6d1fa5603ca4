/** A file of the project as it shall be. */
export interface Change {
  file: string;
  content: string;
  /** What is said of it. */
  what: string;
  /** It is not there yet. */
  isNew: boolean;
  /** Who may read it. Default: as of all files. */
  mode?: number;
}
