import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeApp, createFakeContext } from '../fixtures.ts';

const TEAM = `
hats:
  planner:
    name: Planner
    description: Cuts the work up.
    triggers: [task.start, task.resume, build.done, "*.blocked"]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done, build.blocked]
    instructions: |
      Build it.
      Test it.
gates:
  - on: build.done
    run: npm test
`;
const PANEL = TEAM.replace(
  '  builder:\n',
  '  builder:\n    panel:\n      agents: [{id: anna, backend: claude}, {id: ben, backend: codex}]\n',
);
const ORPHAN = TEAM.replace('[build.task]\n  builder', '[build.task, deploy.now]\n  builder');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-graph-'));
  writeFileSync(join(folder, 'ralph.yml'), TEAM);
  writeFileSync(join(folder, 'orphan.yml'), ORPHAN);
  writeFileSync(join(folder, 'panel.yml'), PANEL);
  writeFileSync(join(folder, 'broken.yml'), 'hats: [\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function type(args: readonly string[], app: Partial<AppApi> = {}, cwd = folder) {
  const fake = createFakeContext({ app });
  const exitCode = await performCommandLine(args, { ...fake.context, cwd });
  return { exitCode, out: fake.out(), err: fake.err() };
}

describe('ralph graph', () => {
  it('draws the team of the folder', async () => {
    const { exitCode, out, err } = await type(['graph']);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/│ +planner +│/);
    expect(out).toContain('◈ build.done');
    expect(out).toContain('◈ Where the gate before build.done is red: build.blocked, with what the gate said');
    expect(out).toContain('▼');
  });

  it.each([
    ['mermaid', /^flowchart TD\n/],
    ['dot', /^digraph flow \{\n/],
    ['svg', /^<svg /],
  ])('writes %s', async (format, pattern) => {
    expect((await type(['graph', '--format', format])).out).toMatch(pattern);
  });

  it('gives programs nodes and edges', async () => {
    const graph = JSON.parse((await type(['graph', '--format', 'json'])).out);
    expect(graph).toMatchObject({ v: 1, coordination: 'hats', isCut: false });
    expect(graph.edges).toContainEqual(
      expect.objectContaining({ from: 'hat:planner', to: 'hat:builder', topic: 'build.task', kind: 'event' }),
    );
  });

  it('writes a file in the format that its ending says', async () => {
    expect(await type(['graph', '--output', 'team.svg'])).toMatchObject({ exitCode: 0, out: '', err: 'Written: team.svg\n' });
    expect(readFileSync(join(folder, 'team.svg'), 'utf8')).toMatch(/^<svg /);
    expect(await type(['graph', '--output', 'missing/team.svg'])).toMatchObject({ exitCode: 1, err: expect.stringContaining('ENOENT') });
    expect(await type(['graph', '--output', 'team.png'])).toMatchObject({ exitCode: 2, err: expect.stringContaining('.svg') });
  });

  it('writes over drawings, and over nothing else', async () => {
    const cwd = mkdtempSync(join(folder, 'output-'));
    const team = TEAM.replace('instructions: |\n      Build it.\n      Test it.', 'instructions_file: builder.txt');
    const before = {
      'ralph.yml': `event_loop: {prompt_file: task.txt}${team}`,
      'builder.txt': 'Build it.',
      'task.txt': 'Do it.',
      'other.yaml': 'a: 1\n',
      'notes.md': 'mine',
      'far.svg': 'far',
    };
    for (const [name, text] of Object.entries(before)) writeFileSync(join(cwd, name), text);
    symlinkSync('far.svg', join(cwd, 'link.svg'));
    linkSync(join(cwd, 'ralph.yml'), join(cwd, 'hard.svg'));
    for (const name of ['ralph.yml', 'builder.txt', 'task.txt', 'other.yaml', 'notes.md', 'link.svg', 'hard.svg']) {
      const { exitCode, err } = await type(['graph', '--format', 'svg', '--output', name], {}, cwd);
      expect([name, exitCode, err]).toEqual([name, 2, expect.stringContaining('nothing was written')]);
    }
    for (const [name, text] of Object.entries(before)) expect(readFileSync(join(cwd, name), 'utf8')).toBe(text);
    expect((await type(['graph', '--output', 'far.svg'], {}, cwd)).exitCode).toBe(0);
    expect(readFileSync(join(cwd, 'far.svg'), 'utf8')).toMatch(/^<svg /);
    expect(readdirSync(cwd)).toHaveLength(8);
  });

  it('draws a team with errors too, and tells these on standard error', async () => {
    const { exitCode, out, err } = await type(['graph', '-c', 'orphan.yml']);
    expect([exitCode, out.includes('nobody')]).toEqual([0, true]);
    expect(err).toContain('[event-orphan]');
  });

  it('says what is wrong with a file that is no YAML', async () => {
    expect(await type(['graph', '-c', 'broken.yml'])).toMatchObject({
      exitCode: 1,
      out: '',
      err: expect.stringContaining('broken.yml:1:'),
    });
  });

  it('lists a team that is too wide to be drawn', async () => {
    const topics = Array.from({ length: 12 }, (_, index) => `a-rather-long-name-of-an-area-${index}.task`);
    const hats = topics.map((topic, index) => `  h${index}: {triggers: [${topic}], publishes: [all.done]}\n`);
    const lead = `hats:\n  lead: {triggers: [task.start, task.resume, all.done], publishes: [${topics.join(', ')}]}\n`;
    writeFileSync(join(folder, 'wide.yml'), lead + hats.join(''));
    const { out } = await type(['graph', '-c', 'wide.yml']);
    expect(out).toContain('    ── a-rather-long-name-of-an-area-11.task ──▶ h11\n');
  });

  it('refuses a picture of a team that is too large for one, and writes the other formats', async () => {
    const hats = Array.from(
      { length: 401 },
      (_, index) => `  h${index}: {triggers: [t${index}.go, task.start], publishes: [t${index + 1}.go]}\n`,
    );
    writeFileSync(join(folder, 'large.yml'), `hats:\n${hats.join('')}`);
    const args = ['graph', '-c', 'large.yml', '--format'];
    expect(await type([...args, 'svg'])).toMatchObject({
      exitCode: 1,
      out: '',
      err: expect.stringContaining('are too many for a picture'),
    });
    for (const format of ['unicode', 'dot', 'mermaid', 'json']) expect((await type([...args, format])).out).toContain('t400.go');
  });

  it('prints a path, one hop a line', async () => {
    expect((await type(['graph', '--path', 'builder..end'])).out).toBe(
      'builder ── ◈ build.done ──▶ planner\nplanner ── LOOP_COMPLETE ──▶ end\n',
    );
    expect((await type(['graph', '--path', 'start..builder', '--format', 'mermaid'])).out).toContain('==>|"build.task"|');
  });

  it('says how far it gets where there is no path', async () => {
    expect(await type(['graph', '--path', 'end..planner'])).toMatchObject({ exitCode: 1, err: expect.stringContaining('No path leads') });
  });

  it('takes a wrong path for wrong usage, and says what was meant', async () => {
    expect(await type(['graph', '--path', 'bulder..end'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('did you mean builder?'),
    });
    expect(await type(['graph', '--path', 'builder'])).toMatchObject({ exitCode: 2, err: expect.stringContaining('planner..end') });
  });

  it('shows the team of a past run with counts, whatever the folder says now', async () => {
    const { out } = await type(['graph', '--live', '--format', 'mermaid'], createFakeApp());
    expect(out).toContain('build.task ×1');
    expect(await type(['graph', '--live', '-c', 'orphan.yml'], createFakeApp())).toMatchObject({ exitCode: 2 });
  });
});

describe('ralph hats', () => {
  it('lists the hats with their events and marks', async () => {
    const { out } = await type(['hats']);
    expect(out.split('\n')[1]).toMatch(/^planner +entry · recovery · may end +task\.start, .* +build\.task +\S+ +Cuts the work up\.$/);
  });

  it('gives programs one object a line', async () => {
    const rows = (await type(['hats', '--format', 'json'])).out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map((row) => [row.v, row.id, row.marks])).toEqual([
      [1, 'planner', ['entry', 'recovery', 'may-end']],
      [1, 'builder', []],
    ]);
  });

  it('shows who sends to a hat and who receives from it', async () => {
    const { out } = await type(['hats', 'show', 'builder']);
    expect(out).toMatch(/gets +build\.task from planner\n/);
    expect(out).toMatch(/sends +build\.done → planner \(a gate is run first\)\n/);
    expect(out).toMatch(/instructions +Build it\. \(2 lines in all\)\n/);
  });

  it('names the agents of a panel', async () => {
    expect((await type(['hats', 'show', 'builder', '-c', 'panel.yml'])).out).toMatch(/panel +anna: claude, ben: codex\n/);
  });

  it('tells a hat what is wrong with it', async () => {
    const { out } = await type(['hats', 'show', 'planner', '-c', 'orphan.yml']);
    expect(out).toContain('deploy.now → nobody: no hat takes it');
    expect(out).toContain('[event-orphan]');
  });

  it('says which hat was meant', async () => {
    expect(await type(['hats', 'show', 'bulder'])).toMatchObject({ exitCode: 2, err: expect.stringContaining('did you mean builder?') });
    expect(await type(['hats', 'shw'])).toMatchObject({ exitCode: 2 });
    expect(await type(['hats', 'show'])).toMatchObject({ exitCode: 2 });
  });
});

describe('ralph trace', () => {
  it('says what would happen to an event', async () => {
    const { exitCode, out } = await type(['trace', 'build.done', '--payload', '{"ok":true}']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/published by +builder \(publishes build\.done\)\n/);
    expect(out).toMatch(/carries +JSON \(object\): \{"ok":true\}\n/);
    expect(out).toMatch(/gate first +npm test\n +if it fails +build\.blocked → planner, with what the gate said\n/);
    expect(out).toMatch(/taken by +planner: triggers on build\.done\n/);
    expect(out).toMatch(/then +planner → build\.task → builder\n/);
  });

  it('gives programs the same', async () => {
    const trace = JSON.parse((await type(['trace', 'x.blocked', '--from', 'ralph', '--format', 'json'])).out);
    expect(trace).toMatchObject({
      v: 1,
      topic: 'x.blocked',
      outcome: 'taken',
      takers: [{ hat: 'planner', trigger: '*.blocked', why: 'pattern' }],
    });
  });

  it('says that an unknown topic was probably meant otherwise', async () => {
    expect(await type(['trace', 'biuld.done'])).toMatchObject({ exitCode: 0, err: 'No hat knows biuld.done: did you mean build.done?\n' });
    expect(await type(['trace', 'nope.topic'])).toMatchObject({
      exitCode: 0,
      err: expect.stringMatching(/^No hat knows nope\.topic\. Topics that hats know: .*build\.done/),
    });
  });

  it('takes a pattern, an unknown hat and a wrong depth for wrong usage', async () => {
    for (const args of [['build.*'], ['build.done', '--from', 'bulder'], ['build.done', '--depth', '0']]) {
      expect((await type(['trace', ...args])).exitCode).toBe(2);
    }
  });
});
