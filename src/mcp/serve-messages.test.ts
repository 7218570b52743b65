import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { type Json, parseJson } from '../core/values/json.ts';
import type { McpServer, McpTool } from './mcp-tool.ts';
import { MAX_LINE_BYTES } from './message-lines.ts';
import { serveMessages } from './serve-messages.ts';

const ECHO: McpTool = {
  name: 'echo',
  description: 'Says what it was told.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  call: async (args) => ({ text: JSON.stringify(args), isError: false }),
};
const BROKEN: McpTool = { ...ECHO, name: 'broken', call: () => Promise.reject(new Error('out of order')) };
/** Waits until nobody wants its result, or for what it was told to wait. */
const WAITER: McpTool = {
  ...ECHO,
  name: 'waiter',
  waits: true,
  call: async ({ ms }, signal) => {
    await pause(Number(ms), undefined, { signal }).catch(() => undefined);
    return { text: 'over', isError: false };
  },
};
const SERVER: McpServer = { name: 'tester', version: '1.2.3', instructions: 'For tests.', tools: [ECHO, BROKEN, WAITER] };

async function serve(...lines: readonly string[]): Promise<{ answers: readonly Json[]; complaints: readonly string[] }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const complaints: string[] = [];
  const done = serveMessages(SERVER, { input, output, complain: (line) => complaints.push(line) });
  input.end(lines.map((line) => `${line}\n`).join(''));
  const chunks: Buffer[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk));
  await done;
  const text = Buffer.concat(chunks).toString('utf8');
  return { answers: text.split('\n').flatMap((line) => (line === '' ? [] : [parseJson(line) as Json])), complaints };
}

const ask = (id: number | string, method: string, params?: Json): string => JSON.stringify({ jsonrpc: '2.0', id, method, params });

test('a client is greeted in its own version of the protocol, and in ours where that is unknown', async () => {
  const hello = (protocolVersion: string): string => ask(1, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'c' } });
  for (const [asked, answered] of [
    ['2024-11-05', '2024-11-05'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ] as const) {
    const { answers } = await serve(hello(asked), '{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect(answers).toMatchObject([
      { id: 1, result: { protocolVersion: answered, capabilities: { tools: {} }, serverInfo: { name: 'tester', version: '1.2.3' } } },
    ]);
  }
});

test('tools are listed and called, in the order of the questions', async () => {
  const { answers, complaints } = await serve(
    ask('a', 'ping'),
    ask(2, 'tools/list'),
    ask(3, 'tools/call', { name: 'echo', arguments: { word: 'hey' } }),
  );
  expect(answers).toMatchObject([
    { id: 'a', result: {} },
    {
      id: 2,
      result: {
        tools: [
          { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
          { name: 'broken' },
          { name: 'waiter' },
        ],
      },
    },
    { id: 3, result: { isError: false, content: [{ type: 'text', text: '{"word":"hey"}' }] } },
  ]);
  expect(complaints).toEqual([]);
});

test('what cannot be done is answered with an error of JSON-RPC, and the next question is answered too', async () => {
  const { answers } = await serve(
    ask(1, 'resources/list'),
    ask(2, 'toString'),
    ask(3, 'tools/call', { name: 'nothing' }),
    ask(4, 'tools/call', { name: 'echo', arguments: 'words' }),
    ask(5, 'tools/call', { name: 'broken' }),
    ask(6, 'tools/list', [] as unknown as Json),
    '{"jsonrpc":"2.0","id":7,"method":12}',
    ask(8, 'ping'),
  );
  expect(answers).toMatchObject([
    { id: 1, error: { code: -32601 } },
    { id: 2, error: { code: -32601 } },
    { id: 3, error: { code: -32602, message: expect.stringContaining('echo, broken') } },
    { id: 4, error: { code: -32602 } },
    { id: 5, error: { code: -32603, message: 'out of order' } },
    { id: 6, error: { code: -32602 } },
    { id: 7, error: { code: -32600 } },
    { id: 8, result: {} },
  ]);
});

test('garbage is told to the log, never answered, and ends nothing', async () => {
  const { answers, complaints } = await serve(
    'not json',
    '',
    '7',
    'null',
    '[]',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    ask(1, 'ping'),
  );
  expect(answers).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  expect(complaints).toHaveLength(5);
});

test('a batch is answered as one, without its notifications', async () => {
  const { answers } = await serve(`[${ask(1, 'ping')},{"jsonrpc":"2.0","method":"notifications/cancelled"},${ask(2, 'ping')}]`);
  expect(answers).toMatchObject([[{ id: 1 }, { id: 2 }]]);
});

test('a line that is too long is refused by its id, and the next one is answered', async () => {
  const { answers } = await serve(ask(1, 'tools/call', { name: 'echo', arguments: { word: 'x'.repeat(MAX_LINE_BYTES) } }), ask(2, 'ping'));
  expect(answers).toMatchObject([
    { id: 1, error: { code: -32600 } },
    { id: 2, result: {} },
  ]);
});

test('what waits keeps nobody waiting, is answered when it is over, and not once it is cancelled', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers: Json[] = [];
  output.on('data', (chunk: Buffer) =>
    answers.push(
      ...chunk
        .toString('utf8')
        .trim()
        .split('\n')
        .map((line) => parseJson(line) as Json),
    ),
  );
  const done = serveMessages(SERVER, { input, output, complain: () => undefined });
  const wait = (id: number, ms: number): string => ask(id, 'tools/call', { name: 'waiter', arguments: { ms } });
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}';
  input.write(`${[wait(1, 30), wait(2, 60_000), ask(3, 'ping'), cancelled].join('\n')}\n`);
  while (answers.length < 2) await pause(5);
  expect(answers).toMatchObject([
    { id: 3, result: {} },
    { id: 1, result: { content: [{ text: 'over' }], isError: false } },
  ]);
  input.end(`${wait(4, 60_000)}\n`);
  await done;
  expect(answers).toHaveLength(2);
});

test('a reader that goes away ends it', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const done = serveMessages(SERVER, { input, output, complain: () => undefined });
  output.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
  await expect(done).resolves.toBeUndefined();
});

test('whatever the lines hold, every request with an id gets exactly one answer', async () => {
  const line = fc.oneof(fc.string(), fc.json(), fc.constantFrom(ask(5, 'ping'), ask(6, 'nope'), ask('x', 'tools/call', { name: 'echo' })));
  await fc.assert(
    fc.asyncProperty(fc.array(line), async (lines) => {
      const clean = lines.map((text) => text.replaceAll('\n', ' '));
      const { answers } = await serve(...clean);
      const asked = clean.filter((text) => [ask(5, 'ping'), ask(6, 'nope'), ask('x', 'tools/call', { name: 'echo' })].includes(text));
      expect(answers).toHaveLength(asked.length);
    }),
    { numRuns: propertyRuns(50) },
  );
});
