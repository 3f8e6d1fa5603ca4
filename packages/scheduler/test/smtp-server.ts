import { createServer, type Socket } from 'node:net';

export interface Mail {
  from: string;
  to: string[];
  /** Headers and body as they were sent. */
  data: string;
}

export interface SmtpServer {
  url: string;
  mails: Mail[];
  close(): Promise<void>;
}

/** Replies that differ from success, by command or whole line: `{ 'RCPT TO': '550 5.1.1 no such user' }`. */
export type Replies = Record<string, string>;

/** The part of RFC 5321 that a sender needs, one mail a connection. */
export async function createSmtpServer(replies: Replies = {}): Promise<SmtpServer> {
  const mails: Mail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    serve(socket, replies, mails);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function serve(socket: Socket, replies: Replies, mails: Mail[]): void {
  const mail: Mail = { from: '', to: [], data: '' };
  let inData = false;
  let pending = '';
  const reply = (command: string, success: string) => socket.write(`${replies[command] ?? success}\r\n`);

  function command(line: string): void {
    const word = /^(MAIL FROM|RCPT TO|[A-Z]+)/i.exec(line)?.[0].toUpperCase() ?? '';
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
    if (word === 'EHLO') return void reply(word, '250-test\r\n250 AUTH PLAIN');
    if (word === 'MAIL FROM') mail.from = address;
    if (word === 'RCPT TO' && !replies[line]) mail.to.push(address);
    if (word === 'DATA') {
      inData = !replies[word];
      return void reply(word, '354 go on');
    }
    reply(replies[line] ? line : word, word === 'AUTH' ? '235 welcome' : '250 OK');
    if (word === 'QUIT') socket.end();
  }

  function data(line: string): void {
    if (line !== '.') {
      mail.data += `${line}\r\n`;
      return;
    }
    inData = false;
    if (!replies['.']) mails.push(mail);
    reply('.', '250 queued as 42');
  }

  reply('greeting', '220 test');
  socket.on('data', (chunk) => {
    pending += chunk.toString();
    const lines = pending.split('\r\n');
    pending = lines.pop() ?? '';
    for (const line of lines) inData ? data(line) : command(line);
  });
}
