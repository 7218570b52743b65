import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../config/load-config.ts';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { type Json, parseJson } from '../core/values/json.ts';
import { toContractPath, writeContract } from '../emit/contract-file.ts';
import { startModelServer } from '../mock-model/start-model-server.ts';
import type { TurnRequest, TurnResult } from '../ports/backend.ts';
import type { People, PersonQuestion } from '../ports/people.ts';
import { createNativeBackendFor } from './create-native-backend.ts';
import { createLazyBackend } from './lazy-backend.ts';
import { openPermissionStore } from './open-permission-store.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-native-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const EVENTS = '.agent/events.jsonl';
const SCRIPTED = '{type: native, provider: scripted, script: script.yml}';

interface Played {
  readonly result: TurnResult;
  readonly events: readonly BackendEvent[];
  /** What the tools answered, as it is in the transcript. */
  readonly results: readonly string[];
  /** Lines of the agents' file. */
  readonly published: readonly Json[];
}

interface Playing {
  readonly backend?: string;
  /** More of the configuration. */
  readonly more?: string;
  /** Steps of the model, as YAML in one line. */
  readonly steps?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly hat?: string;
  readonly spec?: (spec: BackendSpec) => BackendSpec;
  readonly people?: People;
}

let turns = 0;

/** Plays one turn of a hat, wired as a run wires it. */
async function play({
  backend = SCRIPTED,
  more = '',
  steps,
  env = {},
  hat = 'builder',
  spec = (same) => same,
  people,
}: Playing): Promise<Played> {
  const hats = [
    'builder: {triggers: [task.start, task.resume], publishes: [build.done], profile: creator}',
    'critic: {triggers: [build.done], publishes: [task.complete], profile: critic}',
  ];
  const lines = [`cli: {backend: ${backend}}`, 'event_loop: {prompt: Do it}', 'hats:', ...hats.map((line) => `  ${line}`), more];
  writeFileSync(join(cwd, 'ralph.yml'), `${lines.join('\n')}\n`);
  if (steps !== undefined) writeFileSync(join(cwd, 'script.yml'), `after_last: repeat\nturns: [{steps: ${steps}}]\n`);
  const { draft: settings } = readConfig({ cwd, env: { PATH: '', HOME: cwd, ...env } });
  if (settings === null) throw new Error('the configuration has errors');
  turns += 1;
  const request = toRequest(`${turns}.1`, { ...env, RALPH_HAT: hat });
  mkdirSync(join(cwd, '.agent'), { recursive: true });
  writeContract(join(cwd, '.ralph'), { spec: settings.spec, workspace: cwd });
  const events: BackendEvent[] = [];
  const permissionStore = openPermissionStore(join(cwd, '.ralph/runs/one'));
  const home = { workspace: cwd, settings, permissionStore };
  const made = createLazyBackend('native', async () => createNativeBackendFor(home, hat, spec(settings.backends[hat]?.[0] as BackendSpec)));
  const result = await made.start(people === undefined ? request : { ...request, people }, (event) => events.push(event)).result;
  const session = readLines(join(dirname(request.logs.stdoutPath), 'session.jsonl')) as readonly {
    type: string;
    result: { text: string };
  }[];
  const results = session.filter(({ type }) => type === 'tool-result').map((line) => line.result.text);
  return { result, events, results, published: readLines(join(cwd, EVENTS)) };
}

function readLines(path: string): readonly Json[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => parseJson(line) ?? []);
}

function toRequest(name: string, env: Readonly<Record<string, string>>): TurnRequest {
  const folder = join(cwd, '.ralph', 'turns', name);
  mkdirSync(folder, { recursive: true });
  const place = { RALPH_EVENTS_FILE: join(cwd, EVENTS), RALPH_CONTRACT: toContractPath(join(cwd, '.ralph')) };
  return {
    turn: { iteration: Number.parseInt(name, 10), attempt: 1 },
    prompt: 'Do it',
    promptFile: '',
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...place, ...env },
    marker: '',
    timeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    logs: { stdoutPath: join(folder, 'stdout.log'), stderrPath: join(folder, 'stderr.log'), capBytes: 1 << 20 },
  };
}

describe('a native hat, as a run wires it', () => {
  it.each([
    ['builder', '[{expect: {tools: [write_file, bash, emit_event], no_tools: [task_complete]}}]'],
    ['critic', '[{expect: {tools: [read_file, run_tests, emit_event], no_tools: [write_file, bash]}}]'],
  ])('is offered what the profile of %s lets it use', async (hat, steps) => {
    const { result } = await play({ hat, steps });
    expect(result).toMatchObject({ status: 'succeeded', failure: null });
  });

  it('publishes what its contract lets it, and is told what that is', async () => {
    const steps = `[{calls: [
      {tool: emit_event, args: {topic: build.done}},
      {tool: emit_event, args: {topic: task.complete, payload: {tests: pass}, target: builder}}]}]`;
    const { results, published } = await play({ hat: 'critic', steps });
    expect(results[0]).toContain('build.done was not published');
    expect(results[0]).toContain('You may publish: task.complete');
    expect(results[1]).toContain('Published task.complete');
    expect(published.filter((line) => !JSON.stringify(line).includes('refused'))).toEqual([
      { topic: 'task.complete', payload: { tests: 'pass' }, target: 'builder', ts: expect.any(Number) },
    ]);
  });

  it('runs the checks as the gates do', async () => {
    const more = 'gates: [{name: tests, run: "echo by the gate"}]';
    const { results } = await play({ hat: 'critic', more, steps: '[{calls: [{tool: run_tests}]}]' });
    expect(results[0]).toContain('by the gate');
  });

  it('asks a person once for what is then allowed for the run, also when the run goes on', async () => {
    mkdirSync(join(cwd, '.ralph/runs/one'), { recursive: true });
    const asked: PersonQuestion[] = [];
    const people: People = {
      ask: async (question) => {
        asked.push(question);
        return { choice: 'run', by: 'person' };
      },
    };
    const more = 'permissions: {ask: [write_file]}';
    const write = (path: string) => `{tool: write_file, args: {path: ${path}, content: x}}`;
    const { events, results } = await play({ more, people, steps: `[{calls: [${write('a.txt')}, ${write('./a.txt')}]}]` });
    expect([results[0], events.filter(({ type }) => type === 'tool-denied')]).toEqual([expect.stringContaining('a.txt'), []]);
    const again = await play({ more, people, steps: `[{calls: [${write('a.txt')}]}]` });
    expect([again.results.length, again.events.filter(({ type }) => type === 'tool-denied')]).toEqual([1, []]);
    expect(asked.map(({ text }) => text.split('\n').at(-1))).toEqual(['The call: a.txt']);
    const refused = await play({ more, steps: `[{calls: [${write('a.txt')}, ${write('b.txt')}]}]` });
    expect(refused.events).toContainEqual({
      type: 'tool-denied',
      denial: { tool: 'write_file', use: 'b.txt', layer: 'permissions', reason: expect.stringContaining('nobody can be asked') },
    });
    expect([existsSync(join(cwd, 'a.txt')), existsSync(join(cwd, 'b.txt'))]).toEqual([true, false]);
  });

  it('may not write what only Ralph writes', async () => {
    const steps =
      '[{calls: [{tool: write_file, args: {path: .ralph/contract.json, content: x}}, {tool: write_file, args: {path: a.txt, content: x}}]}]';
    const { results } = await play({ steps });
    expect(results[0]).toMatch(/may not be|protected/);
    expect(results[1]).toContain('Created a.txt');
    expect(readFileSync(join(cwd, '.ralph/contract.json'), 'utf8')).not.toBe('x');
  });

  it('is not shown the key of a model, whatever its variable is called', async () => {
    writeFileSync(join(cwd, 'notes.txt'), 'it is hunter2hunter2\n');
    const backend = '{type: native, provider: openai-compatible, model: m, base_url: "http://127.0.0.1:1/v1", api_key_env: WHATEVER}';
    const { results } = await play({
      backend,
      env: { WHATEVER: 'hunter2hunter2' },
      steps: '[{calls: [{tool: read_file, args: {path: notes.txt}}]}]',
      spec: (spec) => ({
        ...spec,
        native: { ...(spec.native as NonNullable<BackendSpec['native']>), provider: 'scripted', script: 'script.yml' },
      }),
    });
    expect(results[0]).toContain('it is [redacted: WHATEVER]');
  });

  it('costs what the table says of the model that answered, or of the one that was asked', async () => {
    const server = await startModelServer({
      handler: () => ({ text: 'Done.', usage: { inputTokens: 1e6, cachedTokens: 0, outputTokens: 0 } }),
    });
    const backend = (model: string) => `{type: native, provider: openai-compatible, model: ${model}, base_url: "${server.url}/v1"}`;
    const more = 'prices: {dear: {input: 3, output: 15}}';
    expect((await play({ backend: backend('dear'), more })).result.usage.costUsd).toBeCloseTo(3);
    expect((await play({ backend: backend('unknown'), more })).result.usage.costUsd).toBeNull();
    await server.close();
  });
});

describe('a native hat that cannot begin', () => {
  it.each<[string, Playing, object]>([
    ['no script', {}, { class: 'spawn', message: expect.stringMatching(/script\.yml cannot be played: it cannot be read \(ENOENT\)/) }],
    ['a script that is no YAML', { steps: '[{' }, { class: 'spawn', message: expect.stringContaining('script.yml cannot be played') }],
    ['a script of another form', { steps: '[{say: x}]' }, { class: 'spawn', message: expect.stringContaining('say') }],
    [
      'no key',
      { backend: '{type: native, model: claude-x}' },
      { class: 'auth', message: expect.stringContaining('ANTHROPIC_API_KEY is not set') },
    ],
    [
      'no settings of its own',
      { spec: ({ native: _, ...spec }) => spec },
      { class: 'spawn', message: expect.stringContaining('has no model') },
    ],
  ])('has %s, and its turn fails with what is missing', async (_, playing, failure) => {
    const { result, events } = await play(playing);
    expect(result).toMatchObject({ status: 'failed', failure });
    expect(events.some(({ type }) => type === 'tool-start' || type === 'text')).toBe(false);
  });
});
