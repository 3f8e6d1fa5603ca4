import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useReplayTask } from '../../../actions/tasks.ts';
import { get } from '../../../api/get.ts';
import { Panel } from '../../../parts/panel.tsx';
import { ProblemNote } from '../../../parts/problem.tsx';
import { Submit } from '../../../parts/submit.tsx';
import { ownZone } from '../../../time/instants.ts';
import { words } from '../../../words/index.ts';
import { type Asked, bodyOf, NOTHING_ASKED } from './asked.ts';
import { Fields } from './fields.tsx';
import { Replayed } from './replayed.tsx';
import styles from './what-if.module.css';

const { whatIf: text } = words;

/** The last runs of a task, played through with another schedule, policy or limit. `task`: its name, to begin with. */
export function WhatIf({ task = '' }: { task?: string }) {
  const [name, setName] = useState(task);
  const [asked, setAsked] = useState<Asked>(NOTHING_ASKED);
  const { ask, replayed, isPending, error } = useAsk();
  const body = bodyOf(asked, ownZone());
  const whyNot = name.trim() === '' ? text.noTask : body === null ? text.nothing : null;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (body && whyNot === null) void ask(name.trim(), body);
  };
  return (
    <Panel title={text.title} note={text.note}>
      <form className={styles.form} onSubmit={onSubmit}>
        <Fields name={name} onName={setName} asked={asked} onAsked={(part) => setAsked({ ...asked, ...part })} />
        <Submit words={text.ask} isPending={isPending} whyNot={whyNot} />
        {error ? <ProblemNote error={error} /> : null}
      </form>
      {replayed ? <Replayed of={replayed.found} expression={replayed.expression} /> : null}
    </Panel>
  );
}

type Body = NonNullable<ReturnType<typeof bodyOf>>;

/** One names a task, and the API knows it by its id. */
function useAsk() {
  const queries = useQueryClient();
  const { mutateAsync, isPending } = useReplayTask();
  const [answer, setAnswer] = useState<Answer | null>(null);
  const ask = async (name: string, body: Body) => {
    try {
      const { id } = await queries.fetchQuery(get('/v1/task', { query: { name } }));
      const found = await mutateAsync({ path: { id }, body });
      setAnswer({ replayed: { found, expression: body.expression } });
    } catch (error) {
      setAnswer({ error });
    }
  };
  return { ask, isPending, replayed: answer?.replayed, error: answer?.error };
}

interface Answer {
  replayed?: {
    found: Awaited<ReturnType<ReturnType<typeof useReplayTask>['mutateAsync']>>;
    expression: string | undefined;
  };
  error?: unknown;
}
