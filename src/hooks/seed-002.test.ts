/** Decisions 3, 5 and 6 and the risks of seed 002, the hook framework, by name, with real programs and modules. What begins with a configuration stands in test/contract/seed-002.test.ts. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HookHandler, HookSpec, MergedHooks } from '../core/hooks/hook-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import type { JsonObject } from '../core/values/json.ts';
import { processStartTime } from '../process/process-table.ts';
import { createToolHooks } from './ask-hooks.ts';
import { hook } from './hook-fixtures.ts';
import type { TurnHooks } from './tool-hooks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-seed-002-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

function open(specs: readonly HookSpec[], env: Environment = { PATH: process.env['PATH'] }): TurnHooks {
  const signal = new AbortController().signal;
  const scene = { run: 'run-1', turn: '3.1', hat: 'builder', agentId: 'builder', cwd: folder, env, signal, marker: 'seed-002' };
  return createToolHooks(specs, scene, { now: () => 0, steady: () => performance.now() });
}

const shell = (line: string): HookHandler => ({ kind: 'shell', line });
/** A program that prints this. */
const prints = (answer: JsonObject): HookHandler => shell(`echo '${JSON.stringify(answer)}'`);
function toModule(text: string): HookHandler {
  const path = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 8)}.mjs`);
  writeFileSync(path, text);
  return { kind: 'module', file: { path, sha256: createHash('sha256').update(text).digest('hex') }, exported: 'check' };
}

const CALL = { id: 'c1', tool: 'write_file', input: { path: 'a.txt' } };
async function ask(handler: HookHandler, changes: Partial<HookSpec> = {}): Promise<MergedHooks> {
  const hooks = open([hook(handler, changes)]);
  return await hooks.before(CALL).finally(hooks.close);
}
/** What comes of it by default, and where the hook is to fail closed. */
const askBoth = async (handler: HookHandler, changes: Partial<HookSpec> = {}) => [
  (await ask(handler, changes)).decision,
  (await ask(handler, { ...changes, isFailClosed: true })).decision,
];

describe('seed 002, decision 3: contracts', () => {
  it('a HookEvent has every field of the plan: `tool_output` is null before a call, and what came of it in PostToolUse', async () => {
    const hooks = open([hook(shell('cat > before.json')), hook(shell('cat > after.json'), { event: 'PostToolUse' })]);
    await hooks.before(CALL);
    await hooks.after(CALL, 'written', false).finally(hooks.close);
    const fields = {
      session_id: '3.1',
      orchestrator_id: 'run-1',
      agent_id: 'builder',
      timestamp: '1970-01-01T00:00:00.000Z',
      tool_name: 'write_file',
      tool_input: { path: 'a.txt' },
    };
    expect(JSON.parse(read('before.json'))).toMatchObject({ ...fields, hook_type: 'PreToolUse', tool_output: null });
    expect(JSON.parse(read('after.json'))).toMatchObject({ ...fields, hook_type: 'PostToolUse', tool_output: 'written' });
  });

  it.each<[string, JsonObject, Partial<MergedHooks>]>([
    ['nothing', {}, { decision: 'allow', reason: '', injects: [] }],
    ['`allowed`', { allowed: false }, { decision: 'deny' }],
    ['`decision` and `reason`', { decision: 'ask', reason: 'sure?' }, { decision: 'ask', reason: 'h: sure?' }],
    ['`updated_input`', { updated_input: { path: 'b.txt' } }, { decision: 'allow', input: { path: 'b.txt' } }],
    ['`inject`', { inject: { content: 'a fact' } }, { injects: [{ content: 'a fact', strategy: 'tool_result' }] }],
  ])('each field of a HookResult may be left out, and counts where it is there: %s', async (_, answer, merged) => {
    expect(await ask(prints(answer))).toMatchObject(merged);
  });
});

describe('seed 002, decision 5: external commands', () => {
  it('stdin is the HookEvent encoded as JSON, in whatever language the program is written', async () => {
    const look = `const event = JSON.parse(require('fs').readFileSync(0, 'utf8')); console.log(JSON.stringify({ reason: event.tool_name }))`;
    expect((await ask({ kind: 'command', argv: ['node', '-e', look], file: null })).runs[0]?.reason).toBe('write_file');
    expect((await ask(shell(`grep -q '"tool_name":"write_file"' && exit 2`))).decision).toBe('deny');
  });

  it('stdout is the HookResult encoded as JSON, and counts with exit code 0 as it stands', async () => {
    for (const decision of ['allow', 'deny', 'ask'] as const)
      expect(await ask(prints({ decision, reason: 'so' }))).toMatchObject({
        decision,
        runs: [{ decision, reason: 'so', error: null }],
      });
  });

  it('stdout that is empty, or is text, allows, also where the hook is to fail closed', async () => {
    for (const line of ['true', 'echo looked at it', 'echo "{}"']) expect(await askBoth(shell(line)), line).toEqual(['allow', 'allow']);
  });

  it('the environment has MASSGEN_HOOK_TYPE, MASSGEN_TOOL_NAME and the ids of session, agent and orchestrator', async () => {
    await ask(shell('env | grep ^MASSGEN_ | sort > env.txt'));
    expect(read('env.txt').trim().split('\n')).toEqual([
      'MASSGEN_AGENT_ID=builder',
      'MASSGEN_HOOK_TYPE=PreToolUse',
      'MASSGEN_ORCHESTRATOR_ID=run-1',
      'MASSGEN_SESSION_ID=3.1',
      'MASSGEN_TOOL_NAME=write_file',
    ]);
  });
});

describe('seed 002, decision 6: error handling', () => {
  it('a timeout fails open: the call is allowed, the agent waits no longer, and it is told', async () => {
    const startedAt = performance.now();
    for (const handler of [shell('sleep 60'), toModule('export const check = () => new Promise(() => {});')]) {
      const { decision, runs } = await ask(handler, { timeoutMs: 200 });
      expect([decision, runs[0]?.error]).toEqual(['allow', 'it gave no answer within 0.2 s']);
    }
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(await askBoth(shell('sleep 60'), { timeoutMs: 200 })).toEqual(['allow', 'deny']);
  });

  it('an import error fails closed: what cannot be loaded, and what exports no such function, denies', async () => {
    for (const text of [
      'import "./no-such-file.mjs"; export const check = () => ({});',
      'this is no JavaScript',
      'export const other = 1;',
    ]) {
      const { decision, runs } = await ask(toModule(text));
      expect([text, decision, runs[0]?.error]).toEqual([text, 'deny', expect.stringMatching(/cannot be loaded|exports no function/)]);
    }
  });

  it('what cannot be started fails closed: a program that is not there, may not be run, or was not found by its shell', async () => {
    const path = join(folder, 'not-executable');
    writeFileSync(path, '#!/bin/sh\nexit 0\n', { mode: 0o644 });
    const handlers: readonly HookHandler[] = [
      { kind: 'command', argv: ['no-such-program'], file: null },
      { kind: 'command', argv: [path], file: null },
      shell('no-such-program here'),
      shell('exit 126'),
    ];
    for (const handler of handlers) expect([handler, ...(await askBoth(handler))]).toEqual([handler, 'deny', 'deny']);
  });

  it('a runtime error fails open: an exit code, an exception and an answer that is no JSON allow, and are told', async () => {
    const handlers = {
      'it ended with exit code 1: oops': shell('echo oops >&2; exit 1'),
      'it threw Error: oops': toModule('export const check = () => { throw new Error("oops"); };'),
      'it printed what begins like JSON but is not valid': shell('echo "{decision"'),
      '"perhaps" is no decision: allow, deny or ask': prints({ decision: 'perhaps' }),
    };
    for (const [error, handler] of Object.entries(handlers)) {
      expect((await ask(handler)).runs).toMatchObject([{ decision: 'allow', error }]);
      expect(await askBoth(handler), error).toEqual(['allow', 'deny']);
    }
  });

  it('a denial stays a denial, whatever error comes behind it', async () => {
    const denial = prints({ decision: 'deny', reason: 'no' });
    const line = denial.kind === 'shell' ? denial.line : '';
    for (const rest of ['exit 1', 'sleep 60'])
      expect(await ask(shell(`${line}; ${rest}`), { timeoutMs: 2000 }), rest).toMatchObject({ decision: 'deny', reason: 'h: no' });
  });
});

describe('seed 002, risks', () => {
  it('lazy loading: a module is loaded when it is first asked, once for all calls', async () => {
    const loaded = join(folder, 'loaded.txt');
    const module = toModule(
      `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(loaded)}, 'x'); export const check = () => ({});`,
    );
    const hooks = open([hook(module, { matcher: 'write_file' })]);
    await hooks.before({ ...CALL, tool: 'read_file' });
    expect(existsSync(loaded)).toBe(false);
    await hooks.before(CALL);
    await hooks.before(CALL);
    expect(read('loaded.txt')).toBe('x');
    await hooks.close();
  });

  it('environment isolation: an external hook gets a few harmless variables and its own, and nothing else of the environment', async () => {
    const secrets = { OPENAI_API_KEY: 's1', GITHUB_TOKEN: 's2', NODE_OPTIONS: '--no-warnings', RALPH_EMIT_TOKEN: 's3', PATHS: 's4' };
    const hooks = open([hook(shell('env > env.txt'))], { PATH: process.env['PATH'], HOME: folder, LANG: 'C', LC_ALL: 'C', ...secrets });
    await hooks.before(CALL).finally(hooks.close);
    const names = read('env.txt')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0] ?? '')
      .filter((name) => !/^(?:RALPH|MASSGEN)_(?:HOOK_TYPE|TOOL_NAME|SESSION_ID|AGENT_ID|ORCHESTRATOR_ID)$/.test(name));
    expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'LANG', 'LC_ALL']));
    for (const name of Object.keys(secrets)) expect(names).not.toContain(name);
  });

  it('timeout enforcement: an external hook that is late is ended with all that it started', async () => {
    const line = 'sleep 600 & echo $! > child; echo $$ > own; wait';
    expect((await ask(shell(line), { timeoutMs: 2000 })).runs[0]?.error).toBe('it gave no answer within 2 s');
    await vi.waitFor(() => {
      for (const name of ['own', 'child']) expect(processStartTime(Number(read(name)))).toBeUndefined();
    }, 10_000);
  });
});
