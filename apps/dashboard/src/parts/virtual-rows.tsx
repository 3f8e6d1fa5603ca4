import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useShortcuts } from '../keyboard/use-shortcuts.ts';
import { useSettings } from '../settings/settings.ts';
import { useNarrow } from './use-narrow.ts';

/** What a row has to take over: where it stands, and which it is. */
export interface RowPlace {
  style: CSSProperties;
  'data-row': number;
}

interface VirtualRowsProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  className: string;
  /** Of a narrow screen, if its rows are higher there. Pixels. */
  rowHeights?: { narrow: number };
  /** The last rows are near. */
  onNearEnd?: () => void;
  children: (item: T, place: RowPlace) => ReactNode;
}

const ROW = { comfortable: 36, compact: 28 };
const OVERSCAN = 8;

/** For `memo`: a row is drawn anew only where it stands elsewhere, or what it shows is another. */
export function isSameRow<Props extends RowPlace>(
  { style, ...props }: Props,
  { style: next, ...nextProps }: Props,
): boolean {
  return (
    style.transform === next.transform &&
    Object.entries(nextProps).every(([name, value]) => Object.is(value, Reflect.get(props, name)))
  );
}

/** Rows of one height, of which only those in sight are there. The page scrolls; j and k go from row to row, each a link. */
export function VirtualRows<T>({ items, keyOf, className, rowHeights, onNearEnd, children }: VirtualRowsProps<T>) {
  const parent = useRef<HTMLDivElement>(null);
  const { density } = useSettings();
  const isNarrow = useNarrow();
  const height = isNarrow && rowHeights ? rowHeights.narrow : ROW[density];
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(parent.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height means other places.
  useEffect(() => rows.measure(), [height]);
  const seen = rows.getVirtualItems();
  const last = seen.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - 1 - OVERSCAN) onNearEnd?.();
  }, [last, items.length, onNearEnd]);
  useRowKeys(parent, items.length, (index) => rows.scrollToIndex(index));
  return (
    <div ref={parent} className={className} style={{ height: rows.getTotalSize() }} role="rowgroup">
      {seen.map(({ key, index, start }) => {
        const item = items[index];
        if (item === undefined) return null;
        const place = { style: { transform: `translateY(${start - top}px)` }, 'data-row': index };
        return <Keyed key={key}>{children(item, place)}</Keyed>;
      })}
    </div>
  );
}

function Keyed({ children }: { children: ReactNode }) {
  return children;
}

/** j and k: the focus goes to the next row, and to the one before. */
function useRowKeys(
  parent: React.RefObject<HTMLDivElement | null>,
  count: number,
  scrollTo: (index: number) => void,
): void {
  const step = (by: number) => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-row]');
    const isOurs = focused && parent.current?.contains(focused);
    const wanted = Math.min(Math.max((isOurs ? Number(focused.dataset.row) : by > 0 ? -1 : count) + by, 0), count - 1);
    scrollTo(wanted);
    const linkOf = () => parent.current?.querySelector<HTMLElement>(`[data-row="${wanted}"] a`);
    const link = linkOf();
    // At once, so that Enter right after it opens the row; one out of sight is there after the scroll.
    if (link) link.focus();
    else requestAnimationFrame(() => linkOf()?.focus());
  };
  useShortcuts({ next: () => step(1), previous: () => step(-1) });
}
