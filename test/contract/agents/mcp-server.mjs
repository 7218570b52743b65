/**
 * An MCP server that behaves as its argument says: `good` (the default), `dies` in mid call, `silent`, `mute` (never answers at all), `exits` at
 * once, `endless` (a line without an end), `deaf` to SIGTERM with a child that outlives it, `many` tools on many pages, `odd` tools,
 * `faulty`: some of its tools are described badly, and hints are spelt in the other way.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [mode = 'good'] = process.argv.slice(2);
const OBJECT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const GOOD = [
  { name: 'find', description: 'Finds \u001b[31mthings.', inputSchema: OBJECT, annotations: { readOnlyHint: true, openWorldHint: false } },
  { name: 'drop', inputSchema: { type: 'object' } },
];
const ODD = [
  { name: 'a/b c', inputSchema: { type: 'object', properties: { x: { type: 'nonsense' } } } },
  { name: 'a_b_c', inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'same', type: 'object' } },
  {
    name: 'x'.repeat(200),
    inputSchema: { $id: 'same', type: 'object' },
    outputSchema: { type: 'object', properties: { y: { $ref: '#/nowhere' } } },
  },
];

const FAULTY = [
  { name: 'find', inputSchema: OBJECT, annotations: { read_only_hint: true, destructive_hint: false, open_world_hint: false } },
  { name: 'listy', inputSchema: { type: 'array' } },
  { name: 'boastful', inputSchema: { type: 'object' }, annotations: { readOnlyHint: 'yes', read_only_hint: 1, title: 7 } },
  7,
  { inputSchema: { type: 'object' } },
];

function listTools(cursor) {
  if (mode === 'faulty') return { tools: FAULTY };
  if (mode === 'odd') return { tools: ODD };
  if (mode !== 'many') return { tools: GOOD };
  const page = Number(cursor ?? 0);
  return { tools: [{ name: `tool_${page}`, inputSchema: { type: 'object' } }], nextCursor: String(page + 1) };
}

function callTool({ name, arguments: args }) {
  if (mode === 'dies') process.exit(3);
  if (mode === 'silent') return null;
  if (name === 'drop') return { content: [{ type: 'text', text: 'It cannot be dropped.' }], isError: true };
  const environment = Object.keys(process.env).sort().join(' ');
  return {
    content: [
      { type: 'text', text: `found ${args.text}` },
      { type: 'text', text: `environment: ${environment}; ${process.env.RALPH_TURN ?? ''}` },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///x', text: 'a file' } },
    ],
  };
}

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } }),
  'tools/list': (params) => listTools(params?.cursor),
  'tools/call': (params) => callTool(params),
  ping: () => ({}),
};

if (mode === 'exits') {
  console.error('no licence\nthe licence file is missing');
  process.exit(7);
}
if (mode === 'deaf') {
  process.on('SIGTERM', () => undefined);
  spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true }).unref();
}
console.log('Welcome to the server!');
if (mode === 'endless') for (let index = 0; index < 100; index += 1) process.stdout.write('x'.repeat(100_000));
const keepAlive = setInterval(() => undefined, 1000);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || mode === 'mute') return;
    const result = ANSWERS[method]?.(params);
    if (result === null) return;
    console.log(
      JSON.stringify(
        result === undefined ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } } : { jsonrpc: '2.0', id, result },
      ),
    );
  })
  .on('close', () => mode !== 'deaf' && clearInterval(keepAlive));
