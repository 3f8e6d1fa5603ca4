import type { LeaseCommand, LeaseReply } from './lease-scripts.ts';

export interface LeaseGroupsOptions {
  /** One round trip; answers in the order of the commands. */
  carryOut: (commands: readonly LeaseCommand[]) => Promise<readonly LeaseReply[]>;
  /** Whether Redis itself refused, so that a neighbour may be to blame. */
  isAnswer: (error: unknown) => boolean;
}

interface Asked {
  command: LeaseCommand;
  resolve: (reply: LeaseReply) => void;
  reject: (error: unknown) => void;
}

/** Slots that one call looks at, at most, unless a single key has more: Redis is busy for about a millisecond. */
const MAX_SLOTS = 200;

/**
 * Commands that are asked in the same turn of the event loop share a call, and none waits for another turn's. If Redis
 * refuses the call each is tried alone, so that a bad one does not fail its neighbours.
 */
export function groupLeaseCommands(options: LeaseGroupsOptions): (command: LeaseCommand) => Promise<LeaseReply> {
  let asked: Asked[] = [];

  function flush(): void {
    const all = asked;
    asked = [];
    for (const group of cut(all)) void carryOut(group);
  }

  async function carryOut(group: readonly Asked[]): Promise<void> {
    try {
      const replies = await options.carryOut(group.map(({ command }) => command));
      for (const [index, one] of group.entries()) answer(one, replies[index]);
    } catch (error) {
      if (group.length > 1 && options.isAnswer(error)) for (const one of group) void carryOut([one]);
      else for (const { reject } of group) reject(error);
    }
  }

  return (command) =>
    new Promise((resolve, reject) => {
      // After all promises that are settled by now: what came in one reply of Postgres asks together.
      if (asked.push({ command, resolve, reject }) === 1) process.nextTick(flush);
    });
}

function answer({ resolve, reject }: Asked, reply: LeaseReply | undefined): void {
  if (reply === undefined) reject(new Error('Redis left a command of its call unanswered'));
  else resolve(reply);
}

function cut(all: readonly Asked[]): Asked[][] {
  const groups: Asked[][] = [];
  let slots = MAX_SLOTS;
  for (const one of all) {
    const more = one.command.op === 'acquire' ? one.command.limit : 1;
    slots += more;
    if (slots <= MAX_SLOTS) {
      groups.at(-1)?.push(one);
      continue;
    }
    groups.push([one]);
    slots = more;
  }
  return groups;
}
