import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { nowMs } from '../../clock.ts';
import { isAbout } from '../keys.ts';
import { isPassing } from '../problem.ts';
import { createReader } from './reader.ts';
import { type LiveState, LiveStream } from './stream.ts';
import { touchedBy } from './topics.ts';

/** A tab that nobody has seen for so long needs no events. */
const HIDDEN_MS = 30_000;

const LiveContext = createContext<LiveStream | null>(null);

/** Opens the one stream of events of this tab: what has changed is read anew. */
export function Live({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [reader] = useState(() => createReader(queries));
  const [stream] = useState(
    () =>
      new LiveStream({
        open: () => new EventSource('/v1/events'),
        now: nowMs,
        random: Math.random,
        onEvents: (topics) => reader.readAnew(touchedBy(topics)),
        // Who is not signed in any more is told so by the answer to this.
        onRefused: () => void queries.invalidateQueries({ predicate: ({ queryKey }) => isAbout(queryKey, ['me']) }),
      }),
  );
  useEffect(() => {
    stream.start();
    const stopWatching = pauseWhileHidden(stream);
    const stopAnswers = watchAnswers(queries, stream);
    const stopReading = reader.watch();
    return () => {
      stopWatching();
      stopAnswers();
      stopReading();
      stream.stop();
    };
  }, [stream, reader, queries]);
  return <LiveContext value={stream}>{children}</LiveContext>;
}

/** How the stream stands. */
export function useLive(): LiveState & { pause: () => void; resume: () => void } {
  const stream = useContext(LiveContext);
  if (!stream) throw new Error('Live is not there');
  const state = useSyncExternalStore(stream.subscribe, () => stream.state);
  return { ...state, pause: () => stream.pause(), resume: () => stream.resume() };
}

/** Tells the stream whether other requests are answered. */
function watchAnswers(queries: QueryClient, stream: LiveStream): () => void {
  return queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { action } = event;
    if (action.type === 'failed' || action.type === 'error') {
      if (isPassing(action.error)) stream.unanswered();
    } else if (action.type === 'success' && !action.manual) stream.answered();
  });
}

function pauseWhileHidden(stream: LiveStream): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasPausedHere = false;
  const onChange = () => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => {
        if (stream.state.kind === 'paused') return;
        wasPausedHere = true;
        stream.pause();
      }, HIDDEN_MS);
    } else if (wasPausedHere) {
      wasPausedHere = false;
      stream.resume();
    }
  };
  document.addEventListener('visibilitychange', onChange);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onChange);
  };
}
