import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeHat, makeSpec } from '../../src/core/spec-fixtures.ts';

const RALPH = fileURLToPath(new URL('../../bin/ralph.js', import.meta.url));

let folder = '';
let events = '';
let contract = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-mcp-'));
  events = join(folder, '.agent', 'events.jsonl');
  contract = join(folder, 'contract.json');
  const critic = makeHat('critic', ['build.done'], ['review.approved', 'review.rejected']);
  const builder = makeHat('builder', ['task.start', 'review.rejected'], ['build.*']);
  writeFileSync(contract, JSON.stringify({ spec: makeSpec({ hats: [builder, critic] }) }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function toArgs(hat: string): string[] {
  return [RALPH, 'mcp', '--events', events, '--contract', contract, '--hat', hat];
}

async function connect(hat: string, more: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...toArgs(hat), ...more], stderr: 'pipe' }));
  return client;
}

function readEvents(): readonly unknown[] {
  return readFileSync(events, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('the MCP server, spoken to by the client of the SDK', () => {
  test('a hat publishes what its contract lists, and only that', async () => {
    const client = await connect('critic');
    try {
      const { tools } = await client.listTools();
      expect(tools).toMatchObject([
        { name: 'emit_event', inputSchema: { properties: { topic: { enum: ['review.approved', 'review.rejected'] } } } },
      ]);
      const refused = await client.callTool({ name: 'emit_event', arguments: { topic: 'build.done' } });
      expect(refused).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('Allowed topics: review.approved, review.rejected.') }],
      });
      const taken = await client.callTool({
        name: 'emit_event',
        arguments: { topic: 'review.rejected', payload: 'no test', target: 'builder' },
      });
      expect(taken).toMatchObject({ isError: false, content: [{ text: 'Published review.rejected as critic.' }] });
      await client.callTool({ name: 'emit_event', arguments: { topic: 'review.approved', payload: { files: 3 } } });
      expect(readEvents()).toMatchObject([
        { refused: { topic: 'build.done', why: 'scope' } },
        { topic: 'review.rejected', payload: 'no test', target: 'builder' },
        { topic: 'review.approved', payload: { files: 3 } },
      ]);
    } finally {
      await client.close();
    }
  });

  test('a pattern is no enum, and what it matches is taken', async () => {
    const client = await connect('builder');
    try {
      const { tools } = await client.listTools();
      expect(tools[0]?.inputSchema).toMatchObject({ properties: { topic: { description: expect.stringContaining('build.*') } } });
      const taken = await client.callTool({ name: 'emit_event', arguments: { topic: 'build.nearly' } });
      expect(taken.isError).toBe(false);
    } finally {
      await client.close();
    }
  });
});

describe('what is offered beside the tool that publishes', () => {
  const asksFile = (): string => join(folder, '.agent', 'asks.jsonl');
  /** What the run does with a question: somebody answers it. */
  async function answer(by: string, choice: string): Promise<void> {
    await vi.waitFor(() => expect(readFileSync(asksFile(), 'utf8')).toContain('\n'));
    const { ask } = JSON.parse(readFileSync(asksFile(), 'utf8').trim().split('\n').at(-1) ?? '') as { readonly ask: string };
    appendFileSync(join(folder, 'answers.jsonl'), `${JSON.stringify({ ask, choice, by })}\n`);
  }
  const question = {
    name: 'ask_person',
    arguments: { question: 'Drop it?', choices: ['drop', 'keep'], default: 'keep', deadline_seconds: 60 },
  };

  test('is what the command names, and nothing else', async () => {
    const client = await connect('critic', ['--tools', 'read_events,list_hats']);
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['emit_event', 'list_hats', 'read_events']);
      await client.callTool({ name: 'emit_event', arguments: { topic: 'review.approved', payload: 'fine' } });
      expect(await client.callTool({ name: 'read_events', arguments: { topic: 'review.*' } })).toMatchObject({
        content: [{ text: expect.stringContaining('"topic":"review.approved","payload":"fine"') }],
      });
      expect(await client.callTool({ name: 'list_hats', arguments: {} })).toMatchObject({
        content: [{ text: expect.stringMatching(/"id":"builder".*\n.*"id":"critic".*"is_yours":true/) }],
      });
      await expect(client.callTool(question)).rejects.toThrow('no such tool');
    } finally {
      await client.close();
    }
  });

  test('a person is asked and answers, and the client publishes meanwhile', async () => {
    const client = await connect('critic', ['--tools', 'emit_event,ask_person']);
    try {
      const asked = client.callTool(question);
      expect(await client.callTool({ name: 'emit_event', arguments: { topic: 'review.approved' } })).toMatchObject({ isError: false });
      await answer('person', 'drop');
      expect(await asked).toMatchObject({ isError: false, content: [{ text: 'A person answered: drop' }] });
    } finally {
      await client.close();
    }
  });

  test('a client that gave up asks the same again, and takes the answer to the one question', async () => {
    const client = await connect('critic', ['--tools', 'ask_person']);
    try {
      await expect(client.callTool(question, undefined, { timeout: 300 })).rejects.toThrow('timed out');
      await answer('deadline', 'keep');
      expect(await client.callTool(question)).toMatchObject({ content: [{ text: 'Nobody answered, so your default counts: keep' }] });
      expect(readFileSync(asksFile(), 'utf8').trim().split('\n')).toHaveLength(1);
    } finally {
      await client.close();
    }
  });

  test('a client that goes away while it waits ends the server', async () => {
    const child = spawn(process.execPath, [...toArgs('critic'), '--tools', 'ask_person'], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: question })}\n`);
    await vi.waitFor(() => expect(existsSync(asksFile())).toBe(true), { timeout: 5000 });
    child.stdin.end();
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  });
});

describe('an agent without a shell', () => {
  const code = 'require("node:fs").writeFileSync("seen.txt", [process.cwd(), process.env.OPENAI_API_KEY ?? "no key"].join())';
  const line = `node -e '${code}' && echo checked`;

  test('runs the commands of the configuration by the tool, in their folder, without the keys of models', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const args = [...toArgs('critic'), `--folder=${folder}`, `--check=${line}`, '--check=exit 3'];
    const env = { PATH: process.env['PATH'] ?? '', OPENAI_API_KEY: 'sk-secret' };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' }));
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['emit_event', 'run_check']);
      const call = (command: string) => client.callTool({ name: 'run_check', arguments: { command } });
      expect(await call(line)).toMatchObject({ isError: false, content: [{ text: expect.stringContaining('checked\nExit code: 0') }] });
      expect(readFileSync(join(folder, 'seen.txt'), 'utf8')).toBe(`${folder},no key`);
      expect(await call('exit 3')).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Exit code: 3') }] });
      expect(await call('exit 3; touch more.txt')).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('Not run') }],
      });
      expect(existsSync(join(folder, 'more.txt'))).toBe(false);
    } finally {
      await client.close();
    }
  });
});

test('it ends by itself when its client closes the pipe, whatever came over it', async () => {
  const child = spawn(process.execPath, toArgs('critic'), { stdio: ['pipe', 'pipe', 'pipe'] });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  });
  child.stdin.end('nonsense\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"half');
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, out?.()]).toEqual([0, '{"jsonrpc":"2.0","id":1,"result":{}}\n']);
  expect(err?.()).toBe('ralph mcp: a line that is no JSON was passed over\nralph mcp: the last line has no end: it was not read\n');
});

test('outside of a turn it says what it needs', async () => {
  const child = spawn(process.execPath, [RALPH, 'mcp'], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] } });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(2);
  expect(Buffer.concat(chunks).toString('utf8')).toContain('ralph mcp --hat critic');
});

test('a tool that is not there is a mistake of the command line', async () => {
  const child = spawn(process.execPath, [...toArgs('critic'), '--tools', 'emit_event,answer'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(2);
  expect(Buffer.concat(chunks).toString('utf8')).toContain('Tools: emit_event, ask_person, list_hats, read_events');
});

describe('the MCP server of a round of a panel', () => {
  async function openRound(more: object): Promise<Client> {
    const round = {
      task: 'answer',
      candidates: [],
      topics: [],
      handInsFile: join(folder, 'in.jsonl'),
      verdictsFile: join(folder, 'out.jsonl'),
    };
    writeFileSync(join(folder, 'round.json'), JSON.stringify({ ...round, root: folder, ...more }));
    writeFileSync(join(folder, 'out.jsonl'), '');
    const client = new Client({ name: 'test', version: '1' });
    const args = [RALPH, 'mcp', '--round', join(folder, 'round.json')];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
    return client;
  }

  /** Says what becomes of the next hand-in. */
  async function settle(isAccepted: boolean, text: string): Promise<unknown> {
    const words = await vi.waitFor(
      () => JSON.parse(readFileSync(join(folder, 'in.jsonl'), 'utf8').trim().split('\n').at(-1) ?? ''),
      10_000,
    );
    rmSync(join(folder, 'in.jsonl'));
    appendFileSync(join(folder, 'out.jsonl'), `${JSON.stringify({ hand: words.hand, isAccepted, text })}\n`);
    const { hand: _, ...rest } = words;
    return rest;
  }

  test('offers what can be handed in in this round, and nothing that publishes', async () => {
    const offers = [
      { more: {}, names: ['new_answer'] },
      { more: { candidates: ['agent1', 'agent3'] }, names: ['new_answer', 'vote'] },
      { more: { task: 'vote', candidates: ['agent1', 'agent3'] }, names: ['vote'] },
      { more: { task: 'present', candidates: [] }, names: ['new_answer'] },
    ];
    for (const { more, names } of offers) {
      const client = await openRound(more);
      try {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(names);
        if (names.includes('vote'))
          expect(tools.at(-1)).toMatchObject({ inputSchema: { properties: { agent_id: { enum: ['agent1', 'agent3'] } } } });
      } finally {
        await client.close();
      }
    }
  });

  test('hands in, waits, and tells the model what became of it', async () => {
    const client = await openRound({ topics: ['plan.ready', 'plan.failed'], candidates: ['agent2'] });
    try {
      const answering = client.callTool({ name: 'new_answer', arguments: { content: 'mine', topic: 'plan.ready' } });
      expect(await settle(true, 'Your answer is in.')).toEqual({ kind: 'answer', content: 'mine', topic: 'plan.ready' });
      expect(await answering).toEqual({ isError: false, content: [{ type: 'text', text: 'Your answer is in.' }] });
      const voting = client.callTool({ name: 'vote', arguments: { agent_id: 'agent9', reason: 'short' } });
      expect(await settle(false, 'There is no answer of agent9. There are: agent2.')).toEqual({
        kind: 'vote',
        target: 'agent9',
        reason: 'short',
      });
      expect(await voting).toMatchObject({
        isError: true,
        content: [{ text: 'Not taken: There is no answer of agent9. There are: agent2.' }],
      });
      expect(await client.callTool({ name: 'vote', arguments: {} })).toMatchObject({ isError: true });
      const long = await client.callTool({ name: 'new_answer', arguments: { content: 'x'.repeat(100_001) } });
      expect(long).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('100000 are taken') }] });
    } finally {
      await client.close();
    }
  });

  test('without a round that can be read it does not start', async () => {
    const child = spawn(process.execPath, [RALPH, 'mcp', '--round', join(folder, 'missing.json')], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, said]).toEqual([2, expect.stringContaining('this is no round of a panel')]);
  });
});
