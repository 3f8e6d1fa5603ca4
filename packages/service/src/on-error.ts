/** Hears of errors that end nothing, and who met them: a loop says its name of itself. */
export type OnError = (error: unknown, by?: { name: string }) => void;

/** The ear of a part that has no name of its own. */
export function errorsOf(name: string, onError: OnError): (error: unknown) => void {
  return (error) => onError(error, { name });
}
