import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openServers, openTools } from '../../src/agent/index.ts';
import type { ProfilePolicy } from '../../src/core/tools/tool-profiles.ts';
import type { Json } from '../../src/core/values/json.ts';
import { refuse } from '../../src/core/values/result.ts';
import type { TurnRequest } from '../../src/ports/backend.ts';
import { findByMarker } from '../../src/process/index.ts';

type McpServerSpec = Parameters<typeof openServers>[0][number];
type ServerTools = Awaited<ReturnType<typeof openServers>>;

const FAKE = fileURLToPath(new URL('agents/mcp-server.mjs', import.meta.url));
const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-mcp-servers-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

let opened: ServerTools[] = [];
let marker = '';

afterEach(async () => {
  await Promise.all(opened.map((tools) => tools.close()));
  opened = [];
  expect(findByMarker(marker)).toEqual([]);
});

function makeServer(mode: string, more: Partial<McpServerSpec> = {}): McpServerSpec {
  return {
    name: 'docs',
    command: process.execPath,
    args: [FAKE, mode],
    env: {},
    tools: null,
    trustsAnnotations: false,
    timeoutMs: 20_000,
    ...more,
  };
}

async function open(
  servers: readonly McpServerSpec[],
  policy: ProfilePolicy | null = null,
  signal = new AbortController().signal,
): Promise<ServerTools> {
  marker = `mcp-servers/${process.pid}/${Math.random().toString(36).slice(2)}`;
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), SECRET_TOKEN: 'hunter2' };
  const tools = await openServers(servers, policy, { cwd: tmpdir(), env, marker, signal });
  opened.push(tools);
  return tools;
}

/** Calls a tool of these as the native agent does. */
async function call({ tools }: ServerTools, name: string, args: Json, signal = new AbortController().signal) {
  const settings = {
    tools,
    policy: null,
    workspace: FOLDER,
    stateDir: join(FOLDER, '.ralph'),
    scratchpad: join(FOLDER, '.agent/scratchpad.md'),
    quality: {},
    publishes: [],
    publish: async () => refuse({ reason: 'not here', allowed: [] }),
    search: null,
    allowedPrivateHosts: [],
    close: async () => undefined,
  };
  const logs = { stdoutPath: join(FOLDER, 'turn/stdout.log'), stderrPath: join(FOLDER, 'turn/stderr.log'), capBytes: 1000 };
  const request: TurnRequest = {
    turn: { iteration: 1, attempt: 1 },
    prompt: '',
    promptFile: join(FOLDER, 'turn/prompt.md'),
    cwd: FOLDER,
    env: {},
    marker: '',
    timeoutMs: 0,
    idleTimeoutMs: 0,
    logs,
  };
  return openTools(settings, request, signal).call(name, args);
}

const names = ({ tools }: ServerTools): readonly string[] => tools.map((tool) => tool.name);

describe('an MCP server', () => {
  test('lends its tools, with pessimistic hints, as a group of its own', async () => {
    const tools = await open([makeServer('good')]);
    expect(tools.warnings).toEqual([]);
    expect(tools.tools.map(({ name, group, hints }) => ({ name, group, hints }))).toEqual(
      ['mcp__docs__find', 'mcp__docs__drop'].map((name) => ({
        name,
        group: 'mcp:docs',
        hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
      })),
    );
    expect(tools.tools[0]?.description).toBe('Finds  [31mthings.');
  });

  test('that is trusted says itself what its tools do', async () => {
    const { tools } = await open([makeServer('good', { trustsAnnotations: true })]);
    expect(tools.map(({ hints }) => [hints.readOnly, hints.openWorld])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('that spells its hints with underscores is understood; what is no truth value counts as not said', async () => {
    const { tools } = await open([makeServer('faulty', { trustsAnnotations: true })]);
    expect(Object.fromEntries(tools.map(({ name, hints }) => [name, hints]))).toEqual({
      mcp__docs__find: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
      mcp__docs__boastful: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    });
  });

  test('that describes some of its tools badly lends the others, and says which are left out', async () => {
    const { tools, warnings } = await open([makeServer('faulty')]);
    expect(tools.map(({ name }) => name)).toEqual(['mcp__docs__find', 'mcp__docs__boastful']);
    expect(warnings).toEqual([
      'The MCP server docs describes tools in a way that is not understood, they are left out: listy and 2 without a name.',
    ]);
  });

  test('has for its tools the hints that the person gives, whether it is trusted or not', async () => {
    const annotations = { find: { readOnly: true, openWorld: false }, drop: { destructive: false } };
    for (const trustsAnnotations of [true, false]) {
      const { tools } = await open([makeServer('good', { annotations, trustsAnnotations })]);
      expect(tools.map(({ hints }) => hints)).toEqual([
        { readOnly: true, destructive: true, idempotent: false, openWorld: false },
        { readOnly: false, destructive: false, idempotent: false, openWorld: true },
      ]);
    }
  });

  test('is called with checked arguments, and what it says is text', async () => {
    const tools = await open([makeServer('good')]);
    const { text, isError } = await call(tools, 'mcp__docs__find', { text: 'it' });
    expect(isError).toBe(false);
    expect(text).toContain('found it');
    expect(text).toContain('[image image/png: not shown]');
    expect(text).toContain('a file');
    expect(await call(tools, 'mcp__docs__find', {})).toMatchObject({ isError: true, text: expect.stringContaining('are not right') });
    expect(await call(tools, 'mcp__docs__drop', {})).toMatchObject({ isError: true, text: 'It cannot be dropped.' });
  });

  test('gets few variables, what its `env` names, and the mark by which it is found again', async () => {
    const tools = await open([makeServer('good', { env: { GIVEN: '1' } })]);
    const { text } = await call(tools, 'mcp__docs__find', { text: 'it' });
    expect(text).toMatch(/environment: (?:\S+ )*GIVEN (?:\S+ )*HOME (?:\S+ )*PATH /);
    expect(text).toContain(marker);
    expect(text).not.toContain('SECRET_TOKEN');
  });

  test('that dies in mid call gives an error result, and so does every call after it', async () => {
    const tools = await open([makeServer('dies')]);
    for (const _ of [1, 2]) {
      const outcome = await call(tools, 'mcp__docs__find', { text: 'it' });
      expect(outcome.isError).toBe(true);
      expect(outcome.text).toContain('The MCP server docs did not answer');
    }
  });

  test('that keeps silent is given up after its time, and when the turn is stopped', async () => {
    const slow = await open([makeServer('silent', { timeoutMs: 1500 })]);
    expect((await call(slow, 'mcp__docs__find', { text: 'it' })).text).toMatch(/timed out/i);
    const stopper = new AbortController();
    const pending = call(slow, 'mcp__docs__find', { text: 'it' }, stopper.signal);
    stopper.abort();
    expect((await pending).isError).toBe(true);
  });

  test('that is trusted is asked for its hints also by a profile that only reads', async () => {
    const reads: ProfilePolicy = { allow: ['mcp:docs'], deny: [], exempt: [], requireReadOnly: true, denyDestructive: false };
    expect(names(await open([makeServer('good', { trustsAnnotations: true })], reads))).toHaveLength(2);
  });

  test('gives only the tools that are asked for; one that it lacks is told', async () => {
    const tools = await open([makeServer('good', { tools: ['drop', 'nothing'] })]);
    expect(names(tools)).toEqual(['mcp__docs__drop']);
    expect(tools.warnings).toEqual(['The MCP server docs has no tool nothing.']);
  });

  test('may have tools on many pages, and names that providers do not take', async () => {
    const [many, odd] = [await open([makeServer('many')]), await open([makeServer('odd')])];
    expect(many.tools.length).toBe(20);
    expect(new Set(names(odd)).size).toBe(3);
    for (const name of names(odd)) expect(name).toMatch(/^mcp__docs__[A-Za-z0-9_-]{1,53}$/);
    for (const name of names(odd)) expect((await call(odd, name, { text: 'it' })).text).toContain('found it');
  });
});

describe('an MCP server that cannot be used is a warning', () => {
  test.each<[string, McpServerSpec, RegExp]>([
    ['its program is not there', makeServer('good', { command: '/nowhere/server' }), /cannot be used: .*(ENOENT|not found|no such)/i],
    ['it ends at once', makeServer('exits'), /cannot be used: it ended with exit code 7: the licence file is missing\.$/],
    ['it never answers', makeServer('mute', { timeoutMs: 1500 }), /cannot be used: .*timed out/i],
    ['its message has no end', makeServer('endless', { timeoutMs: 15_000 }), /cannot be used/],
    ['its address is dead', makeServer('good', { url: 'http://127.0.0.1:9/mcp' }), /cannot be used/],
    ['its token is not set', makeServer('good', { url: 'http://127.0.0.1:9/mcp', tokenEnv: 'NOT_SET' }), /the variable NOT_SET is not set/],
  ])('%s', async (_, server, words) => {
    const tools = await open([server, makeServer('good', { name: 'other' })]);
    expect(tools.warnings).toEqual([expect.stringMatching(words)]);
    expect(names(tools)).toEqual(['mcp__other__find', 'mcp__other__drop']);
  });

  test('the turn is stopped while it starts', async () => {
    const tools = await open([makeServer('mute')], null, AbortSignal.abort());
    expect(tools.warnings).toHaveLength(1);
  });
});

test('a server that ignores the request to end, and what it left behind, are gone after the turn', async () => {
  const tools = await open([makeServer('deaf')]);
  expect(findByMarker(marker).length).toBeGreaterThan(0);
  await tools.close();
  expect(findByMarker(marker)).toEqual([]);
});

test('a server that ends takes no other one of the turn with it', async () => {
  const tools = await open([makeServer('dies'), makeServer('good', { name: 'other' })]);
  expect((await call(tools, 'mcp__docs__find', { text: 'it' })).isError).toBe(true);
  expect((await call(tools, 'mcp__other__find', { text: 'it' })).text).toContain('found it');
});

describe('a server is only started', () => {
  const deny = (parts: Partial<ProfilePolicy>): ProfilePolicy => ({
    allow: [],
    deny: [],
    exempt: [],
    requireReadOnly: false,
    denyDestructive: false,
    ...parts,
  });

  test.each<[string, ProfilePolicy | null, boolean, Partial<McpServerSpec>?]>([
    ['without a profile', null, true],
    ['where the profile allows its group', deny({ allow: ['mcp:docs'] }), true],
    ['where the profile allows all servers', deny({ allow: ['mcp:*'] }), true],
    ['where a profile that only reads exempts it', deny({ allow: ['mcp:*'], exempt: ['mcp:docs'], requireReadOnly: true }), true],
    [
      'where a profile that only reads exempts one of its tools',
      deny({ allow: ['mcp:docs'], exempt: ['mcp__docs__find'], requireReadOnly: true }),
      true,
    ],
    [
      'not where a profile exempts one of its tools that it does not allow',
      deny({ exempt: ['mcp__docs__find'], requireReadOnly: true }),
      false,
    ],
    ['not where a profile only reads, for nobody vouches for its hints', deny({ allow: ['mcp:*'], requireReadOnly: true }), false],
    [
      'where a profile only reads, and the person vouches for one of its tools',
      deny({ allow: ['mcp:*'], requireReadOnly: true }),
      true,
      { annotations: { find: { readOnly: true } } },
    ],
    ['where the profile allows one of its tools', deny({ allow: ['mcp__docs__find'] }), true],
    ['not where the profile does not speak of it', deny({ allow: ['fs', 'mcp:other'] }), false],
    ['not where the profile denies it', deny({ allow: ['mcp:*'], deny: ['mcp:docs'] }), false],
  ])('%s', async (_, policy, isStarted, more) => {
    const tools = await open([makeServer('good', more)], policy);
    expect(tools.tools.length > 0).toBe(isStarted);
  });
});

describe('a server that is reached by HTTP', () => {
  let server: Server | undefined;

  afterEach(() => new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve))));

  test('gets its token, and lends its tools', async () => {
    const seen: (string | undefined)[] = [];
    server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => answer(request.method, body, response));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const tools = await open([makeServer('good', { url, tokenEnv: 'SECRET_TOKEN' })]);
    expect([tools.warnings, names(tools)]).toEqual([[], ['mcp__docs__ask']]);
    expect((await call(tools, 'mcp__docs__ask', {})).text).toBe('answered');
    expect(new Set(seen)).toEqual(new Set(['Bearer hunter2']));
  });

  function answer(method: string | undefined, body: string, response: import('node:http').ServerResponse): void {
    if (method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body) as { id?: number; method: string; params?: { protocolVersion?: string } };
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: message.params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'far', version: '1' },
      },
      'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'answered' }] },
    };
    if (message.id === undefined) return void response.writeHead(202).end();
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: results[message.method] }));
  }
});
