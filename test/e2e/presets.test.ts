/** The presets on the native agent, as `ralph init` writes them: a scripted model plays a turn of each hat. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listPresets } from '../../src/config/index.ts';
import { type Conversation, type Reply, startModelServer, type WantedCall } from '../../src/mock-model/index.ts';
import { ralph, readJsonLines, withFolder } from './ralph.ts';

const END = 'LOOP_COMPLETE';

/** What each hat publishes, turn by turn; with the promise it ends the run. */
type Play = Readonly<Record<string, readonly (readonly string[])[]>>;

const PLAYS: Readonly<Record<string, Play>> = {
  feature: { ralph: [['build.task'], [END]], builder: [['build.done']], reviewer: [['review.approved']] },
  'feature-minimal': { ralph: [['build.task'], [END]], builder: [['build.done']], reviewer: [['review.approved']] },
  docs: { ralph: [['write.task'], [END]], writer: [['write.done']], reviewer: [['review.approved']] },
  refactor: { ralph: [['refactor.task'], [END]], refactorer: [['refactor.done']], verifier: [['verify.passed']] },
  deploy: {
    ralph: [['release.requested'], [END]],
    builder: [['release.built']],
    deployer: [['deploy.done']],
    verifier: [['deploy.verified']],
  },
  tdd: { tester: [['test.red'], [END]], implementer: [['test.green']], refactorer: [['code.clean']] },
  'fresh-eyes': { builder: [['build.done']], skeptic: [[END]] },
  'spec-driven': { specifier: [['spec.ready']], architect: [['plan.ready']], builder: [['build.done']], verifier: [[END]] },
  debug: { investigator: [['hypothesis.proposed']], tester: [['fix.request']], fixer: [['fix.applied']], verifier: [[END]] },
  hats: {
    planner: [['task.needs_exploration'], ['plan.complete'], ['implementation.ready']],
    explorer: [['exploration.complete']],
    designer: [['design.complete']],
    creator: [['blocked'], ['implementation.done']],
    resolver: [['resolved']],
    critic: [['review.approved']],
    editor: [[END]],
  },
  research: { researcher: [['research.finding']], synthesizer: [['synthesis.complete', END]] },
  review: { reviewer: [['analysis.request'], ['review.complete', END]], analyzer: [['analysis.done']] },
  // What a panel publishes its winner says: of three that hand in and vote.
  'panel-review': { reviewer: [[END]] },
  'panel-design': { designer: [['design.ready']], builder: [['build.done']], critic: [[END]] },
  'best-of-n': { builder: [['build.done']], reviewer: [[END]] },
  'gap-analysis': { analyzer: [['claims.ready']], verifier: [['claims.checked']], reporter: [['gaps.report', END]] },
};

/** Hats that several agents wear. They hand in, and publish nothing by themselves. */
const PANELS = ['panel-review/reviewer', 'panel-design/designer', 'best-of-n/builder'];
const BY_ITSELF = ['emit_event', 'write_scratchpad'];

/** What a project has for whom its tests decide. */
const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'best-of-n': { 'package.json': '{"scripts": {"test": "test -f builder.txt"}}' },
};

/** Tools by which a hat does what its instructions ask, by what kind of hat it is. */
const READS = ['read_file', 'grep', 'git_diff', 'git_log', 'emit_event', 'write_scratchpad'];
const KINDS = {
  reads: { has: READS, hasNot: ['write_file', 'edit_file', 'bash', 'git_commit', 'run_tests'] },
  checks: { has: [...READS, 'run_tests', 'run_lint', 'run_build'], hasNot: ['write_file', 'edit_file', 'bash', 'git_commit'] },
  works: { has: [...READS, 'run_tests', 'write_file', 'edit_file', 'bash', 'git_commit'], hasNot: [] },
} as const;
const READERS = ['explorer', 'planner', 'designer', 'architect', 'researcher', 'synthesizer', 'gap-analysis/analyzer', 'reporter'];
const CHECKERS = [
  ...['critic', 'feature/reviewer', 'feature-minimal/reviewer', 'docs/reviewer', 'refactor/verifier', 'spec-driven/verifier'],
  ...['review/reviewer', 'review/analyzer', 'gap-analysis/verifier', 'panel-review/reviewer', 'best-of-n/reviewer'],
];
const REPORTS = [
  ['research', 'synthesis.complete'],
  ['review', 'review.complete'],
  ['gap-analysis', 'gaps.report'],
] as const;
const REPORT = `Merge after.\n\n${'src/sum.mjs:1 adds what it should take away: `sum(2, 1)` is 3.\n'.repeat(40)}`;

function kindOf(preset: string, hat: string): keyof typeof KINDS {
  const isOneOf = (names: readonly string[]): boolean => names.includes(hat) || names.includes(`${preset}/${hat}`);
  return isOneOf(READERS) ? 'reads' : isOneOf(CHECKERS) ? 'checks' : 'works';
}

function call(name: string, args: WantedCall['args']): WantedCall {
  return { tool: [name], args, isForced: true };
}

/** The hat of a conversation: its prompt names it. */
function hatOf({ turns }: Conversation): string {
  return /You wear the hat [^\n]*?\(`([\w-]+)`\)/.exec(turns[0]?.text ?? '')?.[1] ?? 'ralph';
}

/** Plays a team: each turn tries to write a file, then publishes what its hat has to say. */
function createPlayer(play: Play) {
  const done = new Map<string, number>();
  const offered = new Map<string, readonly string[]>();
  const answer = (conversation: Conversation): Reply => {
    const hat = hatOf(conversation);
    const step = conversation.turns.filter(({ role }) => role === 'assistant').length;
    const count = done.get(hat) ?? 0;
    const said = play[hat]?.[count] ?? [];
    const tools = conversation.tools.map(({ name }) => name);
    if (tools.includes('vote')) return { calls: [call('vote', { agent_id: 'agent1', reason: 'It holds.' })] };
    offered.set(hat, tools);
    if (step > 0 && tools.includes('new_answer')) return { calls: [call('new_answer', { content: REPORT })] };
    if (step === 0) return { calls: [call('write_file', { path: `${hat}.txt`, content: 'x\n' })] };
    const topics = said.filter((topic) => topic !== END);
    if (step === 1 && topics.length > 0) return { calls: topics.map((topic) => call('emit_event', { topic, payload: REPORT })) };
    done.set(hat, count + 1);
    return { text: said.includes(END) ? `All of it holds.\n\n${END}` : 'Handed over.' };
  };
  return { answer, offered };
}

/** Runs a preset to its end with a player; what was offered to each hat. */
async function runPreset(folder: string, name: string, play: Play): Promise<ReadonlyMap<string, readonly string[]>> {
  const { answer, offered } = createPlayer(play);
  const server = await startModelServer({ handler: answer });
  try {
    const init = await ralph(folder, ['init', '--preset', name, '--backend', 'native', '--model', 'claude-sonnet-5']);
    expect(init).toMatchObject({ code: 0 });
    const valid = await ralph(folder, ['validate', '--strict']);
    expect(valid).toMatchObject({ code: 0 });
    const backend = `cli.backend={type: native, provider: anthropic, model: claude-sonnet-5, base_url: "${server.url}"}`;
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui', '-p', 'Look after the sum', '-c', backend]);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('declared the work complete')]);
    // A new folder has no tests, so init wrote no gate.
    if (FILES[name] === undefined) expect(stdout).toMatch(/Evidence +none: no gate checks the work/);
    return offered;
  } finally {
    await server.close();
  }
}

test('every preset is played', () => {
  expect(Object.keys(PLAYS).sort()).toEqual(
    listPresets()
      .map(({ name }) => name)
      .sort(),
  );
});

describe.concurrent.each(Object.entries(PLAYS))('the preset %s on the native agent', (name, play) => {
  test('runs to its end, every hat with the tools that its instructions ask for', async () => {
    await withFolder(FILES[name] ?? {}, async (folder) => {
      const offered = await runPreset(folder, name, play);
      const hats = Object.keys(play);
      expect([...offered.keys()].sort()).toEqual([...hats].sort());
      for (const hat of hats) {
        const { has: all, hasNot } = KINDS[kindOf(name, hat)];
        const has = PANELS.includes(`${name}/${hat}`) ? all.filter((tool) => !BY_ITSELF.includes(tool)) : all;
        const tools = offered.get(hat) ?? [];
        expect([hat, has.filter((tool) => !tools.includes(tool)), tools.filter((tool) => hasNot.some((no) => no === tool))]).toEqual([
          hat,
          [],
          [],
        ]);
        expect([hat, existsSync(join(folder, `${hat}.txt`))]).toEqual([hat, kindOf(name, hat) === 'works']);
      }
    });
  });
});

test.each(REPORTS)('%s leaves its report, whole, in the event %s, and no file', async (name, topic) => {
  await withFolder({}, async (folder) => {
    await runPreset(folder, name, PLAYS[name] ?? {});
    const { stdout } = await ralph(folder, ['events', '--topic', topic, '--last', '1', '--format', 'json']);
    expect(readJsonLines<{ payload: unknown }>(stdout).map(({ payload }) => payload)).toEqual([REPORT]);
    expect(readdirSync(folder).sort()).toEqual(['.agent', '.ralph', 'PROMPT.md', 'ralph.yml']);
  });
});
