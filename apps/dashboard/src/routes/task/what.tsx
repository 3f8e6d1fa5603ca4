import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toCalendar } from '../../links.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';
import { durationWords } from '../../time/durations.ts';
import { Instant } from '../../time/instant.tsx';
import { zoneOf } from '../../time/schedule-zone.ts';
import { words } from '../../words/index.ts';
import type { TaskDescription } from './answer.ts';
import styles from './screen.module.css';

type Definition = TaskDescription['definition'];

const { task: text } = words;

/** What a task runs, when, and within which limits. What is left to its default is left out. */
export function What({ task }: { task: TaskDescription }) {
  const { name, definition, meaning, formerNames } = task;
  return (
    <Panel title={text.what} actions={<CopyButton label={text.copyCli} text={`npx escapement tasks show ${name}`} />}>
      <div className={styles.what}>
        {definition.description ? <span>{definition.description}</span> : null}
        <strong>{meaning}</strong>
        {formerNames.length === 0 ? null : (
          <span className="quiet">
            {text.formerNames} {formerNames.join(', ')}
          </span>
        )}
      </div>
      <Facts of={[...whenFacts(task), ...howFacts(definition), ...whereFacts(task)]} />
    </Panel>
  );
}

type Fact = readonly [name: string, value: ReactNode];

function whenFacts({ definition, nextStartAt }: TaskDescription): Fact[] {
  const { fact } = text;
  const zone = zoneOf(definition);
  const { schedule } = definition;
  return [
    [fact.next, nextStartAt && <Instant key="next" at={nextStartAt} scheduleZone={zone} as="both" />],
    [fact.schedule, schedule?.kind === 'cron' ? <code key="cron">{schedule.expression}</code> : null],
    [fact.zone, zone],
  ];
}

function howFacts(definition: Definition): Fact[] {
  const { fact } = text;
  const { handler, key, limit, rate, overlap, timeoutMs, retry, catchUp } = definition;
  const policy = typeof catchUp === 'object' ? catchUp.policy : catchUp;
  return [
    [fact.handler, <code key="handler">{handlerWords(handler)}</code>],
    [fact.key, key ?? text.ownKey],
    [fact.overlap, overlap && text.overlaps[overlap.policy]],
    [fact.limit, limit],
    [fact.rate, rate && text.rate(rate.limit, durationWords(rate.perMs))],
    [fact.timeout, timeoutMs === undefined ? null : durationWords(timeoutMs)],
    [fact.attempts, retry?.maxAttempts],
    [fact.catchUp, policy && text.catchUps[policy]],
  ];
}

function whereFacts({ id, definition, source, version, updatedAt, workers, calendars }: TaskDescription): Fact[] {
  const { fact } = text;
  const { labels = {}, priority, runOn } = definition;
  const named = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return [
    [fact.priority, priority],
    [fact.runOn, runOn && text.everyWorker],
    [
      fact.calendars,
      calendars.length === 0 ? null : <Calendars key="calendars" names={calendars.map(({ name }) => name)} />,
    ],
    [fact.labels, named.join(', ') || null],
    [fact.source, source],
    [fact.version, version],
    [fact.changed, <Instant key="changed" at={updatedAt} as="relative" />],
    [fact.workers, workers && workersWords(workers)],
    [fact.id, <code key="id">{id}</code>],
  ];
}

function Calendars({ names }: { names: readonly string[] }) {
  return names.map((name, index) => (
    <span key={name}>
      {index === 0 ? null : ', '}
      <Link {...toCalendar(name)}>{name}</Link>
    </span>
  ));
}

function workersWords(workers: NonNullable<TaskDescription['workers']>): string {
  return workers.map(({ name, isAlive }) => text.worker(name, isAlive)).join(', ') || text.noWorker;
}

function handlerWords(handler: Definition['handler']): string {
  const { code, shell, http } = text.handlers;
  switch (handler.type) {
    case 'code':
      return code(handler.name);
    case 'shell':
      return shell(handler.command ?? (handler.argv ?? []).join(' '));
    case 'http':
      return http(handler.method ?? 'POST', handler.url);
  }
}
