export interface EnvSetting {
  name: string;
  value: string;
}

const SETTING = /^(?:(["'])((?:(?!\1)[^=])*)\1|([^\s="'][^\s=]*)?)\s*=\s*(.*)$/s;
const QUOTED = /^(["'])(.*?)\1\s*$/s;

/**
 * Reads `NAME=value` as cron's `load_env` does (Vixie, cronie): blanks around `=` are dropped, name and value may each
 * be quoted with ' or ", a quoted value keeps its blanks and is the last thing on the line, there are no escapes and
 * nothing is expanded. Undefined: no setting, so it has to be a schedule line.
 *
 * One thing is taken that cron refuses: `NAME=` with nothing behind it, as an empty value.
 */
export function readEnvLine(line: string): EnvSetting | undefined {
  const match = SETTING.exec(line);
  if (!match) return undefined;
  const [, , quotedName, plainName = '', rest = ''] = match;
  const name = quotedName ?? plainName;
  if (!/^["']/.test(rest)) return { name, value: rest.trimEnd() };
  const quoted = QUOTED.exec(rest);
  const [, quote = '', value = ''] = quoted ?? [];
  // What follows the second quote makes it no setting, as in `A='b' c`.
  return quoted && !value.includes(quote) ? { name, value } : undefined;
}
