import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { words } from '../../words/index.ts';
import styles from './screen.module.css';
import type { HandleEvents } from './use-row-drag.ts';

const { recovery: text } = words;

/** Where a task can go from its place. */
export type Move = 'top' | 'up' | 'down';

const MOVES: readonly Move[] = ['top', 'up', 'down'];
const KEYS: Readonly<Record<string, Move>> = { Home: 'top', ArrowUp: 'up', ArrowDown: 'down' };

interface PlaceHandleProps {
  task: string;
  /** Its place in the order, from 1 on; null: it is not in it. */
  place: number | null;
  /** Why it cannot be moved; null: it can. */
  whyNot: string | null;
  /** Moves that lead nowhere. */
  idle: readonly Move[];
  onMove: (move: Move) => void;
  /** What drags its row. */
  drag: HandleEvents;
  /** Whether a click is no end of a drag. */
  isPress: () => boolean;
}

/** Moves the row of a task: by dragging it, by arrow keys, or by the menu that a press opens. */
export function PlaceHandle({ task, place, whyNot, idle, onMove, drag, isPress }: PlaceHandleProps) {
  const [isOpen, setOpen] = useState(false);
  const can = whyNot === null;
  const onKeyDown = (event: KeyboardEvent) => {
    const move = KEYS[event.key];
    if (!move || isOpen || !can) return;
    event.preventDefault();
    if (!idle.includes(move)) onMove(move);
  };
  const button = (
    <UnstyledButton
      className={styles.handle ?? ''}
      aria-label={text.move(task, place)}
      aria-keyshortcuts="ArrowUp ArrowDown Home"
      aria-disabled={!can}
      data-handle={task}
      onKeyDown={onKeyDown}
      {...(can ? drag : {})}
    >
      <Grip />
      <span className={styles.place}>{place}</span>
    </UnstyledButton>
  );
  return can ? (
    <Menu
      opened={isOpen}
      onChange={(open) => setOpen(open && isPress())}
      position="bottom-start"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {MOVES.map((move) => (
          <Menu.Item
            key={move}
            className={styles.choice ?? ''}
            disabled={idle.includes(move)}
            onClick={() => onMove(move)}
          >
            {text.moves[move]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  ) : (
    <Tooltip label={whyNot} events={{ hover: true, focus: true, touch: true }} multiline maw={280}>
      {button}
    </Tooltip>
  );
}

function Grip() {
  return (
    <svg width={14} height={14} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d="M6 3.5v.1M10 3.5v.1M6 8v.1M10 8v.1M6 12.5v.1M10 12.5v.1"
        stroke="currentColor"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  );
}
