// A process of its own that wants a bit of a processor five times a second, and says when it got it. Plain JavaScript, so that
// it starts without a loader. Its clock is the machine's.
const EVERY_MS = 200;
const WORK_MS = 6;

/** @param {number} rounds */
function work(rounds) {
  let sum = 0;
  for (let round = 0; round < rounds; round++) sum += Math.sqrt(round);
  return sum;
}

/** @param {() => unknown} what */
function cpuMsOf(what) {
  const before = process.cpuUsage();
  what();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

let rounds = 10_000;
while (cpuMsOf(() => work(rounds)) < WORK_MS) rounds *= 1.5;

let dueMs = Date.now();

function turn() {
  const cpuMs = cpuMsOf(() => work(rounds));
  const doneMs = Date.now();
  const nextMs = doneMs + EVERY_MS;
  // Whoever has gone needs no answer.
  process.send?.({ dueMs, doneMs, cpuMs, nextMs }, () => undefined);
  dueMs = nextMs;
  setTimeout(turn, EVERY_MS);
}

process.on('disconnect', () => process.exit());
turn();
