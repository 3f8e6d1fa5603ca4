import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server that is to stop. */
export interface Connections {
  /**
   * Ends those on which no request is under way, also those on which none was ever sent: browsers open such ones ahead of need, and
   * Node's own `closeIdleConnections` takes them for busy. Each of the others ends with the answer that is under way.
   */
  endAll(): void;
}

export function connectionsOf(server: Server): Connections {
  const requests = new Map<Socket, number>();
  let ending = false;
  server.on('connection', (socket) => {
    // A server that is about to close listens for a moment still.
    if (ending) {
      socket.destroy();
      return;
    }
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', ({ socket }, answer) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    answer.once('close', () => {
      const left = requests.get(socket);
      if (left === undefined) return;
      requests.set(socket, left - 1);
      if (ending && left === 1) socket.destroySoon();
    });
  });
  return {
    endAll() {
      ending = true;
      for (const [socket, underWay] of requests) if (underWay === 0) socket.destroy();
    },
  };
}
