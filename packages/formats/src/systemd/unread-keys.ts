import type { Unit } from './unit-file.ts';

/** Keys that are read, and those without a meaning for a task. All others of a unit are told of. */
const KNOWN: { readonly [section: string]: readonly string[] } = {
  Unit: 'Description Documentation StartLimitBurst StartLimitIntervalSec SourcePath DefaultDependencies'.split(' '),
  Timer:
    'OnCalendar OnBootSec OnStartupSec OnActiveSec OnUnitActiveSec OnUnitInactiveSec OnClockChange OnTimezoneChange AccuracySec RandomizedDelaySec FixedRandomDelay Persistent WakeSystem RemainAfterElapse Unit'.split(
      ' ',
    ),
  Service:
    'Type ExecStart ExecStartPre ExecStartPost ExecCondition Environment EnvironmentFile WorkingDirectory User DynamicUser RemainAfterExit TimeoutStartSec TimeoutSec RuntimeMaxSec Restart RestartSec SyslogIdentifier TimeoutStopSec KillMode'.split(
      ' ',
    ),
};

/** What helps instead of a key. */
const ADVICE: { readonly [key: string]: string } = {
  OnFailure: 'alerts tell of failures; a task that shall follow is named in onFailure of the task',
  OnSuccess: 'a task that shall follow is named in onSuccess of the task',
  ExecStop: 'a run that is stopped gets SIGTERM',
  ExecStopPost: 'put it into the command, in a trap',
  Group: 'the primary group of its user is taken',
  StandardOutput: 'the output of each run is in its log',
  StandardError: 'the output of each run is in its log',
  SuccessExitStatus: 'only 0 is success: end the command with 0',
  PassEnvironment: 'a task has the variables that its definition names, and PATH, HOME, LANG, USER',
};

const NO_MATTER = /^(After|Before|Wants|Requires|BindsTo|PartOf|Requisite|Upholds|Conflicts)$/;
const CONDITION = /^(Condition|Assert)/;

/** What a unit says and a task does not take over, a line for each kind of it. */
export function unreadKeys(unit: Unit, section: 'Unit' | 'Timer' | 'Service'): string[] {
  const keys = unit.keys(section).filter((key) => !KNOWN[section]?.includes(key) && !key.startsWith('X-'));
  const order = keys.filter((key) => NO_MATTER.test(key) && unit.all(section, key).some(isNoTarget));
  const conditions = keys.filter((key) => CONDITION.test(key));
  const advised = keys.filter((key) => key in ADVICE);
  const others = keys.filter((key) => !NO_MATTER.test(key) && !CONDITION.test(key) && !(key in ADVICE));
  return [
    ...advised.map((key) => `${key}: ${ADVICE[key]}`),
    ...(order.length > 0 ? [`${order.join(', ')}: other units are neither waited for nor started`] : []),
    ...(conditions.length > 0 ? [`${conditions.join(', ')}: not looked at; test it in the command`] : []),
    ...(others.length > 0
      ? [
          `${others.join(', ')}: wrap the command (\`systemd-run --pipe --wait -p ${others[0]}=...\`), or set it for the worker`,
        ]
      : []),
  ];
}

/** A target is there before any worker is. */
function isNoTarget(value: string): boolean {
  return value.split(/\s+/).some((name) => !name.endsWith('.target'));
}
