/** What seed 002, the hook framework, says of configurations: from the YAML to the answers of real programs. What it says of single hooks stands in src/hooks/seed-002.test.ts. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrateText, readConfig } from '../../src/config/index.ts';
import type { HookSpec } from '../../src/core/hooks/hook-spec.ts';
import { createToolHooks } from '../../src/hooks/index.ts';

const SAMPLE = readFileSync(fileURLToPath(new URL('../../fixtures/seeds/002-01.yml', import.meta.url)), 'utf8');
const NATIVE = 'cli: {backend: {type: native, provider: scripted, script: s.yml}}';
const ALL = `hooks: {PreToolUse: [{command: "all before"}], PostToolUse: [{command: "all after"}]}`;

/** The hooks of each hat and of Ralph, in the order in which they are asked. */
function load(yaml: string, files: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-seed-002-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ ...files, 's.yml': '', 'ralph.yml': yaml })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { draft, diagnostics } = readConfig({ cwd: folder, env: {} });
  const hooks = draft?.hooks ?? {};
  const listed = (hat: string): readonly string[] => (hooks[hat] ?? []).map(({ event, name }) => `${event} ${name}`);
  return { folder, diagnostics, hooks, listed };
}

function open(specs: readonly HookSpec[], cwd: string) {
  const scene = { run: 'r', turn: '1.1', hat: 'a', agentId: 'a', cwd, env: { PATH: process.env['PATH'] }, marker: 'seed-002' };
  const hooks = createToolHooks(
    specs,
    { ...scene, signal: new AbortController().signal },
    { now: () => 0, steady: () => performance.now() },
  );
  onTestFinished(hooks.close);
  return hooks;
}

const toHats = (own: string): string =>
  `${NATIVE}\nhats:\n  a: {triggers: [task.start, task.resume], hooks: ${own}}\n  b: {triggers: [x]}\n${ALL}\n`;

describe('seed 002, decision 1: what was there is extended', () => {
  test('permission hooks work under their old names `pre_call` and `post_call`, with the answer that they gave', async () => {
    const yaml = `${NATIVE}\nhats: {a: {triggers: [task.start, task.resume], profile: creator}}\nhooks: {pre_call: [{handler: guard.sh}], post_call: [{handler: note.sh}]}`;
    const files = {
      'guard.sh': `echo '{"allowed": false, "reason": "not this file"}'\n`,
      'note.sh': `echo '{"allowed": true}'; echo asked > asked.txt\n`,
    };
    const { folder, diagnostics, hooks, listed } = load(yaml, files);
    expect(diagnostics).toEqual([]);
    expect(listed('a')).toEqual(['PreToolUse guard.sh', 'PostToolUse note.sh']);
    const opened = open(hooks['a'] ?? [], folder);
    const call = { id: 'c', tool: 'write_file', input: { path: 'a' } };
    expect(await opened.before(call)).toMatchObject({ decision: 'deny', reason: 'guard.sh: not this file' });
    expect(await opened.after(call, 'done', false)).toMatchObject({ decision: 'allow', runs: [{ error: null }] });
    expect(readFileSync(join(folder, 'asked.txt'), 'utf8')).toBe('asked\n');
  });
});

describe('seed 002, decision 2: hooks of all and of one', () => {
  test('global hooks apply to all hats, and to Ralph', () => {
    const { listed } = load(toHats('{}'));
    for (const hat of ['a', 'b', 'ralph']) expect(listed(hat)).toEqual(['PreToolUse all before', 'PostToolUse all after']);
  });

  test('per-agent hooks extend the global ones by default, behind them, for this agent alone', () => {
    const { listed } = load(toHats('{PreToolUse: [{command: "own before"}]}'));
    expect(listed('a')).toEqual(['PreToolUse all before', 'PreToolUse own before', 'PostToolUse all after']);
    expect(listed('b')).toEqual(['PreToolUse all before', 'PostToolUse all after']);
  });

  test('`override: true` disables the global hooks of this event for this agent, and only those', () => {
    const { listed } = load(toHats('{PostToolUse: {override: true, hooks: [{command: "own after"}]}}'));
    expect(listed('a')).toEqual(['PreToolUse all before', 'PostToolUse own after']);
    expect(listed('b')).toEqual(['PreToolUse all before', 'PostToolUse all after']);
    expect(load(toHats('{PostToolUse: {override: true, hooks: []}}')).listed('a')).toEqual(['PreToolUse all before']);
  });

  test('the sample of the plan loads, its agent as a hat: the global hook before the own one, and one event with its own alone', async () => {
    const { outcome, text } = await migrateText(SAMPLE, 'ralph.yml');
    expect(outcome).toBe('migrated');
    const files = { 'custom_write_hook.py': '', 'agent1_logging.py': '', 'massgen/hooks.py': '' };
    const { diagnostics, hooks, listed } = load(`${NATIVE}\n${text}`, files);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(listed('agent1')).toEqual([
      'PreToolUse massgen.hooks.audit_all_tools',
      'PreToolUse custom_write_hook.py',
      'PostToolUse agent1_logging.py',
    ]);
    expect(hooks['agent1']).toMatchObject([
      { matcher: '*', handler: { kind: 'python', path: 'massgen.hooks.audit_all_tools' } },
      { matcher: 'Write', handler: { kind: 'command', argv: ['python3', expect.stringMatching(/\/custom_write_hook\.py$/)] } },
      { matcher: '*', handler: { kind: 'command', argv: ['python3', expect.stringMatching(/\/agent1_logging\.py$/)] } },
    ]);
  });
});
