import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { TOPIC_PANEL_CONFLICT } from '../../src/core/events/reserved.ts';
import type { HatSpec } from '../../src/core/run/run-spec.ts';
import { BUILT_IN_CARDS } from '../../src/core/tools/built-in-cards.ts';
import { resolveProfile } from '../../src/core/tools/tool-profiles.ts';
import { type SimulationScript, traceRun } from '../../src/simulate/index.ts';
import { mayEnd, publishableBy, takersOf } from '../../src/topology/routing/index.ts';
import { type CheckedConfig, checkConfig } from '../../src/validation/index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PRESETS = join(ROOT, 'presets');
const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-presets-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The table of seed 001, without the planner of four of them, whose work Ralph does. */
const NINE: Readonly<Record<string, { readonly hats: readonly string[]; readonly terminal?: readonly string[] }>> = {
  feature: { hats: ['builder', 'reviewer'] },
  'feature-minimal': { hats: ['builder', 'reviewer'] },
  research: { hats: ['researcher', 'synthesizer'], terminal: ['research.question', 'synthesis.complete'] },
  docs: { hats: ['writer', 'reviewer'] },
  refactor: { hats: ['refactorer', 'verifier'] },
  debug: { hats: ['investigator', 'tester', 'fixer', 'verifier'], terminal: ['hypothesis.confirmed', 'fix.blocked', 'fix.failed'] },
  review: { hats: ['reviewer', 'analyzer'], terminal: ['review.complete'] },
  deploy: { hats: ['builder', 'deployer', 'verifier'] },
  // The seed's has no terminal event; hats that change no file need one for their report.
  'gap-analysis': { hats: ['analyzer', 'verifier', 'reporter'], terminal: ['gaps.report'] },
};

/** Teams whose result is an event: no hat of them may change anything. */
const READING = ['research', 'review', 'panel-review', 'gap-analysis'];
/** What changes the workspace, or runs whatever it is told to. */
const CHANGING = ['write_file', 'edit_file', 'git_commit', 'git_push', 'bash'];
/** Words by which instructions ask for a tool. */
const ASKED: readonly (readonly [words: RegExp, tool: string])[] = [
  [/\b(?:run|see) (?:\w+ ){0,3}(?:tests?|suite)\b/i, 'run_tests'],
  [/\b(?:run\b[^.]*\b|the )linter\b/i, 'run_lint'],
  [/\brun\b[^.]*\bbuild\b/i, 'run_build'],
  [/\bRead the (?:\w+ )?diff\b/, 'git_diff'],
  [/\bhistory\b/, 'git_log'],
  [/\bwrite (?:first )?(?:a test|the tests?|the smallest test|ONE)\b/i, 'write_file'],
  [/\bwrite the (?:least|simplest) code\b|\bmake (?:exactly|the smallest|one kind)\b/i, 'edit_file'],
  [/\bfolder for temporary files\b|\bwith (?:one|real) commands?\b|\bgit bisect\b|\bas its user would\b/, 'bash'],
];

const SEVEN = ['explorer', 'planner', 'designer', 'creator', 'critic', 'editor', 'resolver'];
const NAMES = readdirSync(PRESETS)
  .filter((file) => file.endsWith('.yml'))
  .map((file) => file.replace('.yml', ''));
/** Words with a dot in instructions that are files, not topics. */
const FILE_NAME = /\.md$/;

function read(name: string): string {
  return readFileSync(join(PRESETS, `${name}.yml`), 'utf8');
}

function check(name: string): CheckedConfig & { readonly topology: NonNullable<CheckedConfig['topology']> } {
  const checked = checkConfig({ cwd: FOLDER, configFiles: [join(PRESETS, `${name}.yml`)], prompt: 'optional' });
  if (checked.topology === null) throw new Error(`${name} is no YAML`);
  return { ...checked, topology: checked.topology };
}

function listHats(name: string): readonly HatSpec[] {
  return check(name).topology.hats;
}

/** The names of the native agent's tools that the profile of a hat offers. */
function listOffered(name: string, hat: string): readonly string[] {
  const policy = check(name).settings?.policies[hat] ?? null;
  return resolveProfile(policy, BUILT_IN_CARDS).flatMap(({ card, isOffered }) => (isOffered ? card.name : []));
}

/** Everything in back quotes that could be a topic. */
function listTopics({ instructions }: HatSpec): readonly string[] {
  return [...instructions.matchAll(/`([a-z_]+(?:\.[a-z_]+)+)`/g)]
    .map((match) => match[1] as string)
    .filter((word) => !FILE_NAME.test(word));
}

const PANELS = ['panel-review', 'panel-design', 'best-of-n'];

it('the nine presets, the seven-hat collection, three more, and three with panels are there', () => {
  expect([...NAMES].sort()).toEqual([...Object.keys(NINE), 'hats', 'tdd', 'spec-driven', 'fresh-eyes', ...PANELS].sort());
});

it.each(Object.entries(NINE))('%s has the hats and terminal events of the table', (name, { hats, terminal = [] }) => {
  const { topology } = check(name);
  expect(topology.hats.map((hat) => hat.id)).toEqual(hats);
  expect(topology.spec.terminalEvents).toEqual(terminal);
});

it('no planner in the nine', () => {
  const files = readdirSync(join(ROOT, 'presets')).filter((name) => name.endsWith('.yml'));
  const others = files.map((name) => name.replace('.yml', '')).filter((name) => name !== 'hats');
  expect(Object.keys(NINE)).toHaveLength(9);
  expect(others).toEqual(expect.arrayContaining(Object.keys(NINE)));
  const named = others.map((name) => [name, listHats(name).flatMap((hat) => [hat.id, hat.name])] as const);
  expect(named.filter(([, names]) => names.length === 0)).toEqual([]);
  expect(named.filter(([, names]) => names.some((name) => /plann?er/i.test(name)))).toEqual([]);
  // What a name does not say, the words for the wearer do: nobody else is called one.
  const told = Object.keys(NINE).filter((name) => /\bplanner\b/i.test(readFileSync(join(ROOT, 'presets', `${name}.yml`), 'utf8')));
  expect(told).toEqual([]);
});

it('hats.yml has the seven hats with their profiles, coordinates itself and is resumed by its planner', () => {
  const { coordination, topology, diagnostics } = check('hats');
  const profiles = [...read('hats').matchAll(/^ {2}(\w+):\n {4}name: .*\n {4}profile: (\w+)/gm)].map(
    ([, hat, profile]) => `${hat}: ${profile}`,
  );
  expect([coordination, topology.recoveryHat, diagnostics]).toEqual(['hats', 'planner', []]);
  expect(topology.hats.map((hat) => hat.id)).toEqual(SEVEN);
  expect(profiles).toEqual([
    'explorer: explorer',
    'planner: planner',
    'designer: planner',
    'creator: creator',
    'critic: critic',
    'editor: editor',
    'resolver: creator',
  ]);
  expect(takersOf(topology, 'task.resume')).toEqual(['planner']);
});

describe.each(NAMES)('%s', (name) => {
  it('validates without a finding', () => {
    expect(check(name).diagnostics).toEqual([]);
  });

  it('loads as an overlay over a configuration without a finding', () => {
    const cwd = mkdtempSync(join(FOLDER, 'overlay-'));
    writeFileSync(join(cwd, 'ralph.yml'), 'cli:\n  backend: codex\n');
    const { diagnostics, topology } = checkConfig({ cwd, hatsOverlay: `preset:${name}`, prompt: 'optional' });
    expect([diagnostics, topology?.hats.map((hat) => hat.id)]).toEqual([[], listHats(name).map((hat) => hat.id)]);
  });

  it('says what it is for and when to use it, to people who list presets and to those who open the file', () => {
    const text = read(name);
    expect(text).toMatch(new RegExp(`^# ${name}: .+\n#\n# Use it when: `));
    expect(text).toMatch(new RegExp(`^name: ${name}\ndescription: .+ Use it `, 'm'));
  });

  it('has limits, a place for the backend and a task to fill in', () => {
    expect(read(name)).toMatch(/^ {2}max_iterations: \d+\n {2}max_runtime_seconds: \d+h$/m);
    expect(read(name)).toMatch(/^# cli:\n# {3}backend: claude /m);
    expect(existsSync(join(PRESETS, 'prompts', `${name}.md`))).toBe(true);
  });

  it('tells every hat when to publish each of its topics, and no other', () => {
    const { topology } = check(name);
    const wrong = topology.hats
      .filter((hat) => hat.instructions !== '')
      .flatMap((hat) => {
        const told = [...hat.instructions.matchAll(/[Pp]ublish `([^`]+)`/g)].map((match) => match[1] as string);
        const own = publishableBy(topology, hat.id).filter((topic) => topic !== TOPIC_PANEL_CONFLICT);
        return [...new Set(told)].sort().join() === [...own].sort().join() ? [] : [`${hat.id}: told ${told}, may ${own}`];
      });
    expect(wrong).toEqual([]);
  });

  it('mentions only topics that the hat publishes, takes, or that are on record', () => {
    const { topology } = check(name);
    const wrong = topology.hats.flatMap((hat) => {
      const known = [...hat.triggers, ...hat.publishes.map((entry) => entry.topic), ...topology.spec.terminalEvents];
      return listTopics(hat).filter((topic) => !known.includes(topic));
    });
    expect(wrong).toEqual([]);
  });

  it('tells whoever may end the run when to do so, and nobody else', () => {
    const { topology } = check(name);
    const told = topology.hats.filter((hat) => /end the run/.test(hat.instructions)).map((hat) => hat.id);
    expect(told).toEqual(topology.hats.filter((hat) => mayEnd(topology, hat.id)).map((hat) => hat.id));
  });

  it('keeps instructions short, for agents read them every turn, and says more than a sentence', () => {
    const written = listHats(name).filter((hat) => hat.instructions !== '');
    expect(written.filter(({ instructions }) => instructions.length > 2500 || instructions.length < 800)).toEqual([]);
  });

  it('names a profile for every hat, so that it runs on any agent', () => {
    const { profileNames = {} } = check(name).settings ?? {};
    expect(listHats(name).filter((hat) => (profileNames[hat.id] ?? null) === null)).toEqual([]);
  });

  it('has no finding with the native agent, nor as an overlay over it', () => {
    const cwd = mkdtempSync(join(FOLDER, 'native-'));
    writeFileSync(join(cwd, 'ralph.yml'), 'cli: {backend: {type: native, model: claude-sonnet-5}}\n');
    expect(checkConfig({ cwd, hatsOverlay: `preset:${name}`, prompt: 'optional' }).diagnostics).toEqual([]);
  });

  it('asks of each hat only what its profile offers', () => {
    const wrong = listHats(name).flatMap(({ id, instructions }) => {
      const offered = listOffered(name, id);
      return ASKED.filter(([words, tool]) => words.test(instructions) && !offered.includes(tool)).map(([, tool]) => `${id}: ${tool}`);
    });
    expect(wrong).toEqual([]);
  });

  it('says to each hat that may change files what to do when it is done already', () => {
    const writers = listHats(name).filter(({ id, instructions }) => instructions !== '' && listOffered(name, id).includes('edit_file'));
    const ways = /already|nothing (?:to|needed|needs|worth)|does not fail any more/i;
    expect(writers.filter(({ instructions }) => !ways.test(instructions)).map(({ id }) => id)).toEqual([]);
  });
});

it.each(READING)('%s holds every hat to changing nothing, and asks none to write a file', (name) => {
  for (const { id, instructions } of listHats(name)) {
    expect([id, listOffered(name, id).filter((tool) => CHANGING.includes(tool))]).toEqual([id, []]);
    expect(instructions).toMatch(/change(?:s)? (?:nothing|no file)/);
    expect(instructions).not.toMatch(/\.md\b/);
  }
});

/** A run as its header tells it, agents doing what their instructions say: what each hat says in turn, and who is called in which order. */
const MEANT: readonly (readonly [preset: string, hats: SimulationScript['hats'], order: string])[] = [
  [
    'feature',
    { ralph: ['build.task', 'LOOP_COMPLETE'], builder: ['build.done'], reviewer: ['review.rejected', 'review.approved'] },
    'ralph builder reviewer builder reviewer ralph',
  ],
  ['feature', { ralph: ['build.task', 'build.task', 'LOOP_COMPLETE'], builder: ['build.blocked'] }, 'ralph builder ralph builder ralph'],
  [
    'docs',
    { ralph: ['write.task', 'LOOP_COMPLETE'], writer: ['write.done'], reviewer: ['review.approved'] },
    'ralph writer reviewer ralph',
  ],
  [
    'refactor',
    { ralph: ['refactor.task', 'LOOP_COMPLETE'], refactorer: ['refactor.done'], verifier: ['verify.rejected', 'verify.passed'] },
    'ralph refactorer verifier refactorer verifier ralph',
  ],
  [
    'deploy',
    {
      ralph: ['release.requested', 'LOOP_COMPLETE'],
      builder: ['release.built'],
      deployer: ['deploy.done', 'rollback.done'],
      verifier: ['rollback.requested'],
    },
    'ralph builder deployer verifier deployer ralph',
  ],
  [
    'research',
    { researcher: ['research.finding'], synthesizer: ['research.followup', 'synthesis.complete', 'LOOP_COMPLETE'] },
    'researcher synthesizer researcher synthesizer synthesizer',
  ],
  ['research', { researcher: ['research.question'], synthesizer: ['LOOP_COMPLETE'] }, 'researcher synthesizer'],
  [
    'review',
    { reviewer: ['analysis.request', 'review.complete', 'LOOP_COMPLETE'], analyzer: ['analysis.done'] },
    'reviewer analyzer reviewer reviewer',
  ],
  ['debug', { investigator: ['bug.absent'], verifier: ['LOOP_COMPLETE'] }, 'investigator verifier'],
  ['fresh-eyes', { builder: ['build.blocked', 'build.done'], skeptic: ['build.next', 'LOOP_COMPLETE'] }, 'builder skeptic builder skeptic'],
  [
    'gap-analysis',
    { analyzer: ['claims.ready'], verifier: ['claims.checked'], reporter: ['analysis.more', 'LOOP_COMPLETE'] },
    'analyzer verifier reporter analyzer verifier reporter',
  ],
  [
    'debug',
    {
      investigator: ['hypothesis.proposed'],
      tester: ['hypothesis.rejected', 'fix.request'],
      fixer: ['fix.applied'],
      verifier: ['fix.incomplete', 'LOOP_COMPLETE'],
    },
    'investigator tester investigator tester fixer verifier fixer verifier',
  ],
  [
    'debug',
    { investigator: ['hypothesis.proposed', 'LOOP_COMPLETE'], tester: ['hypothesis.confirmed'] },
    'investigator tester investigator',
  ],
  [
    'tdd',
    { tester: ['test.red', 'test.red', 'LOOP_COMPLETE'], implementer: ['test.disputed', 'test.green'], refactorer: ['code.clean'] },
    'tester implementer tester implementer refactorer tester',
  ],
  [
    'spec-driven',
    {
      specifier: ['spec.ready'],
      architect: ['plan.ready'],
      builder: ['build.done'],
      verifier: ['build.next', 'build.rejected', 'LOOP_COMPLETE'],
    },
    'specifier architect builder verifier builder verifier builder verifier',
  ],
  [
    'fresh-eyes',
    { builder: ['build.done'], skeptic: ['build.broken', 'build.next', 'LOOP_COMPLETE'] },
    'builder skeptic builder skeptic builder skeptic',
  ],
  [
    'hats',
    {
      planner: ['task.needs_exploration', 'plan.complete'],
      explorer: ['exploration.complete'],
      designer: ['design.complete'],
      creator: ['blocked', 'implementation.done', 'implementation.done'],
      resolver: ['resolved'],
      critic: ['review.changes_requested', 'review.approved'],
      editor: ['task.complete'],
    },
    'planner explorer planner designer creator resolver creator critic creator critic editor',
  ],
];

it.each(MEANT)('%s goes as its header tells when agents say %j', (name, hats, order) => {
  const options = { silent: 0, failure: 0, gateFailure: 0, script: { hats } };
  const played = traceRun(check(name).topology, 1, options);
  expect([played.reason, played.turns.map((turn) => turn.hat).join(' ')]).toEqual(['completed', order]);
  expect(played.turns.flatMap((turn) => turn.refused)).toEqual([]);
});

it('debug hands what needs a person to the investigator, and ends as stalled when nobody can go on', () => {
  const investigator = ['hypothesis.proposed', '(silent)', '(silent)', '(silent)'];
  const script = { hats: { investigator, tester: ['fix.request'], fixer: ['fix.blocked'] } };
  const played = traceRun(check('debug').topology, 1, { silent: 0, failure: 0, script });
  expect([played.reason, played.turns.map((turn) => turn.hat).join(' ')]).toEqual([
    'stalled',
    'investigator tester fixer investigator investigator investigator',
  ]);
});

it('every task to fill in belongs to a preset, and the package carries them', () => {
  expect(readdirSync(join(PRESETS, 'prompts')).sort()).toEqual(NAMES.map((name) => `${name}.md`).sort());
  expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).files).toContain('presets');
});
