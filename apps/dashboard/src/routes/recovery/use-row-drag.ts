import { type PointerEvent, useEffect, useRef, useState } from 'react';

/** A row that is being dragged. */
export interface Drag {
  name: string;
  /** Its place among all rows (from 0 on) if it is let go now. */
  to: number;
  /** So far it is from its own place, in pixels. */
  byPx: number;
}

/** A pointer that is down on a handle. */
interface Pressed {
  name: string;
  row: HTMLTableRowElement;
  /** Where, in the page. */
  fromY: number;
  /** Where it is now, in the window. */
  clientY: number;
}

/** As far as a finger may move that only presses. */
const SLACK_PX = 6;
/** So near to an edge of the window the page goes along, so far at once. */
const EDGE_PX = 64;
const STEP_PX = 10;

/** What makes an element the handle of a row. */
export interface HandleEvents {
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  onPointerUp: () => void;
  onPointerCancel: () => void;
}

/** Drags rows of a table by their handles, with any pointer. Escape lets a row go where it was. */
export function useRowDrag(onDrop: (name: string, at: number) => void) {
  const pressed = useRef<Pressed | null>(null);
  const dragged = useRef<Drag | null>(null);
  // The browser says of what ends a drag that the handle was pressed, too.
  const hasDragged = useRef(false);
  const [drag, setDrag] = useState<Drag | null>(null);
  const show = (next: Drag | null) => {
    dragged.current = next;
    if (next) hasDragged.current = true;
    setDrag(next);
  };
  const follow = () => {
    const at = pressed.current;
    if (!at) return;
    const byPx = at.clientY + window.scrollY - at.fromY;
    if (dragged.current || Math.abs(byPx) > SLACK_PX) show({ name: at.name, to: placeOf(at), byPx });
  };
  const end = () => {
    pressed.current = null;
    show(null);
  };
  useWhile(drag !== null, { follow, end, clientY: () => pressed.current?.clientY ?? null });
  return {
    drag,
    /** What was a drag is no press. */
    isPress: () => !hasDragged.current,
    /** Of the handle of a row. */
    handleOf: (name: string): HandleEvents => ({
      onPointerDown(event: PointerEvent<HTMLElement>) {
        const row = event.currentTarget.closest('tr');
        if (event.button !== 0 || !row) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        hasDragged.current = false;
        pressed.current = { name, row, fromY: event.clientY + window.scrollY, clientY: event.clientY };
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (!pressed.current) return;
        pressed.current.clientY = event.clientY;
        follow();
      },
      onPointerUp() {
        const last = dragged.current;
        const isElsewhere = last && pressed.current && last.to !== placeNow(pressed.current);
        end();
        requestAnimationFrame(() => {
          hasDragged.current = false;
        });
        if (isElsewhere) onDrop(last.name, last.to);
      },
      onPointerCancel: end,
    }),
  };
}

function placeNow({ row }: Pressed): number {
  return [...(row.parentElement?.children ?? [])].indexOf(row);
}

/** How many of the other rows are above the pointer. */
function placeOf({ row, clientY }: Pressed): number {
  const rows = [...(row.parentElement?.children ?? [])].filter((each) => each !== row);
  return rows.filter((each) => {
    const { top, height } = each.getBoundingClientRect();
    return top + height / 2 < clientY;
  }).length;
}

/** While a row is dragged the page goes along at its edges, and Escape ends it. */
function useWhile(isOn: boolean, now: { follow: () => void; end: () => void; clientY: () => number | null }): void {
  const latest = useRef(now);
  useEffect(() => {
    latest.current = now;
  });
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => (event.key === 'Escape' ? latest.current.end() : undefined);
    let frame = requestAnimationFrame(function step() {
      const byPx = scrollAt(latest.current.clientY());
      if (byPx !== 0) {
        window.scrollBy(0, byPx);
        latest.current.follow();
      }
      frame = requestAnimationFrame(step);
    });
    window.addEventListener('keydown', onKey);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('keydown', onKey);
    };
  }, [isOn]);
}

function scrollAt(clientY: number | null): number {
  if (clientY === null) return 0;
  if (clientY < EDGE_PX) return -STEP_PX;
  return clientY > window.innerHeight - EDGE_PX ? STEP_PX : 0;
}
