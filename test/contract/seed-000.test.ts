/** The acceptance criteria of seed 000, hat system evolution, by name: both of its lists, those that it left open as well. What needs a running loop stands in src/loop/decide/seed-000.test.ts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createBuiltInTools } from '../../src/agent/index.ts';
import { readConfig } from '../../src/config/index.ts';
import type { HatSpec } from '../../src/core/run/run-spec.ts';
import { createTextSignalScanner } from '../../src/core/signals/text-signals.ts';
import { makeHat, makeSpec } from '../../src/core/spec-fixtures.ts';
import { TOOL_GROUPS, type ToolCard } from '../../src/core/tools/tool-card.ts';
import { BUILT_IN_POLICIES, type ProfilePolicy, resolveProfile } from '../../src/core/tools/tool-profiles.ts';
import { compileTopology, takersOf } from '../../src/topology/routing/index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOOLS: readonly ToolCard[] = createBuiltInTools([]);

const offeredBy = (policy: ProfilePolicy | null, tools = TOOLS): readonly string[] =>
  resolveProfile(policy, tools).flatMap(({ card, isOffered }) => (isOffered ? [card.name] : []));
const policyOf = (profile: string): ProfilePolicy => BUILT_IN_POLICIES[profile] ?? expect.fail(`no profile ${profile}`);
const hintsOf = (tool: string) => TOOLS.find(({ name }) => name === tool)?.hints;

/** The seven hats, as the preset has them. */
function loadHats() {
  const { draft, diagnostics } = readConfig({ cwd: ROOT, configFiles: ['presets/hats.yml'] });
  if (draft === null || diagnostics.length > 0) throw new Error('the preset is to be without findings');
  return draft;
}

describe('seed 000, tool profiles', () => {
  test('tools are grouped by semantic purpose, in 9 groups', () => {
    const seen = new Set(TOOLS.map(({ group }) => group));
    expect(TOOL_GROUPS).toHaveLength(9);
    expect(TOOL_GROUPS.filter((group) => !seen.has(group))).toEqual([]);
  });

  test('tools use their read-only hint for safety filtering', () => {
    const reading = offeredBy({ allow: [...TOOL_GROUPS], deny: [], exempt: [], requireReadOnly: true, denyDestructive: false });
    const changing = TOOLS.filter(({ group, hints }) => group !== 'coordination' && !hints.readOnly).map(({ name }) => name);
    expect(changing.length).toBeGreaterThan(8);
    expect(changing.filter((name) => reading.includes(name))).toEqual([]);
  });

  test('profiles define allow and deny policies: what is denied is out although its group is allowed', () => {
    const policy = { allow: ['git'], deny: ['git_push'], exempt: [], requireReadOnly: false, denyDestructive: false };
    expect(offeredBy(policy)).toContain('git_commit');
    expect(offeredBy(policy)).not.toContain('git_push');
  });

  test('profiles can require read-only by a flag, and keep out what is destructive by another', () => {
    const policy = { allow: ['fs'], deny: [], exempt: [], requireReadOnly: false, denyDestructive: false };
    expect(offeredBy(policy)).toContain('write_file');
    expect(offeredBy({ ...policy, requireReadOnly: true })).not.toContain('write_file');
    expect(offeredBy({ ...policy, denyDestructive: true })).not.toContain('write_file');
  });

  test('each hat maps to a profile: in the preset by a key of each, nowhere by its name', () => {
    expect(loadHats().profileNames).toMatchObject({
      explorer: 'explorer',
      planner: 'planner',
      designer: 'planner',
      creator: 'creator',
      critic: 'critic',
      editor: 'editor',
      resolver: 'creator',
    });
    const { draft } = readConfig({ cwd: ROOT, configFiles: ['fixtures/findings/event-orphan.yml'] });
    expect(Object.values(draft?.policies ?? {}).every((policy) => policy === null)).toBe(true);
  });

  test('the explorer cannot write files', () => {
    const offered = offeredBy(policyOf('explorer'));
    expect(offered).toContain('read_file');
    expect(offered.filter((name) => ['write_file', 'edit_file', 'bash'].includes(name))).toEqual([]);
  });

  test('the critic cannot commit changes, and can run the tests', () => {
    const offered = offeredBy(policyOf('critic'));
    expect(offered).toContain('run_tests');
    expect(offered.filter((name) => ['git_commit', 'git_push', 'write_file', 'edit_file', 'bash'].includes(name))).toEqual([]);
  });

  test('every tool has its annotations: DestructiveHint, IdempotentHint, OpenWorldHint and the read-only one, the four presets as they stand', () => {
    expect(TOOLS.every(({ hints }) => Object.values(hints).filter((hint) => typeof hint === 'boolean').length === 4)).toBe(true);
    expect(hintsOf('read_file')).toMatchObject({ readOnly: true, destructive: false, idempotent: true });
    expect(hintsOf('write_file')).toMatchObject({ readOnly: false, destructive: true, idempotent: true });
    expect(hintsOf('git_push')).toMatchObject({ readOnly: false, destructive: false, idempotent: false, openWorld: true });
    expect(hintsOf('web_fetch')).toMatchObject({ readOnly: true, destructive: false, idempotent: false, openWorld: true });
  });
});

/** The five hats of the seed's sample, the creator with the topic that its example leaves out. */
const HATS: readonly HatSpec[] = [
  makeHat('planner', ['task.ready', 'plan.requested', 'task.resume'], ['plan.complete', 'implementation.ready']),
  makeHat('creator', ['implementation.ready', 'fix.requested', 'review.changes_requested'], ['implementation.done', 'review.requested']),
  makeHat('critic', ['review.requested', 'implementation.*'], ['review.approved', 'review.changes_requested']),
  makeHat('editor', ['review.approved', 'polish.requested'], ['task.complete']),
];

function scan(text: string) {
  const scanner = createTextSignalScanner('LOOP_COMPLETE');
  for (const line of text.split('\n')) scanner.line(line);
  return scanner.finish();
}

describe('seed 000, event coordination', () => {
  test("events are parsed from agents' responses, with JSON or without, and bad JSON is a warning and text", () => {
    const { signals, problems } = scan(
      'Done.\nEVENT:implementation.done:{"files_changed": "internal/session/manager.go"}\nEVENT:review.approved\nEVENT:fix.requested:{"issue": tests',
    );
    expect(signals).toEqual([
      { kind: 'event', channel: 'text', topic: 'implementation.done', payload: { files_changed: 'internal/session/manager.go' } },
      { kind: 'event', channel: 'text', topic: 'review.approved', payload: '' },
      { kind: 'event', channel: 'text', topic: 'fix.requested', payload: '{"issue": tests' },
    ]);
    expect(problems).toMatchObject([{ message: expect.stringContaining('not followed by valid JSON') }]);
  });

  test('events are routed to hats: by the exact topic first, then by a pattern, to nobody where none takes them', () => {
    const topology = compileTopology(makeSpec({ hats: HATS }));
    expect(takersOf(topology, 'implementation.ready')).toEqual(['creator']);
    expect(takersOf(topology, 'implementation.done')).toEqual(['critic']);
    expect(takersOf(topology, 'weather.changed')).toEqual([]);
  });

  test('hats are registered by configuration alone: another one is another key in YAML', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'ralph-hats-'));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    const register = (hats: string) => {
      writeFileSync(join(cwd, 'more.yml'), `event_loop: {prompt: x}\nhats: ${hats}\n`);
      const { draft, diagnostics } = readConfig({ cwd, configFiles: [join(ROOT, 'presets/hats.yml'), 'more.yml'] });
      if (draft === null || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
      return compileTopology(draft.spec);
    };
    const before = register('{}');
    const topology = register('{tester: {triggers: [test.requested], publishes: [test.done]}}');
    expect(topology.hats.map(({ id }) => id)).toEqual([...before.hats.map(({ id }) => id), 'tester']);
    expect(topology.hatById.get('tester')).toMatchObject({ triggers: ['test.requested'], publishes: [{ topic: 'test.done' }] });
    const takers = (checked: typeof before): readonly unknown[] =>
      ['test.requested', 'review.approved'].map((topic) => takersOf(checked, topic));
    expect([takers(before), takers(topology)]).toEqual([
      [[], ['editor']],
      [['tester'], ['editor']],
    ]);
  });
});
