import { useState } from 'react';
import { useMayAll } from '../../me/me.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/panel.tsx';
import { words } from '../../words/index.ts';
import type { Saved } from './answer.ts';
import type { InForce } from './document.ts';
import { Editor } from './editor.tsx';
import styles from './screen.module.css';

const { alerting: text, common } = words;

/** All of it as JSON, which can be changed. */
export function Definition({ inForce }: { inForce: InForce }) {
  const [isEdited, setIsEdited] = useState(false);
  const [saved, setSaved] = useState<Saved | null>(null);
  const mayEdit = useMayAll('edit');
  const onEdit = () => {
    setSaved(null);
    setIsEdited(true);
  };
  const onSaved = (answer: Saved) => {
    setSaved(answer);
    setIsEdited(false);
  };
  return (
    <Panel
      title={text.definition}
      actions={
        isEdited ? null : (
          <ActionButton words={text.edit} whyNot={mayEdit ? null : common.notAllowedForAll('edit')} onClick={onEdit} />
        )
      }
    >
      <div className={styles.fields}>
        <p className="quiet">{text.definitionWords}</p>
        {saved ? <WhatIsSaved saved={saved} /> : null}
        {isEdited ? <Editor begun={inForce} onSaved={onSaved} onStop={() => setIsEdited(false)} /> : null}
      </div>
    </Panel>
  );
}

function WhatIsSaved({ saved: { kind, version, warnings } }: { saved: Saved }) {
  return (
    <>
      <Note
        tone="good"
        shape="check"
        title={kind === 'unchanged' ? text.unchanged : text.saved(version)}
        role="status"
      />
      {warnings.length === 0 ? null : (
        <Note tone="attention" shape="question" title={text.warnings}>
          {warnings.map((warning) => (
            <span key={warning}>{warning}</span>
          ))}
        </Note>
      )}
    </>
  );
}
