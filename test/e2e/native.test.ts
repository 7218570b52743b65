/** The native agent as a user runs it: `ralph run` against a provider on loopback, in each of the four wire formats. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Conversation,
  type Handler,
  type ModelServer,
  type Reply,
  startModelServer,
  type WantedCall,
} from '../../src/mock-model/index.ts';
import { PROVIDERS } from './providers.ts';
import { type Finished, ralph, readJsonLines, type Started, start, withFolder } from './ralph.ts';
import { readStatus } from './run-facts.ts';

/** What the model does in the builder's turn, step by step. */
const BUILDER: readonly Reply[] = [
  { thinking: 'The sum is wrong.', text: 'I look.', calls: [call('read_file', { path: 'sum.mjs' }), call('list_files', {})] },
  { calls: [call('edit_file', { path: 'sum.mjs', old_text: 'a - b', new_text: 'a + b' })] },
  { calls: [call('run_tests', {})] },
  { calls: [call('emit_event', { topic: 'build.done', payload: { tests: 'pass' } })] },
  { text: 'Built.' },
];
const EDITOR: readonly Reply[] = [{ calls: [call('task_complete', { summary: 'It adds.' })] }, { text: 'That is all.' }];

function call(name: string, args: WantedCall['args']): WantedCall {
  return { tool: [name], args, isForced: true };
}

/** By what the conversation holds alone, so that a run that was killed meets the same model. */
function decide({ turns }: Conversation): Reply {
  const wears = (hat: string): boolean => turns.some(({ text }) => text.includes(`You wear the hat ${hat}`));
  const answers = turns.filter(({ role }) => role === 'assistant').length;
  if (!wears('editor')) return BUILDER[answers] ?? { text: 'Nothing is left.' };
  return EDITOR[wears('builder') ? answers - BUILDER.length : answers] ?? { text: 'Nothing is left.' };
}

function toFiles(backend: string): Record<string, string> {
  return {
    'ralph.yml': `
cli: {backend: ${backend}}
event_loop: {prompt: Mend the sum}
gates: []
hats:
  builder: {triggers: [task.start, task.resume], publishes: [build.done], profile: creator}
  editor: {triggers: [build.done], publishes: [task.complete], profile: editor}
`,
    'package.json': '{"type": "module", "scripts": {"test": "node sum.test.mjs"}}',
    'sum.mjs': 'export const sum = (a, b) => a - b;\n',
    'sum.test.mjs': "import { sum } from './sum.mjs';\nif (sum(1, 2) !== 3) throw new Error('wrong');\nconsole.log('ok');\n",
  };
}

/** A provider on loopback, and every conversation it was asked to go on with. */
async function withServer(answer: Handler, use: (server: ModelServer, asked: readonly Conversation[]) => Promise<void>): Promise<void> {
  const asked: Conversation[] = [];
  const server = await startModelServer({
    handler: (conversation, request) => {
      asked.push(conversation);
      return answer(conversation, request);
    },
  });
  try {
    await use(server, asked);
  } finally {
    await server.close();
  }
}

/** Names of the tools that a request offered. */
function listTools(conversation: Conversation | undefined): readonly string[] {
  return conversation?.tools.map(({ name }) => name) ?? [];
}

const RUN = ['run', '--no-tui'];
const RESUME = ['resume', '--no-tui'];

function expectDone(folder: string, { code, stdout, stderr }: Finished): void {
  expect(stdout + stderr).toContain('editor declared the work complete');
  expect(code).toBe(0);
  expect(readFileSync(join(folder, 'sum.mjs'), 'utf8')).toContain('a + b');
}

/** The folder of the turns of the newest run. */
function findTurns(folder: string): string {
  const runs = join(folder, '.ralph', 'runs');
  return join(runs, readdirSync(runs).sort().at(-1) ?? '', 'turns');
}

/** The sessions of the newest run, by turn. */
function readSessions(folder: string): Record<string, Record<string, unknown>[]> {
  const turns = findTurns(folder);
  const names = readdirSync(turns).filter((name) => existsSync(join(turns, name, 'session.jsonl')));
  return Object.fromEntries(names.map((name) => [name, readJsonLines(readFileSync(join(turns, name, 'session.jsonl'), 'utf8'))]));
}

describe.concurrent('a native hat', () => {
  test.each(PROVIDERS)('through %s edits a file, runs the tests, emits its event and the run completes', async (kind, path, model) => {
    await withServer(decide, async (server, asked) => {
      const backend = `{type: native, provider: ${kind}, model: ${model}, base_url: "${server.url}${path}", context: carry}`;
      await withFolder(toFiles(backend), async (folder) => {
        expectDone(folder, await ralph(folder, RUN));
        const builder = listTools(asked[0]);
        const editor = listTools(asked.at(-1));
        expect(builder).toContain('run_tests');
        expect(builder).not.toContain('task_complete');
        expect(editor).toContain('task_complete');
        expect(JSON.stringify(asked[3])).toContain('ok');
        const { turns } = await readStatus(folder);
        expect(turns.map(({ hat, status }) => `${hat} ${status}`)).toEqual(['builder succeeded', 'editor succeeded']);
        // One key of the provider's cache for each hat, where it has such keys.
        const keys = server.requests.map(({ body }) => (JSON.parse(body) as { prompt_cache_key?: string }).prompt_cache_key);
        const [first, last] = [keys[0], keys.at(-1)];
        expect(keys).toEqual(keys.map((_, index) => (index < BUILDER.length ? first : last)));
        if (kind === 'openai') expect(new Set([first, last, undefined]).size).toBe(3);
        else expect(new Set(keys)).toEqual(new Set([undefined]));
        // The conversation was carried to the editor, with other tools.
        expect(JSON.stringify(asked.at(-1))).toContain('You wear the hat builder');
        expect(Object.keys(readSessions(folder))).toEqual(['1.1', '2.1']);
      });
    });
  });

  test('is shown a picture of the workspace, and goes on where the provider cannot read it', async () => {
    const png = 'iVBORw0KGgo=';
    const holds = (server: ModelServer, index: number): boolean => server.requests[index]?.body.includes(png) === true;
    const answer: Handler = ({ turns }) => {
      const results = turns.flatMap((turn) => turn.results).join(' ');
      if (turns.filter(({ role }) => role === 'assistant').length === 2) return { text: 'That is all.' };
      if (results.includes('could not be shown')) return { calls: [call('emit_event', { topic: 'task.complete' })] };
      if (results.includes('is shown'))
        return { http: { status: 400, headers: {}, body: { error: { message: 'messages.2: Could not process image' } } } };
      return { calls: [call('read_file', { path: 'a.png' })] };
    };
    await withServer(answer, async (server) => {
      const files = {
        'ralph.yml': `
cli: {backend: {type: native, provider: anthropic, model: claude-sonnet-4-5, base_url: "${server.url}", max_steps: 4}}
event_loop: {prompt: Look at it, max_iterations: 1}
hats: {looker: {triggers: [task.start, task.resume], publishes: [task.complete], profile: explorer}}
`,
      };
      await withFolder(files, async (folder) => {
        writeFileSync(join(folder, 'a.png'), Buffer.from(png, 'base64'));
        const { stdout } = await ralph(folder, RUN);
        expect(stdout).toContain('looker declared the work complete');
        expect([holds(server, 0), holds(server, 1), holds(server, 2)]).toEqual([false, true, false]);
      });
    });
  });

  test('that is killed behind its last word, before the loop knew of it, is not asked again, and its event counts', async () => {
    let run: Started | undefined;
    let requests = 0;
    const answer: Handler = (conversation) => {
      requests += 1;
      if (requests === BUILDER.length) run?.child.kill('SIGKILL');
      return decide(conversation);
    };
    await withServer(answer, async (server, asked) => {
      const backend = `{type: native, provider: google, model: gemini-2.5-flash, base_url: "${server.url}"}`;
      await withFolder(toFiles(backend), async (folder) => {
        run = start(folder, RUN);
        await run.done;
        const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: null };
        const lines = [
          { type: 'usage', usage, finish: 'stop', responseId: null, model: null, durationMs: 1 },
          { type: 'message', message: { role: 'assistant', parts: [{ type: 'text', text: 'Built.' }] } },
          { type: 'end', status: 'succeeded', failure: null, usage },
        ];
        appendFileSync(join(findTurns(folder), '1.1', 'session.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        const resumed = await ralph(folder, RESUME);
        expectDone(folder, resumed);
        expect(resumed.stdout).toContain('Built.');
        expect(asked).toHaveLength(BUILDER.length + EDITOR.length);
      });
    });
  });

  test('whose provider tells its key back and fails in passing has it in no file and no output, and completes', async () => {
    const key = 'word-of-mine-0123456789';
    let requests = 0;
    const body = { error: { message: `no room for ${key}` } };
    const answer: Handler = (conversation) => (++requests === 1 ? { http: { status: 529, headers: {}, body } } : decide(conversation));
    await withServer(answer, async (server) => {
      const backend = `{type: native, provider: openai, model: gpt-5, base_url: "${server.url}/v1", api_key_env: WHATEVER}`;
      const files = toFiles(backend);
      const patient = `${files['ralph.yml']}`.replace('prompt: Mend the sum', 'prompt: Mend the sum, retry: {base_seconds: 0.1}');
      await withFolder({ ...files, 'ralph.yml': patient }, async (folder) => {
        const run = await ralph(folder, RUN, { WHATEVER: key });
        expectDone(folder, run);
        expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
        expect(run.stdout).toContain('no room for [redacted: WHATEVER]');
        const written = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
        const texts = written.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
        expect(texts.length).toBeGreaterThan(10);
        expect([run.stdout, run.stderr, ...texts].filter((text) => text.includes(key))).toEqual([]);
      });
    });
  });

  test('that is killed again and again, after each of its steps, goes on where it was', async () => {
    let run: Started | undefined;
    // The first process hears nothing; each of the next ones takes one step and is killed while the model answers its second request.
    let requests = 0;
    const answer: Handler = (conversation) => {
      requests += 1;
      if ([1, 3, 5, 7, 9, 12].includes(requests)) run?.child.kill('SIGKILL');
      return decide(conversation);
    };
    await withServer(answer, async (server) => {
      const backend = `{type: native, provider: anthropic, model: claude-sonnet-4-5, base_url: "${server.url}"}`;
      await withFolder(toFiles(backend), async (folder) => {
        for (const args of [RUN, ...Array.from({ length: 5 }, () => RESUME)]) {
          run = start(folder, args);
          expect((await run.done).signal).toBe('SIGKILL');
        }
        expectDone(folder, await ralph(folder, RESUME));
        const sessions = readSessions(folder);
        const headers = Object.values(sessions).map(([header]) => header);
        expect(headers.map((header) => [header?.['turn'], header?.['hat'], header?.['follows'], header?.['stepsBefore']])).toEqual([
          ['1.1', 'builder', null, 0],
          ['2.1', 'builder', '1.1', 0],
          ['3.1', 'builder', '2.1', 1],
          ['4.1', 'builder', '3.1', 2],
          ['5.1', 'builder', '4.1', 3],
          ['6.1', 'builder', '5.1', 4],
          ['7.1', 'editor', null, 0],
          ['8.1', 'editor', '7.1', 1],
        ]);
        // No tool is called twice, but those that publish: what a killed turn published is withdrawn, and published by its continuation.
        const called = Object.values(sessions).map((lines) => lines.flatMap(({ type, name }) => (type === 'tool-start' ? [name] : [])));
        expect(called).toEqual([
          [],
          ['read_file', 'list_files'],
          ['edit_file'],
          ['run_tests'],
          ['emit_event'],
          ['emit_event'],
          ['task_complete'],
          ['task_complete'],
        ]);
      });
    });
  });
});

/** The agent's own script, without any provider. */
const SCRIPT = `
hats:
  builder:
    - steps:
        - calls: [{tool: bash, args: {command: "if [ -e once ]; then echo again; else touch once; kill -9 $PPID; fi"}}]
        - expect: {results: is not known, prompt: Your turn was interrupted, tools: [emit_event], no_tools: [task_complete]}
          text: I look what was done.
          calls: [{tool: list_files, args: {}}]
        - expect: {results: once}
          calls: [{tool: emit_event, args: {topic: build.done}}]
        - text: Built.
  editor:
    - steps:
        - calls: [{tool: task_complete, args: {summary: done}}]
        - text: Done.
`;

test('a native hat that is killed while a tool runs is told that nobody knows what it did', async () => {
  const team = toFiles('{type: native, provider: scripted, script: script.yml}');
  // In a sandbox or a namespace no tool could end Ralph.
  const files = { ...team, 'ralph.yml': `${team['ralph.yml']}sandbox: off\nisolation: off\n`, 'script.yml': SCRIPT };
  await withFolder(files, async (folder) => {
    expect((await ralph(folder, RUN)).signal).toBe('SIGKILL');
    const { code, stdout } = await ralph(folder, RESUME);
    expect(stdout).toContain('editor declared the work complete');
    expect(code).toBe(0);
  });
});
