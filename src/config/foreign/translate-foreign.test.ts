import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findingsOf, loadText, settingsOf, tokenAt } from '../config-fixtures.ts';
import { migrateText } from './migrate-text.ts';

const FOLDER = fileURLToPath(new URL('../../../fixtures/foreign', import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yml'));
const THEIRS = FILES.filter((name) => name.startsWith('ro-') && name !== 'ro-both-places.yml');

function read(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

describe('a configuration of ralph-orchestrator', () => {
  it('v1 with flat keys means what it meant there', () => {
    const { spec, backends, priority, flags } = settingsOf(read('ro-v1-flat.yml'), { flags: { prompt: 'x' } });
    expect(spec).toMatchObject({ promise: 'ALL_DONE', hats: null });
    expect(spec.limits).toMatchObject({ maxIterations: 40, maxRuntimeMs: 7_200_000, maxCostUsd: 12.5, checkpointInterval: 3 });
    expect(backends['ralph']).toMatchObject([{ type: 'claude' }]);
    expect(priority).toEqual(['claude', 'gemini']);
    expect(flags).toEqual({ prompt: 'x' });
  });

  it('v1: each flat key is told with its new place, what has no meaning is a note', () => {
    expect(findingsOf(read('ro-v1-flat.yml'))).toEqual([
      'warning key-moved agent',
      'warning key-moved agent_priority',
      'warning key-moved prompt_file',
      'warning key-moved completion_promise',
      'warning key-moved max_iterations',
      'warning key-moved max_runtime',
      'warning key-moved max_cost',
      'warning key-moved checkpoint_interval',
      'note key-foreign archive_prompts',
      'note key-foreign enable_metrics',
      'note key-foreign max_tokens',
      'note key-foreign retry_delay',
      'note key-foreign verbose',
    ]);
  });

  it('v2 with sections loads, and says what differs', () => {
    const { spec } = settingsOf(read('ro-v2-nested.yml'));
    expect(spec).toMatchObject({ startingEvent: 'build.start', requiredEvents: ['review.passed'], promise: 'ALL_DONE' });
    expect(spec.hats?.map((hat) => [hat.id, hat.defaultPublishes, hat.idleTimeoutMs])).toEqual([
      ['builder', ['review.ready'], 600_000],
      ['reviewer', [], 600_000],
    ]);
    expect(findingsOf(read('ro-v2-nested.yml'))).toEqual([
      'note key-foreign cancellation_promise',
      'note key-foreign enforce_hat_scope',
      'warning key-moved idle_timeout_secs',
      'note key-foreign default_mode',
      'note key-foreign pty_mode',
      'note key-foreign tasks',
      'note key-foreign memories',
      'note key-foreign features',
    ]);
  });

  it('may describe its scratchpad', () => {
    expect(settingsOf(read('ro-scratchpad-object.yml')).prompts.scratchpad).toBe('notes/pad.md');
  });

  it('may be a file of hats that subscribe', () => {
    const { spec } = settingsOf(read('ro-hats-alone.yml'));
    expect(spec.hats?.map((hat) => hat.triggers)).toEqual([['write.start', 'chapter.refused'], ['chapter.ready']]);
    expect(findingsOf(read('ro-hats-alone.yml'))).toEqual([]);
  });

  it('has its extra instructions behind the others, aliases too', () => {
    const { spec } = settingsOf(read('ro-extra-instructions.yml'));
    expect(spec.hats?.[0]?.instructions).toBe('Build one thing.\n\nSay how sure you are.\n\nKeep it small.');
    expect(findingsOf(read('ro-extra-instructions.yml'))).toEqual([]);
    expect(settingsOf('hats: {a: {triggers: [x], extra_instructions: Go on.}}').spec.hats?.[0]?.instructions).toBe('Go on.');
  });

  it('hands the arguments of a hat to its backend', () => {
    const { backends } = settingsOf(read('ro-backend-args.yml'));
    expect(backends['builder']).toMatchObject([{ type: 'codex', args: ['--profile', 'fast'] }]);
    expect(backends['tester']).toMatchObject([{ type: 'claude', args: ['--verbose'] }]);
    expect(backends['writer']).toMatchObject([{ type: 'gemini', args: ['-m', 'pro', '--debug'] }]);
  });

  it('says of waves, tool lists and pads of one hat what takes their place, and keeps the time limit', () => {
    expect(settingsOf(read('ro-waves.yml')).spec.hats?.[0]?.timeoutMs).toBe(300_000);
    expect(findingsOf(read('ro-waves.yml'))).toEqual([
      'note key-foreign concurrency',
      'warning key-moved timeout',
      'warning key-foreign disallowed_tools',
      'note key-foreign scratchpad',
      'note key-foreign aggregate',
      'note key-foreign persistent',
    ]);
  });

  it('may name agents that have no name here', () => {
    const { backends } = settingsOf(read('ro-roo.yml'));
    expect(backends['ralph']).toMatchObject([{ type: 'custom', command: 'roo', args: ['--print', '--ephemeral'], promptMode: 'file' }]);
    expect(backends['helper']).toMatchObject([{ type: 'acp', command: 'kiro-cli', args: ['acp'] }]);
    expect(findingsOf(read('ro-roo.yml'))).toEqual(['hint backend-foreign roo', 'hint backend-foreign kiro-acp']);
  });

  it('reads its events, and keeps its hooks for later', () => {
    expect(settingsOf(read('ro-events-and-hooks.yml')).spec.events).toEqual({ 'work.start': { description: 'The work begins.' } });
    expect(findingsOf(read('ro-events-and-hooks.yml')).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'note key-foreign',
      'note key-ignored',
      'note key-foreign',
      'note key-foreign',
      'note key-foreign',
      'note key-foreign',
    ]);
  });

  it('is refused where it says one thing in two places', () => {
    const text = read('ro-both-places.yml');
    const { settings, diagnostics } = loadText(text);
    expect(settings).toBeNull();
    expect(diagnostics.map((entry) => [entry.severity, entry.code, entry.line, tokenAt(text, entry)])).toEqual([
      ['error', 'key-misplaced', 2, 'max_iterations'],
    ]);
  });
});

describe('a configuration of MassGen', () => {
  it.each(['massgen-multi.yml', 'massgen-single.yml'])('%s is recognised, and does not run as something else', async (name) => {
    const text = read(name);
    const { settings, diagnostics } = loadText(text);
    expect(settings).toBeNull();
    expect(diagnostics).toContainEqual(expect.objectContaining({ severity: 'error', code: 'config-massgen' }));
    expect(findingsOf((await migrateText(text, name)).text)).toEqual([]);
  });
});

describe('migrating', () => {
  it.each(THEIRS.filter((name) => !['ro-hats-alone.yml', 'ro-events-and-hooks.yml', 'ro-waves.yml'].includes(name)))(
    '%s gives a file without keys of theirs that means the same',
    async (name) => {
      const { outcome, text } = await migrateText(read(name), name);
      expect(outcome).toBe('migrated');
      expect(findingsOf(text)).toEqual([]);
      const { digest: _, configFiles: __, ...before } = settingsOf(read(name));
      const { digest: ___, configFiles: ____, ...after } = settingsOf(text);
      expect(after).toEqual(before);
    },
  );

  it.each(THEIRS)('%s a second time changes nothing', async (name) => {
    const { text } = await migrateText(read(name), name);
    expect(await migrateText(text, name)).toMatchObject({ outcome: 'same', text });
  });

  it('keeps comments', async () => {
    const { text } = await migrateText(read('ro-v1-flat.yml'), 'x.yml');
    expect(text).toContain('# The first version: everything at the top level.');
    expect(text).toMatch(/max_iterations: 40 +# a day's work/);
    expect((await migrateText(read('ro-extra-instructions.yml'), 'x.yml')).text).toContain('# What it does.');
  });

  it('tells each change and each loss, with what takes its place', async () => {
    const { changes, dropped } = await migrateText(read('ro-waves.yml'), 'x.yml');
    expect(changes).toEqual([
      'hats.reviewer.timeout is now hats.reviewer.timeout_seconds.',
      'hats.reviewer.disallowed_tools is now profiles.reviewer_tools.deny.',
    ]);
    expect(dropped).toHaveLength(4);
    expect(dropped.join('\n')).toMatch(/hats\.reviewer\.concurrency was left out\. One hat works at a time/);
  });

  it('keeps a hat from the tools that it was kept from', async () => {
    const { text } = await migrateText(read('ro-waves.yml'), 'x.yml');
    expect(findingsOf(text).filter((line) => line.startsWith('error'))).toEqual([]);
    expect(settingsOf(text).policies['reviewer']?.deny).toEqual(['edit_file', 'write_file']);
  });

  it('leaves a list of tools that have no name here, and says so', async () => {
    const theirs = 'hats: {a: {triggers: [x], timeout: 5, disallowed_tools: [Teleport]}}\n';
    const { text, left } = await migrateText(theirs, 'x.yml');
    expect(text).toContain('disallowed_tools: [Teleport]');
    expect(left.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'warning `hats.a.disallowed_tools` is a key of ralph-orchestrator and is not read.',
    ]);
  });

  it('tells of hooks that were to hold a run back', async () => {
    const theirs =
      'hooks:\n  events:\n    pre.loop.start:\n      - {name: a, command: [./a.sh], on_error: warn}\n      - {name: b, command: [./b.sh], on_error: block}\n';
    const { outcome, left } = await migrateText(theirs, 'x.yml');
    expect(outcome).toBe('same');
    expect(left.map(({ line, message }) => [line, message])).toEqual([[5, 'A hook with `on_error: block` is not run by this version.']]);
  });

  it('makes gates of the commands that were to hold a run back', async () => {
    const theirs =
      'backpressure:\n  gates:\n    - name: fmt # style\n      command: cargo fmt --check\n      on_fail: Format it.\n    - {name: unit, command: cargo test}\n';
    const { text, changes } = await migrateText(theirs, 'x.yml');
    expect(changes).toEqual(['backpressure.gates is now gates: Ralph runs the 2 commands before a run may end.']);
    expect(settingsOf(text).spec.gates.map(({ name, run }) => [name, run])).toEqual([
      ['fmt', 'cargo fmt --check'],
      ['unit', 'cargo test'],
    ]);
    expect(text).toContain('# style');
    expect(findingsOf(theirs)).toEqual(['warning key-foreign backpressure']);
  });

  it('names what a gate or `backpressure` said besides, and names `backpressure` once', async () => {
    const theirs =
      'backpressure:\n  on_build: strict\n  gates:\n    - {name: fmt, command: cargo fmt --check, on_fail: Format it.}\nhats: {a: {triggers: [x]}}\n';
    const { changes, dropped, text } = await migrateText(theirs, 'x.yml');
    expect(changes).toHaveLength(1);
    expect(dropped.map((line) => line.split(' was left out')[0])).toEqual(['gates.fmt.on_fail', 'backpressure.on_build']);
    expect(text).not.toContain('backpressure');
    const alone = await migrateText(theirs.replace('  on_build: strict\n', '').replace(', on_fail: Format it.', ''), 'x.yml');
    expect([alone.changes.length, alone.dropped]).toEqual([1, []]);
  });

  it('commits nothing where the old file said so, and says that it is so where it asked for commits', async () => {
    for (const text of ['git_checkpoint: false\n', 'git_checkpoint: false\ncheckpoint_interval: 3\n']) {
      expect(settingsOf(text).spec.limits.checkpointInterval).toBe(0);
      const { text: migrated, changes } = await migrateText(text, 'x.yml');
      expect([migrated, changes.at(-1)]).toEqual([
        'event_loop:\n  checkpoint_interval: 0\n',
        'git_checkpoint: false is now event_loop.checkpoint_interval: 0.',
      ]);
    }
    expect(settingsOf('git_checkpoint: true\ncheckpoint_interval: 3\n').spec.limits.checkpointInterval).toBe(3);
    expect(findingsOf('git_checkpoint: true\n')).toEqual(['note key-foreign git_checkpoint']);
    expect((await migrateText('git_checkpoint: true\n', 'x.yml')).dropped).toEqual([expect.stringContaining('git_checkpoint')]);
  });

  it('hands `agent_args` to the agent', async () => {
    expect((await migrateText('agent: claude\nagent_args: ["--fast"]\n', 'x.yml')).text).toBe(
      'cli:\n  backend: claude\n  args: ["--fast"]\n',
    );
  });

  it('keeps an agent that was switched off, or its tools that were limited, and says what that was to hold back', async () => {
    const theirs = 'adapters:\n  kiro: {enabled: false, timeout: 300}\n  claude: {tool_permissions: [Read]}\n  q: {enabled: true}\n';
    expect(loadText(theirs).diagnostics.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
      'note `adapters` is a key of ralph-orchestrator and is not read.',
      'warning `adapters.kiro.enabled: false` is not read: the agent would be taken where it is found.',
      'warning `adapters.claude.tool_permissions` is not read: what it holds back would be free.',
    ]);
    const { text, dropped, left } = await migrateText(theirs, 'x.yml');
    expect(text).toContain('enabled: false');
    expect(text).toContain('tool_permissions: [Read]');
    expect(dropped.map((line) => line.split(' was left out')[0])).toEqual(['adapters.kiro.timeout', 'adapters.q.enabled']);
    expect(left.map(({ message }) => message.split(' ')[0])).toEqual([
      '`adapters.kiro.enabled:',
      '`adapters.claude.tool_permissions`',
      '`adapters`',
    ]);
    const free = await migrateText('adapters:\n  claude: {timeout: 300, tool_permissions: {allow_all: true}}\n', 'x.yml');
    expect([free.text.trim(), free.left, free.dropped.length]).toEqual(['{}', [], 2]);
  });

  it('leaves lists and maps as they were written', async () => {
    const list = 'hats: {a: {triggers: [x, y], publishes: [z]}}';
    expect((await migrateText(`${list}\nmax_iterations: 3\n`, 'x.yml')).text).toContain(list);
    const wide = 'hats: { a: { triggers: [ x, y ] } }';
    expect((await migrateText(`${wide}\nmax_iterations: 3\n`, 'x.yml')).text).toContain(wide);
  });

  it('leaves out a default that would end the run', async () => {
    const { text, dropped } = await migrateText(
      'hats: {a: {triggers: [x], publishes: [LOOP_COMPLETE], default_publishes: [LOOP_COMPLETE]}}\n',
      'x.yml',
    );
    expect(text).not.toContain('default_publishes');
    expect(dropped).toEqual([
      'hats.a.default_publishes was left out: a run ends only where somebody says so, not by a hat that said nothing.',
    ]);
  });

  it('leaves what is ours as it is, and says where a text is no YAML', async () => {
    const ours = 'cli: {backend: claude}   # mine\n';
    expect(await migrateText(ours, 'x.yml')).toMatchObject({ outcome: 'same', text: ours });
    expect(await migrateText('a: b: c', 'x.yml')).toMatchObject({ outcome: 'invalid', diagnostics: [{ file: 'x.yml', line: 1 }] });
  });
});
