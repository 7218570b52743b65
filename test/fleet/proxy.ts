import { createServer, connect as dial, type Socket } from 'node:net';

/** A connection through it: what comes from one side goes to the other, later by so much. */
interface Passage {
  readonly ends: readonly [Socket, Socket];
  /** Nothing that comes over it is passed on any more, and nobody is told. */
  isLost: boolean;
}

/** Between programs and a server, on loopback: the network that goes wrong. */
export interface TestProxy {
  readonly url: string;
  /** Ends every connection, and refuses new ones until it is restored. */
  readonly cut: () => void;
  /** Passes on nothing, in either direction, until it is restored: then all of it, in order. */
  readonly hold: () => void;
  /** Loses what comes over the connections that there are, for ever and without a word; new ones pass. */
  readonly lose: () => void;
  /** Passes on everything later by so much. */
  readonly delay: (ms: number) => void;
  readonly restore: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a proxy before a server. */
export async function startProxy(target: string): Promise<TestProxy> {
  const port = Number(new URL(target).port);
  const passages = new Set<Passage>();
  let state: 'open' | 'cut' | 'held' = 'open';
  let delayMs = 0;
  const waiting = new Set<() => void>();
  const untilOpen = (): Promise<void> =>
    state === 'held' ? new Promise((resolve) => waiting.add(resolve)) : new Promise((resolve) => setTimeout(resolve, delayMs));
  const end = ({ ends }: Passage): void => {
    for (const socket of ends) socket.destroy();
  };
  const pass = (passage: Passage, from: Socket, to: Socket): void => {
    let passed: Promise<void> = Promise.resolve();
    from.on('data', (bytes) => {
      passed = passed.then(untilOpen).then(() => void (passage.isLost || to.destroyed || to.write(bytes)));
    });
    from.on('error', () => undefined);
    // An end travels behind what was said before it.
    from.on('close', () => {
      passed = passed.then(untilOpen).then(() => {
        if (!passage.isLost) to.destroy();
        if (to.destroyed) passages.delete(passage);
      });
    });
  };
  const listener = createServer((socket) => {
    if (state === 'cut') return void socket.destroy();
    const server = dial({ port, host: '127.0.0.1', noDelay: true });
    const passage: Passage = { ends: [socket, server], isLost: false };
    passages.add(passage);
    pass(passage, socket, server);
    pass(passage, server, socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port: own } = listener.address() as { readonly port: number };
  return {
    url: `nats://127.0.0.1:${own}`,
    cut: () => {
      state = 'cut';
      for (const passage of passages) end(passage);
    },
    hold: () => {
      state = 'held';
    },
    lose: () => {
      for (const passage of passages) passage.isLost = true;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    restore: () => {
      [state, delayMs] = ['open', 0];
      for (const go of [...waiting]) go();
      waiting.clear();
    },
    close: async () => {
      for (const passage of passages) end(passage);
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
