import { Button } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Note } from '../../parts/note.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { ReasonField, saidOf } from '../../parts/reason-field.tsx';
import { Submit } from '../../parts/submit.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { words } from '../../words/index.ts';
import type { Draft } from '../edit/draft.ts';
import { JsonView } from '../edit/json-view.tsx';
import type { Saved } from './answer.ts';
import type { InForce } from './document.ts';
import { merged } from './merge.ts';
import styles from './screen.module.css';
import { useSave } from './use-save.ts';

const { alerting: text } = words;

interface EditorProps {
  begun: InForce;
  onSaved: (saved: Saved) => void;
  onStop: () => void;
}

/** Changes the document that one began with, and no other: where somebody has saved it meanwhile, it says what they changed. */
export function Editor({ begun, onSaved, onStop }: EditorProps) {
  const [base, setBase] = useState(begun);
  const [draft, setDraft] = useState<Draft | undefined>(base.definition);
  const [rebases, setRebases] = useState(0);
  const [reason, setReason] = useState('');
  const isChanged = JSON.stringify(draft) !== JSON.stringify(base.definition);
  const letGo = useUnsaved(isChanged, text.leave);
  const { save, isPending, outcome, reset } = useSave({
    base,
    onSaved: (saved) => {
      letGo();
      onSaved(saved);
    },
  });
  const whyNot = draft === undefined ? text.notJson : isChanged ? null : text.nothing;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (draft !== undefined && whyNot === null) void save(draft, saidOf(reason));
  };
  const onRebase = (theirs: InForce) => {
    if (draft === undefined) return;
    setDraft(merged({ from: base.definition, mine: draft, theirs: theirs.definition }).document);
    setBase(theirs);
    // The field that keeps what was typed begins anew.
    setRebases(rebases + 1);
    reset();
  };
  return (
    <form className={styles.fields} onSubmit={onSubmit}>
      <JsonView key={rebases} draft={draft} onDraft={setDraft} />
      <ReasonField reason={reason} onReason={setReason} />
      {rebases > 0 && outcome === null ? <Note tone="attention" shape="hand" title={text.rebased} /> : null}
      {outcome?.kind === 'failed' ? <ProblemNote error={outcome.error} /> : null}
      {outcome?.kind === 'hidden' ? (
        <Note tone="bad" shape="cross" title={text.stillHidden(outcome.places)} role="alert">
          <span>{text.stillHiddenFix}</span>
        </Note>
      ) : null}
      {outcome?.kind === 'conflict' && draft !== undefined ? (
        <Conflict base={base} draft={draft} theirs={outcome.theirs} onAgain={() => onRebase(outcome.theirs)} />
      ) : null}
      <Submit words={text.save} isPending={isPending} whyNot={whyNot}>
        <Button variant="default" onClick={onStop}>
          {text.stop}
        </Button>
      </Submit>
    </form>
  );
}

interface ConflictProps {
  base: InForce;
  draft: Draft;
  theirs: InForce;
  onAgain: () => void;
}

/** What others have saved since, and what happens to it. */
function Conflict({ base, draft, theirs, onAgain }: ConflictProps) {
  const change = merged({ from: base.definition, mine: draft, theirs: theirs.definition });
  return (
    <Note
      tone="attention"
      shape="hand"
      title={text.conflict(theirs.version)}
      role="alert"
      actions={
        <Button size="compact-sm" variant="default" onClick={onAgain}>
          {text.again}
        </Button>
      }
    >
      <span>{change.theirs.length === 0 ? text.conflictNothing : text.conflictTheirs(change.theirs)}</span>
      {change.both.length === 0 ? null : <span>{text.conflictBoth(change.both)}</span>}
    </Note>
  );
}
