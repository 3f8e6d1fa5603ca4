/** Prints what a command finds in octal digits, past every masking. */
const inOctal = (command: string) => `{ ${command}; } 2>/dev/null | od -An -v -to1 | tr -d ' \\n'`;

/**
 * The beginning of each regular file that these processes have open: reading a pipe could wait for ever, or take what is
 * somebody's. Not those of the Postgres of the tests, which belongs to nobody too and has hundreds.
 */
const filesOf = (processes: string) => `for p in ${processes}; do
  grep -qs postgres $p/comm && continue
  files=$(for f in $p/fd/*; do [ -f "$f" ] && echo "$f"; done)
  [ -n "$files" ] && head -q -c 65536 $files
done`;

/** Attacks by a shell task; each prints what it found in octal digits. */
export const SHELL_ATTACKS = {
  env: inOctal('env'),
  'environment of the parent': inOctal('cat /proc/$PPID/environ'),
  'environments of all processes': inOctal('cat /proc/[0-9]*/environ'),
  'arguments of the parent': inOctal('cat /proc/$PPID/cmdline'),
  'arguments of all processes': inOctal('cat /proc/[0-9]*/cmdline'),
  'descriptors of the parent': inOctal(filesOf('/proc/$PPID')),
  'descriptors of all processes': inOctal(filesOf('/proc/[0-9]*')),
  'descriptors of its own': inOctal(
    'for n in $(seq 3 255); do [ -e /proc/$$/fd/$n ] && readlink /proc/$$/fd/$n && timeout 1 cat /proc/$$/fd/$n; done',
  ),
  'files of settings': inOctal('cat $SETTINGS_PATH'),
} as const;

/** What such an attack found. */
export function foundInOctal(log: string): string {
  const bytes = log.replace(/[^0-7]/g, '').match(/.{3}/g) ?? [];
  return Buffer.from(bytes.map((digits) => Number.parseInt(digits, 8))).toString('latin1');
}
