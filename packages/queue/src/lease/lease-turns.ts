/** Runs works of one name one after the other: of two deliveries of a job, the second sees what the first one got. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name);
    const mine = before ? before.then(work, work) : work();
    last.set(name, mine);
    const leave = () => void (last.get(name) === mine && last.delete(name));
    mine.then(leave, leave);
    return mine;
  };
}
