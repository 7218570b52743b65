import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HookHandler, type HookSpec, toScriptCommand } from '../core/hooks/hook-spec.ts';
import type { JsonObject } from '../core/values/json.ts';
import { processStartTime } from '../process/process-table.ts';
import { MAX_AT_ONCE } from './ask-hook.ts';
import { createToolHooks } from './ask-hooks.ts';
import { hook } from './hook-fixtures.ts';
import type { TurnHooks } from './tool-hooks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-hooks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const toFile = (path: string) => ({ path, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') });

function script(name: string, text: string): HookHandler {
  const path = write(name, text);
  return { kind: 'command', argv: toScriptCommand(path), file: toFile(path) };
}

function shell(line: string): HookHandler {
  return { kind: 'shell', line };
}

function open(specs: readonly HookSpec[], signal = new AbortController().signal): TurnHooks {
  const env = { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'secret' };
  const scene = { run: 'run-1', turn: '3.1', hat: 'builder', agentId: 'builder', cwd: folder, env, signal, marker: 'test' };
  return createToolHooks(specs, scene, { now: () => 0, steady: () => performance.now() });
}

const CALL = { id: 'c1', tool: 'write_file', input: { path: 'a.txt' } };
const askBefore = (...specs: readonly HookSpec[]) => {
  const hooks = open(specs);
  return hooks.before(CALL).finally(hooks.close);
};
const askAfter = (...specs: readonly HookSpec[]) => open(specs).after(CALL, 'output', false);

describe('hooks before a call', () => {
  it('are told what is called, by whom, and no secret', async () => {
    await askBefore(hook(shell('cat > event.json; env > env.txt')));
    expect(JSON.parse(readFileSync(join(folder, 'event.json'), 'utf8'))).toEqual({
      schema_version: 1,
      hook_type: 'PreToolUse',
      hook_event_name: 'PreToolUse',
      session_id: '3.1',
      orchestrator_id: 'run-1',
      agent_id: 'builder',
      timestamp: '1970-01-01T00:00:00.000Z',
      tool_name: 'write_file',
      tool_use_id: 'c1',
      tool_input: { path: 'a.txt' },
      tool_output: null,
      tool_is_error: null,
      cwd: folder,
      hat: 'builder',
    });
    const env = readFileSync(join(folder, 'env.txt'), 'utf8');
    expect(env).toContain('MASSGEN_TOOL_NAME=write_file\n');
    expect(env).toContain('RALPH_HOOK_TYPE=PreToolUse\n');
    expect(env).not.toContain('secret');
  });

  it('deny by exit code 2 and by their answer, with their name', async () => {
    expect(await askBefore(hook(shell('echo "not today" >&2; exit 2'), { name: 'calendar' }))).toMatchObject({
      decision: 'deny',
      reason: 'calendar: not today',
    });
    expect(await askBefore(hook(shell(`echo '{"decision":"deny","reason":"no"}'`)))).toMatchObject({ decision: 'deny', reason: 'h: no' });
  });

  it('end with the first denial, and an allow behind an ask does not lift it', async () => {
    const touch = hook(shell('touch asked'), { name: 'later' });
    const ask = hook(shell(`echo '{"decision":"ask","reason":"sure?"}'`));
    expect(await askBefore(ask, touch)).toMatchObject({
      decision: 'ask',
      reason: 'h: sure?',
      runs: [{ decision: 'ask' }, { decision: 'allow' }],
    });
    rmSync(join(folder, 'asked'));
    const denied = await askBefore(hook(shell('exit 2')), touch);
    expect(denied.runs).toHaveLength(1);
    expect(() => readFileSync(join(folder, 'asked'))).toThrow('ENOENT');
  });

  it('hand on the input as those before them changed it', async () => {
    const rename = hook(shell(`echo '{"updated_input":{"path":"b.txt"}}'`));
    const look = hook(
      script(
        'look.mjs',
        "import {readFileSync} from 'node:fs'; const e = JSON.parse(readFileSync(0)); console.log(JSON.stringify({reason: e.tool_input.path}))",
      ),
    );
    expect(await askBefore(rename, look)).toMatchObject({ decision: 'allow', input: { path: 'b.txt' }, runs: [{}, { reason: 'b.txt' }] });
  });

  it('allow where they fail or are late, and deny where they cannot be started', async () => {
    const failed = await askBefore(hook(shell('echo oops >&2; exit 1')));
    expect([failed.decision, failed.runs[0]?.error]).toEqual(['allow', 'it ended with exit code 1: oops']);
    const late = await askBefore(hook(shell('sleep 60'), { timeoutMs: 200 }));
    expect([late.decision, late.runs[0]?.error]).toEqual(['allow', 'it gave no answer within 0.2 s']);
    const absent = await askBefore(hook({ kind: 'command', argv: ['no-such-program'], file: null }));
    expect(absent.decision).toBe('deny');
    expect((await askBefore(hook(shell('sleep 60'), { timeoutMs: 200, isFailClosed: true }))).decision).toBe('deny');
  });

  it('say what they print in several lines, and what they throw, in one', async () => {
    const denied = await askBefore(hook(shell(String.raw`printf 'Traceback:\r\n\tline 1\nno\n' >&2; exit 2`)));
    expect(denied.reason).toBe('h: Traceback: line 1 no');
    const broken = await askBefore(hook(shell(String.raw`printf 'one\n  two\033[2J' >&2; exit 1`)));
    expect(broken.runs[0]?.error).toBe('it ended with exit code 1: one two\uFFFD[2J');
    const file = toFile(write('throws.mjs', String.raw`export const check = () => { throw new Error('one\n\ntwo'); };`));
    const thrown = await askBefore(hook({ kind: 'module', file, exported: 'check' }));
    expect(thrown.runs[0]?.error).toBe('it threw Error: one two');
  });

  it('that print half an answer, or without end, decide nothing', async () => {
    const half = await askBefore(hook(shell(`printf '{"decision":"al'`)));
    expect([half.decision, half.runs[0]?.error]).toEqual(['allow', 'it printed what begins like JSON but is not valid']);
    const flood = await askBefore(hook(shell('yes {'), { timeoutMs: 500 }));
    expect([flood.decision, flood.runs[0]?.error]).toEqual(['allow', 'it gave no answer within 0.5 s']);
    const long = await askBefore(hook(shell('head -c 20000000 /dev/zero')));
    expect(long.runs[0]?.error).toBe('it printed more than 16 MB');
  });

  it('do not run once their file is another one, or is gone', async () => {
    const spec = hook(script('guard.sh', 'exit 0'));
    expect((await askBefore(spec)).decision).toBe('allow');
    write('guard.sh', 'exit 0 # mine');
    expect(await askBefore(spec)).toMatchObject({ decision: 'deny', reason: expect.stringContaining('was changed since the run began') });
    rmSync(join(folder, 'guard.sh'));
    expect(await askBefore(spec)).toMatchObject({ decision: 'deny', reason: expect.stringContaining('cannot be read') });
  });

  it('deny whatever else they do', async () => {
    const denial = '{"decision":"deny","reason":"no"}';
    const tortures = {
      'a reason of 10 MB': `printf '{"decision":"deny","reason":"'; head -c 10000000 /dev/zero | tr '\\0' x; echo '"}'`,
      'a failure after it': `echo '${denial}'; exit 1`,
      'a closed input': `exec <&-; echo '${denial}'`,
      'no end in time': `echo '${denial}'; sleep 60`,
      'a text that cannot be read': `echo '{"decision":"deny","reason":"no","inject":"x"}'`,
      'children that stay': `sleep 60 & setsid sleep 60 & echo '${denial}'`,
      'errors without end': `head -c 50000000 /dev/zero >&2; exit 2`,
      'an allow beside exit code 2': `echo '{"decision":"allow"}'; exit 2`,
    };
    for (const [name, line] of Object.entries(tortures)) {
      const { decision, reason, runs } = await askBefore(hook(shell(line), { timeoutMs: name === 'no end in time' ? 500 : 20_000 }));
      expect([name, decision, reason.length < 3000, runs.length]).toEqual([name, 'deny', true, 1]);
    }
  });

  it('may be two hundred, and asked at the same time', async () => {
    const path = write('count.mjs', 'export const count = (e) => ({ updated_input: { n: (e.tool_input.n ?? 0) + 1 } });');
    const hooks = open(
      Array.from({ length: 200 }, (_, index) => hook({ kind: 'module', file: toFile(path), exported: 'count' }, { name: `h${index}` })),
    );
    const asked = await Promise.all(Array.from({ length: 20 }, () => hooks.before(CALL)));
    for (const { input, runs } of asked) expect([input, runs.length]).toEqual([{ n: 200 }, 200]);
  });

  it('are asked only about their tools', async () => {
    const merged = await askBefore(hook(shell('exit 2'), { matcher: 'Bash' }), hook(shell('true'), { matcher: 'Write|Edit', name: 'w' }));
    expect(merged.runs.map(({ name }) => name)).toEqual(['w']);
  });

  it('end with the turn', async () => {
    const turn = new AbortController();
    const asked = open([hook(shell('sleep 60'))], turn.signal).before(CALL);
    setTimeout(() => turn.abort(), 100);
    expect((await asked).runs[0]?.error).toBe('it was stopped with the turn');
  });
});

describe('hooks behind a call', () => {
  it('are all asked, and what they inject is kept in order, each with its strategy', async () => {
    const merged = await askAfter(
      hook(shell(`echo '{"inject":{"content":"one","strategy":"user_message"}}'`), { event: 'PostToolUse' }),
      hook(shell('echo "too long" >&2; exit 2'), { event: 'PostToolUse', name: 'lint' }),
      hook(shell(`echo '{"inject":{"content":"two"}}'`), { event: 'PostToolUse' }),
    );
    expect(merged).toMatchObject({
      decision: 'allow',
      injects: [
        { content: 'one', strategy: 'user_message' },
        { content: 'lint: too long', strategy: 'tool_result' },
        { content: 'two', strategy: 'tool_result' },
      ],
    });
  });

  it('change the output for those behind them', async () => {
    const hide = hook(shell(`echo '{"updated_output":"hidden"}'`), { event: 'PostToolUse' });
    expect(await askAfter(hide)).toMatchObject({ output: 'hidden' });
  });

  it('are asked about failures under another name', async () => {
    const hooks = open([
      hook(shell('true'), { event: 'PostToolUseFailure', name: 'f' }),
      hook(shell('true'), { event: 'PostToolUse', name: 'p' }),
    ]);
    expect((await hooks.after(CALL, 'x', true)).runs.map(({ name }) => name)).toEqual(['f']);
  });
});

describe('a handler', () => {
  it('may be a function of a module', async () => {
    const path = write(
      'audit.mjs',
      'export function check(event) { return { decision: "deny", reason: event.tool_name }; }\nexport const no = 1;',
    );
    const make = (exported: string): HookSpec => hook({ kind: 'module', file: toFile(path), exported });
    expect(await askBefore(make('check'))).toMatchObject({ decision: 'deny', reason: 'h: write_file' });
    expect(await askBefore(make('no'))).toMatchObject({ decision: 'deny', reason: expect.stringContaining('exports no function no') });
  });

  it('that never ends is left behind', async () => {
    const path = write('slow.mjs', 'export const wait = () => new Promise(() => {});');
    const merged = await askBefore(hook({ kind: 'module', file: toFile(path), exported: 'wait' }, { timeoutMs: 50 }));
    expect(merged.runs[0]?.error).toBe('it gave no answer within 0.05 s');
  });

  it.skipIf(spawnSync('python3', ['-c', '']).status !== 0)('may be a function of Python, which gets the event as a dict', async () => {
    write(
      'team_hooks.py',
      'def fail(event):\n    raise ValueError("oops")\ndef audit(event):\n    print("to the log")\n    return {"allowed": event["tool_name"] != "write_file", "reason": "audited"}\n',
    );
    const make = (path: string): HookSpec => hook({ kind: 'python', path, folders: [folder] });
    expect(await askBefore(make('team_hooks.audit'))).toMatchObject({ decision: 'deny', reason: 'h: audited' });
    const failed = await askBefore(make('team_hooks.fail'));
    expect([failed.decision, failed.runs[0]?.error]).toEqual(['allow', expect.stringContaining('ValueError: oops')]);
    write('ends.py', 'import sys\nsys.exit(0)\n');
    expect((await askBefore(make('ends.check'))).decision).toBe('deny');
    expect(await askBefore(make('team_hooks.absent'))).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('cannot be imported'),
    });
  });

  it.skipIf(spawnSync('python3', ['-c', '']).status !== 0)(
    'of Python is not taken from the workspace where it is beside the configuration, nor is what it imports',
    async () => {
      const config = mkdtempSync(join(tmpdir(), 'ralph-config-'));
      mkdirSync(join(config, 'team'));
      writeFileSync(
        join(config, 'team/hooks.py'),
        'import json\ndef audit(event):\n    return {"decision": "deny", "reason": json.dumps("mine")}\n',
      );
      mkdirSync(join(folder, 'team'));
      write('team/__init__.py', '');
      write('team/hooks.py', 'def audit(event):\n    return {}\n');
      write('json.py', 'raise SystemExit("taken")');
      write('dataclasses.py', 'raise SystemExit("taken")');
      const merged = await askBefore(hook({ kind: 'python', path: 'team.hooks.audit', folders: [config] }));
      expect([merged.decision, merged.reason]).toEqual(['deny', 'h: "mine"']);
      write('own.py', 'def audit(event):\n    return {"decision": "deny"}\n');
      expect((await askBefore(hook({ kind: 'python', path: 'own.audit', folders: [config] }))).runs[0]?.error).toBeNull();
      rmSync(config, { recursive: true });
    },
  );

  it('may be a program that stays, and is asked line by line', async () => {
    const line = 'n=0; while read -r _; do n=$((n + 1)); echo talk; echo "{\\"reason\\":\\"$n\\"}"; done';
    const hooks = open([hook(shell(line), { isKeptAlive: true })]);
    const asked = await Promise.all([hooks.before(CALL), hooks.before(CALL), hooks.before(CALL)]);
    expect(asked.map(({ runs }) => runs[0]?.reason)).toEqual(['1', '2', '3']);
    await hooks.close();
  });

  it('that stays is started again after it ended or hung, and denies by exit code 2', async () => {
    const line = 'read -r _; echo "{}"; read -r _; echo no >&2; exit 2';
    const hooks = open([hook(shell(line), { isKeptAlive: true })]);
    const decisions: string[] = [];
    for (let time = 0; time < 4; time += 1) decisions.push((await hooks.before(CALL)).decision);
    expect(decisions).toEqual(['allow', 'deny', 'allow', 'deny']);
    await hooks.close();
    const hung = open([hook(shell('read -r _; sleep 60'), { isKeptAlive: true, timeoutMs: 200 })]);
    for (let time = 0; time < 2; time += 1) expect((await hung.before(CALL)).runs[0]?.error).toBe('it gave no answer within 0.2 s');
    await hung.close();
  });

  it('that stays and ends behind its answer is started again for the next question', async () => {
    const line = `read -r _; echo '{"decision":"deny"}'`;
    const hooks = open([hook(shell(line), { isKeptAlive: true })]);
    for (let time = 0; time < 4; time += 1) expect((await hooks.before(CALL)).decision).toBe('deny');
    await sleep(400);
    expect((await hooks.before(CALL)).decision).toBe('deny');
    await hooks.close();
  });

  it('that stays and answers twice is started anew, so that no answer is taken for another', async () => {
    const line = 'n=0; while read -r _; do n=$((n + 1)); printf "{\\"reason\\":\\"$n\\"}\\n{}\\n"; done';
    const hooks = open([hook(shell(line), { isKeptAlive: true })]);
    for (let time = 0; time < 2; time += 1) expect((await hooks.before(CALL)).runs[0]?.reason).toBe('1');
    await hooks.close();
  });

  it('that stays is not started again once the turn is over, and nothing of it is left', async () => {
    const hooks = open([hook(shell(`trap '' TERM; echo $$ >> pids; read -r _; sleep 60 & wait; wait`), { isKeptAlive: true })]);
    const asked = [hooks.before(CALL), hooks.before(CALL)];
    await vi.waitFor(() => readFileSync(join(folder, 'pids')), 5000);
    await hooks.close();
    for (const { runs } of await Promise.all(asked)) expect(runs[0]?.error).toBe('it was stopped with the turn');
    expect((await hooks.before(CALL)).runs[0]?.error).toBe('it was stopped with the turn');
    const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n');
    expect(pids).toHaveLength(1);
    expect(processStartTime(Number(pids[0]))).toBeUndefined();
  });

  it('that hangs is gone once all are closed', async () => {
    const hooks = open([
      hook(shell(`trap '' TERM; echo $$ > pid; read -r _; while :; do sleep 1; done`), { isKeptAlive: true, timeoutMs: 300 }),
    ]);
    expect((await hooks.before(CALL)).runs[0]?.error).toBe('it gave no answer within 0.3 s');
    await hooks.close();
    expect(processStartTime(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBeUndefined();
  });

  it('of a module that never ends loading is left behind', async () => {
    const path = write('stuck.mjs', 'await new Promise(() => {}); export const check = () => ({});');
    const merged = await askBefore(hook({ kind: 'module', file: toFile(path), exported: 'check' }, { timeoutMs: 100 }));
    expect(merged.runs[0]?.error).toBe('it gave no answer within 0.1 s');
  });

  it('that throws what has no text has failed', async () => {
    const path = write('odd.mjs', 'export const check = () => { throw Object.create(null); };');
    const merged = await askBefore(hook({ kind: 'module', file: toFile(path), exported: 'check' }));
    expect(merged).toMatchObject({ decision: 'allow', runs: [{ error: 'it threw something without a text' }] });
  });

  it('that cannot be told of the call denies it', async () => {
    const path = write('allow.mjs', 'export const check = () => ({});');
    let deep: JsonObject = {};
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    for (const handler of [shell('true'), { kind: 'module', file: toFile(path), exported: 'check' }] as const) {
      const hooks = open([hook(handler)]);
      expect((await hooks.before({ ...CALL, input: deep })).decision).toBe('deny');
    }
  });

  it('may be a program of its own', async () => {
    const path = write('own', '#!/bin/sh\nexit 2\n');
    chmodSync(path, 0o755);
    expect((await askBefore(hook({ kind: 'command', argv: toScriptCommand(path), file: toFile(path) }))).decision).toBe('deny');
  });
});

describe('a hook of an agent CLI', () => {
  it('is asked by the rules of that CLI, told our name of the tool, and where the project is', async () => {
    const says = shell('cat > event.json; printf %s "$CLAUDE_PROJECT_DIR" > where');
    const { runs } = await askBefore(
      hook(says, { matcher: 'Write,Edit', dialect: 'claude', env: { CLAUDE_PROJECT_DIR: '/the project' } }),
      hook(shell('true'), { matcher: 'Write', dialect: 'gemini' }),
    );
    expect(runs).toHaveLength(1);
    expect(JSON.parse(readFileSync(join(folder, 'event.json'), 'utf8'))).toMatchObject({ tool_name: 'write_file' });
    expect(readFileSync(join(folder, 'where'), 'utf8')).toBe('/the project');
  });

  it('may call the event as its CLI does', async () => {
    const answer = `echo '{"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"content": "more"}}}'`;
    expect((await askBefore(hook(shell(answer), { dialect: 'gemini' }))).input).toEqual({ path: 'a.txt', content: 'more' });
  });
});

describe('a hook with a rule', () => {
  const says = hook(shell('true'), { rule: 'write_file(secret/**)' });
  const isAsked = async (path: string, ...before: readonly HookSpec[]): Promise<boolean> => {
    const hooks = open([...before, says]);
    const { runs } = await hooks.before({ ...CALL, input: { path } }).finally(hooks.close);
    return runs.length > before.length;
  };

  it('is asked about what the rule touches alone, however its path is written', async () => {
    mkdirSync(join(folder, 'secret'));
    for (const path of ['secret/a', './secret/b/c', join(folder, 'secret/a'), 'x/../secret/a'])
      expect(await isAsked(path), path).toBe(true);
    for (const path of ['a.txt', 'secrets/a', 'b/secret/a']) expect(await isAsked(path), path).toBe(false);
  });

  it('is not got round by a link, nor by what a hook before it made of the input', async () => {
    mkdirSync(join(folder, 'secret'));
    symlinkSync(join(folder, 'secret'), join(folder, 'open'));
    expect(await isAsked('open/new/file')).toBe(true);
    const changes = hook(shell(`echo '{"updated_input": {"path": "secret/a"}}'`));
    expect(await isAsked('a.txt', changes)).toBe(true);
  });

  it('is asked where nobody can tell what the call is about', async () => {
    const hooks = open([says]);
    expect((await hooks.before({ ...CALL, input: { path: 5 } })).runs).toHaveLength(1);
  });
});

describe('a hook that is asked once a turn', () => {
  it('is asked about the first call that it is about, also among calls at the same time', async () => {
    const hooks = open([hook(shell('echo x >> asked.txt'), { isOnce: true, matcher: 'write_file' })]);
    await hooks.before({ ...CALL, tool: 'read_file' });
    const merged = await Promise.all([hooks.before(CALL), hooks.before(CALL), hooks.before(CALL)]);
    expect(merged.map(({ runs }) => runs.length)).toEqual([1, 0, 0]);
    expect(readFileSync(join(folder, 'asked.txt'), 'utf8')).toBe('x\n');
    await hooks.close();
  });

  it('is asked anew in the next turn', async () => {
    const once = hook(shell('true'), { isOnce: true });
    for (const hooks of [open([once]), open([once])]) expect((await hooks.before(CALL)).runs).toHaveLength(1);
  });
});

describe('a hook that nobody waits for', () => {
  const waitFor = (name: string) => vi.waitFor(() => readFileSync(join(folder, name), 'utf8'), { timeout: 10_000, interval: 20 });

  it('decides nothing, changes nothing, and holds no call back', async () => {
    const slow = hook(shell('sleep 60'), { isAsync: true });
    const denies = hook(shell(`echo '{"decision":"deny","reason":"no","updated_input":{"path":"b"}}'`), { isAsync: true });
    const hooks = open([slow, denies, hook(shell('true'), { name: 'behind' })]);
    const startedAt = performance.now();
    const merged = await hooks.before(CALL);
    expect(merged).toMatchObject({ decision: 'allow', runs: [{ name: 'behind' }], injects: [] });
    expect(merged.input).toBeUndefined();
    await hooks.close();
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('is told of with its texts behind a later call, once', async () => {
    const says = hook(shell(`echo '{"decision":"deny","reason":"no","inject":{"content":"late"}}'; touch done`), { isAsync: true });
    const hooks = open([says]);
    await hooks.before(CALL);
    await waitFor('done');
    const later = await vi.waitFor(async () => {
      const merged = await hooks.after(CALL, 'output', false);
      expect(merged.runs).toHaveLength(1);
      return merged;
    });
    expect(later.injects).toEqual([{ content: 'late', strategy: 'user_message' }]);
    expect(later.runs).toMatchObject([{ decision: 'allow', reason: 'no', error: 'it said deny, and nobody waits for what it decides' }]);
    expect((await hooks.after(CALL, 'output', false)).runs).toEqual([]);
    await hooks.close();
  });

  it('ends with the turn, and what it would have said is dropped', async () => {
    const hooks = open([hook(shell('echo $$ > pid; exec sleep 600'), { isAsync: true })]);
    await hooks.before(CALL);
    const pid = Number(
      await vi.waitFor(async () => {
        const text = await waitFor('pid');
        expect(text).toMatch(/\d\n/);
        return text;
      }),
    );
    await hooks.close();
    expect(processStartTime(pid)).toBeUndefined();
    expect((await hooks.awaitLate()).runs).toEqual([]);
  });

  it('may be waited for after all', async () => {
    const hooks = open([hook(shell(`sleep 0.2; echo '{"additional_context":"at last"}'`), { isAsync: true })]);
    await hooks.before(CALL);
    expect((await hooks.awaitLate()).injects).toEqual([{ content: 'at last', strategy: 'user_message' }]);
    await hooks.close();
  });

  it('is not started where too many of its kind still run, which is told', async () => {
    const hooks = open([hook(shell('sleep 600'), { isAsync: true })]);
    for (let call = 0; call < MAX_AT_ONCE + 2; call += 1) await hooks.before(CALL);
    const { runs } = await hooks.after(CALL, '', false);
    expect(runs.map(({ error }) => error)).toEqual(Array.from({ length: 2 }, () => 'it was not started: 16 hooks still run'));
    await hooks.close();
  });
});

describe('hooks of a call that somebody has to allow', () => {
  const request = (...handlers: readonly (string | Partial<HookSpec>)[]) => {
    const specs = handlers.map((one) =>
      typeof one === 'string'
        ? hook(shell(one), { event: 'PermissionRequest' })
        : hook(shell('exit 1'), { event: 'PermissionRequest', ...one }),
    );
    const hooks = open(specs);
    return hooks.request({ ...CALL, reason: 'ask bash' }).finally(hooks.close);
  };

  it('are told why, and leave it to a person where none of them says anything', async () => {
    expect((await request()).decision).toBe('ask');
    const merged = await request('cat > event.json', "echo '{}'", 'exit 1');
    expect([merged.decision, merged.reason, merged.runs.map(({ decision }) => decision)]).toEqual(['ask', '', ['ask', 'ask', 'ask']]);
    expect(JSON.parse(readFileSync(join(folder, 'event.json'), 'utf8'))).toMatchObject({
      hook_type: 'PermissionRequest',
      permission_reason: 'ask bash',
    });
  });

  it('may allow it, and any of them deny it', async () => {
    const allow = `echo '{"decision": "allow", "reason": "known"}'`;
    expect(await request('exit 0', allow)).toMatchObject({ decision: 'allow', reason: 'h: known' });
    const deny = `echo '{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "no"}}}'`;
    expect(await request(allow, deny, allow)).toMatchObject({ decision: 'deny', reason: 'h: known\nh: no', runs: [{}, {}] });
  });

  it('allow nothing by failing, and deny where that is to deny', async () => {
    expect((await request(`echo '{"decision": "allow"}'; exit 1`)).decision).toBe('ask');
    expect((await request({ isFailClosed: true })).decision).toBe('deny');
    expect((await request({ handler: shell('exit 2') })).decision).toBe('deny');
  });

  it('may not allow another input than the one that is asked about', async () => {
    const merged = await request(`echo '{"decision": "allow", "updated_input": {"path": "b"}}'`);
    expect([merged.decision, merged.input, merged.runs[0]?.error]).toEqual([
      'ask',
      undefined,
      expect.stringContaining('may not change the input'),
    ]);
  });
});

describe('hooks behind all calls of an answer', () => {
  const CALLS = [
    { tool_name: 'read_file', tool_use_id: 'c1', tool_input: { path: 'a' }, tool_output: 'A', tool_is_error: false },
    { tool_name: 'bash', tool_use_id: 'c2', tool_input: {}, tool_output: 'no', tool_is_error: true },
  ];
  const batch = (name: string, line: string): HookSpec => hook(shell(line), { name, event: 'PostToolBatch' });

  it('are told all of them at once, in their order, and of no single one', async () => {
    const merged = await open([batch('h', 'cat > batch.json')]).afterAll(CALLS);
    expect(merged).toMatchObject({ decision: 'allow', runs: [{ event: 'PostToolBatch' }] });
    const told = JSON.parse(readFileSync(join(folder, 'batch.json'), 'utf8'));
    expect(told).toMatchObject({ hook_event_name: 'PostToolBatch', tool_name: '', tool_output: null, tool_calls: CALLS });
  });

  it('end the asking with the first denial, also one that says continue: false', async () => {
    const stop = batch('stop', `echo '{"continue": false, "stopReason": "enough"}'`);
    const merged = await open([stop, batch('later', 'touch later')]).afterAll(CALLS);
    expect(merged).toMatchObject({ decision: 'deny', reason: 'stop: enough' });
    expect(merged.runs.map(({ name }) => name)).toEqual(['stop']);
  });

  it('are not those of single calls', async () => {
    const hooks = open([hook(shell('exit 2')), hook(shell('exit 2'), { event: 'PostToolUse' })]);
    expect(await hooks.afterAll(CALLS)).toMatchObject({ decision: 'allow', runs: [] });
  });
});
