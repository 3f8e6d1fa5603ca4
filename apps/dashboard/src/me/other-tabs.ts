const CHANNEL = 'escapement-session';

/** Tells the other tabs of this browser that whoever was signed in has left. */
export function notifyOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('left');
  channel.close();
}

/** Hears the same from the other tabs. What is returned stops that. */
export function onOtherTabs(onLeft: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', onLeft);
  return () => channel.close();
}
