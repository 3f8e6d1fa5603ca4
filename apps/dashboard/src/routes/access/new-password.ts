const BYTES = 20;

/** A password that nobody guesses: 160 random bits, as the command line makes them. */
export function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
