import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Json } from '../core/values/json.ts';
import type { McpResult } from './mcp-tool.ts';
import { createWaitingCalls } from './waiting-calls.ts';

/** Calls that end when the test says so, and what was written meanwhile. */
function makeCalls(progressEveryMs?: number) {
  const written: Json[] = [];
  const calls = createWaitingCalls(async (message) => void written.push(message), progressEveryMs);
  const begin = (id: number, meta?: Json) => {
    const later = new EventEmitter();
    const call = (signal: AbortSignal): Promise<McpResult> => {
      signal.addEventListener('abort', () => later.emit('end', 'given up'));
      // An emitted error is a rejection.
      return once(later, 'end').then(([text]) => ({ text: String(text), isError: false }));
    };
    const begun = calls.begin({ id, meta, call });
    return { begun, fail: (error: Error) => later.emit('error', error), end: (text: string) => later.emit('end', text) };
  };
  return { calls, written, begin };
}

test('results are written when they are there, in whatever order', async () => {
  const { calls, written, begin } = makeCalls();
  const [first, second, third] = [begin(1), begin(2), begin(3)];
  second.end('b');
  await pause(1);
  first.end('a');
  third.fail(new Error('out of order'));
  await pause(1);
  await calls.end();
  expect(written).toMatchObject([
    { id: 2, result: { content: [{ text: 'b' }], isError: false } },
    { id: 1, result: { content: [{ text: 'a' }] } },
    { id: 3, result: { content: [{ text: 'out of order' }], isError: true } },
  ]);
});

test('what the client does not want any more gets no answer', async () => {
  const { calls, written, begin } = makeCalls();
  begin(1);
  calls.cancel(1);
  calls.cancel('unknown');
  begin(2);
  await calls.end();
  expect(written).toEqual([]);
});

test('a client that gave a token is told of progress that grows, until the call ends; another one is not', async () => {
  const { calls, written, begin } = makeCalls(5);
  const told = begin(1, { progressToken: 'mine' });
  const silent = begin(2, { progressToken: null });
  while (written.length < 3) await pause(5);
  told.end('a');
  silent.end('b');
  await pause(1);
  const count = written.length;
  await pause(20);
  expect(written).toHaveLength(count);
  const progress = written.flatMap((message) => (JSON.stringify(message).includes('notifications/progress') ? [message] : []));
  expect(progress).toMatchObject(
    progress.map((_, index) => ({ method: 'notifications/progress', params: { progressToken: 'mine', progress: index + 1 } })),
  );
  await calls.end();
});

test('a client that does not read gets one message of progress, not one a time', async () => {
  let writes = 0;
  const calls = createWaitingCalls(() => {
    writes += 1;
    return writes === 1 ? new Promise<void>(() => undefined) : Promise.resolve();
  }, 2);
  const call = async (): Promise<McpResult> => {
    await pause(30);
    return { text: '', isError: false };
  };
  calls.begin({ id: 1, meta: { progressToken: 1 }, call });
  await pause(20);
  expect(writes).toBe(1);
  await calls.end();
});

test('no more wait at the same time than people could be asked, and no two under one id', async () => {
  const { calls, begin } = makeCalls();
  const begun = Array.from({ length: 25 }, (_, id) => begin(id).begun);
  expect(begun.filter((one) => one)).toHaveLength(20);
  calls.cancel(0);
  await pause(1);
  expect([begin(1).begun, begin(30).begun]).toEqual([false, true]);
  await calls.end();
});
