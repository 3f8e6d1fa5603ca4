import { Modal, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { words } from '../words/index.ts';
import styles from './palette.module.css';
import type { Opened } from './use-actions.ts';
import { type Found, useFound } from './use-found.ts';

interface PaletteProps {
  onClose: () => void;
  onOpen: (what: Opened) => void;
}

/** Goes to a page, a task or a run by a part of its name, or does what can be done. */
export default function Palette({ onClose, onOpen }: PaletteProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const found = useFound(text, onOpen);
  useFocusBack();
  const navigate = useNavigate();
  const go = (one: Found | undefined) => {
    if (!one) return;
    // It goes first: a dialog that an act opens comes back to what was before the palette.
    flushSync(onClose);
    if ('link' in one) void navigate(one.link);
    else one.action();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') go(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      lockScroll={false}
      aria-label={words.shell.palette}
      yOffset="12vh"
    >
      <TextInput
        aria-label={words.shell.palette}
        placeholder={words.shell.paletteHint}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={found[at] ? `${list}-${at}` : undefined}
        data-autofocus
      />
      {found.length === 0 ? <p className={styles.group}>{words.shell.paletteEmpty}</p> : null}
      <div id={list} className={styles.results} role="listbox" aria-label={words.shell.palette}>
        {found.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
          <div
            key={`${one.kind} ${one.name}`}
            id={`${list}-${index}`}
            className={styles.one}
            role="option"
            aria-selected={index === at}
            ref={index === at ? intoView : undefined}
            onClick={() => go(one)}
          >
            <span className="cut">{one.name}</span>
            <span className="quiet">{one.kind}</span>
          </div>
        ))}
      </div>
    </Modal>
  );
}

function intoView(chosen: HTMLElement | null): void {
  chosen?.scrollIntoView({ block: 'nearest' });
}
