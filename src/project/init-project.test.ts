import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listPresets } from '../config/layers/package-files.ts';
import { toBackendLabel } from '../core/backends/backend-spec.ts';
import { takeShare } from '../core/property-fixtures.ts';
import { checkConfig } from '../validation/check-config.ts';
import { findInitPlace } from './init-config.ts';
import { type InitOrder, initProject, isTemplate } from './init-project.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-init-'));
const NAMES = listPresets().map((preset) => preset.name);

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** A fresh folder with some files in it. */
function makeFolder(files: Readonly<Record<string, string>> = {}): string {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

/** A PATH with programs of these names. */
function makePath(...names: readonly string[]): string {
  const folder = makeFolder();
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\n');
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

function init(cwd: string, order: Partial<InitOrder> = {}) {
  return initProject({ cwd, env: { PATH: '' }, force: false, ...order });
}

function read(cwd: string, name = 'ralph.yml'): string {
  return readFileSync(join(cwd, name), 'utf8');
}

const PROJECT = { 'package.json': '{"scripts": {"test": "vitest run"}}' };
const CASES = [undefined, ...NAMES].flatMap((preset) =>
  [undefined, 'codex', 'native'].flatMap((backend) => [{}, PROJECT].map((files) => ({ preset, backend, files }))),
);

it.each(takeShare(CASES))('what it writes validates without a finding: %j', ({ preset, backend, files }) => {
  const cwd = makeFolder(files);
  init(cwd, { ...(preset === undefined ? {} : { preset }), ...(backend === undefined ? {} : { backend }) });
  const { diagnostics, settings } = checkConfig({ cwd });
  expect(diagnostics).toEqual([]);
  expect(settings?.backends['ralph']?.map(toBackendLabel)).toEqual([backend === 'native' ? 'native:anthropic' : (backend ?? 'auto')]);
});

describe('where runs work', () => {
  it.each(takeShare([undefined, ...NAMES]))('is written where a worktree can be made, and validates: %j', (preset) => {
    for (const obstacle of [null, 'no agent can be held here: bwrap\nis not there']) {
      const cwd = makeFolder(PROJECT);
      init(cwd, { ...(preset === undefined ? {} : { preset }), place: { obstacle, links: ['node_modules', '.venv'] } });
      const { diagnostics, settings } = checkConfig({ cwd });
      expect(diagnostics).toEqual([]);
      expect([settings?.worksIn, settings?.isSafe, settings?.worktreeLinks]).toEqual([
        'worktree',
        obstacle === null ? true : undefined,
        ['node_modules', '.venv'],
      ]);
    }
  });

  it('is found out: a worktree needs a repository with a commit, and shares what is slow to make', async () => {
    const cwd = makeFolder(PROJECT);
    const env = { PATH: process.env['PATH'] };
    const git = (...args: readonly string[]) => execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@e', ...args], { cwd });
    expect(await findInitPlace(cwd, env)).toBeNull();
    git('init', '-q');
    expect(await findInitPlace(cwd, env)).toBeNull();
    git('commit', '-q', '--allow-empty', '-m', 'first');
    expect(await findInitPlace(cwd, env)).toMatchObject({ links: ['node_modules'] });
  });
});

describe('the built-in agent', () => {
  const model = (cwd: string) => checkConfig({ cwd }).settings?.backends['ralph']?.[0]?.model;

  it('is written with the model that was said', () => {
    const cwd = makeFolder();
    expect(init(cwd, { preset: 'feature', backend: 'native', model: 'gpt-5.4-mini' }).native).toEqual({
      model: 'gpt-5.4-mini',
      key: 'OPENAI_API_KEY',
      hasKey: false,
    });
    expect(model(cwd)).toBe('gpt-5.4-mini');
  });

  it('is written with a model whose key is there', () => {
    const cwd = makeFolder();
    const made = init(cwd, { backend: 'native', env: { PATH: '', GEMINI_API_KEY: 'k' } });
    expect(made.native).toMatchObject({ key: 'GEMINI_API_KEY', hasKey: true });
    expect(model(cwd)).toMatch(/^gemini-/);
  });

  it('is not written with a model whose provider nobody can tell', () => {
    expect(() => init(makeFolder(), { backend: 'native', model: 'mystery' })).toThrow('cannot be told by its name');
    expect(() => init(makeFolder(), { backend: 'native', model: 'opus' })).toThrow(
      expect.objectContaining({ fix: expect.stringContaining('ralph init --backend claude --model opus\n') }),
    );
  });
});

describe('the agent', () => {
  it('stands beside its permissions, which are a setting once their # is taken away', () => {
    const cwd = makeFolder(PROJECT);
    init(cwd, { backend: 'claude' });
    writeFileSync(join(cwd, 'ralph.yml'), read(cwd).replace('# permissions:', 'permissions:'));
    const { diagnostics, settings } = checkConfig({ cwd });
    expect([diagnostics, settings?.backends['ralph']]).toMatchObject([[], [{ type: 'claude', permissions: 'default' }]]);
  });
});

describe('the model of an agent CLI', () => {
  it.each([undefined, 'feature'])('is written with it, whatever it is called: %j', (preset) => {
    for (const model of ['opus', 'openrouter/a: b#c', '$(x)"\'']) {
      const cwd = makeFolder(PROJECT);
      init(cwd, { ...(preset === undefined ? {} : { preset }), backend: 'claude', model });
      const { diagnostics, settings } = checkConfig({ cwd });
      expect([diagnostics, settings?.backends['ralph']]).toMatchObject([[], [{ type: 'claude', model }]]);
    }
  });

  it('is refused where it is no text on one line, before anything is written', () => {
    for (const model of ['', ' ', 'a\nb']) {
      const cwd = makeFolder();
      expect(() => init(cwd, { backend: 'claude', model })).toThrow('no name of a model');
      expect(readdirSync(cwd)).toEqual([]);
    }
  });
});

describe('initProject', () => {
  it('writes a preset with all its comments, and a task that fits it', () => {
    const cwd = makeFolder();
    const { written, hats } = init(cwd, { preset: 'research' });
    expect(hats).toEqual(['researcher', 'synthesizer']);
    expect(written).toEqual(expect.arrayContaining(['ralph.yml', 'PROMPT.md']));
    const preset = readFileSync(listPresets().find(({ name }) => name === 'research')?.path ?? '', 'utf8');
    expect(read(cwd).endsWith(preset)).toBe(true);
    expect(read(cwd, 'PROMPT.md')).toContain('# The question');
  });

  it('makes the tests of the project a gate, and says where it found them', () => {
    const cwd = makeFolder({ 'Cargo.toml': '[package]\n' });
    expect(init(cwd, { preset: 'feature' }).gate).toEqual({ command: 'cargo test', from: 'Cargo.toml' });
    expect(checkConfig({ cwd }).settings?.spec.gates).toMatchObject([{ on: ['build.done', 'task.complete'], run: 'cargo test' }]);
  });

  it.each(['feature', 'review', undefined])('makes a command that a person named a gate of %s, whatever it holds', (preset) => {
    const cwd = makeFolder(PROJECT);
    const command = `sh -c 'test "a: b" # no'`;
    expect(init(cwd, { ...(preset === undefined ? {} : { preset }), gate: command }).gate).toEqual({ command, from: null });
    const { settings, diagnostics } = checkConfig({ cwd });
    expect(settings?.spec.gates).toMatchObject([{ on: expect.arrayContaining(['task.complete']), run: command }]);
    expect(diagnostics).toEqual([]);
  });

  it.each(['feature', 'review', undefined])('writes no gate of %s where a person wants none, and no run will look for one', (preset) => {
    const cwd = makeFolder(PROJECT);
    expect(init(cwd, { ...(preset === undefined ? {} : { preset }), gate: null }).gate).toBeNull();
    const { settings, diagnostics } = checkConfig({ cwd });
    expect([settings?.spec.gates, settings?.seeksGate, diagnostics]).toEqual([[], undefined, []]);
  });

  it.each(['feature', 'review', undefined])(
    'has the gate of %s run before the first turn too, as a run without a configuration would',
    (preset) => {
      const cwd = makeFolder(PROJECT);
      init(cwd, { ...(preset === undefined ? {} : { preset }), gate: 'npm test' });
      expect(checkConfig({ cwd }).settings?.spec.gates).toMatchObject([{ run: 'npm test', baseline: 'green' }]);
    },
  );

  it('says beside the gate how tests are kept from agents, which is a choice', () => {
    const cwd = makeFolder(PROJECT);
    init(cwd, {});
    expect(read(cwd)).toMatch(/^# protect: \[.*test.*\]/m);
  });

  it('leaves it to the run to look for a gate where no file names one yet', () => {
    const cwd = makeFolder();
    expect(init(cwd, {}).gate).toBeNull();
    expect(checkConfig({ cwd }).settings?.seeksGate).toBe(true);
  });

  it('writes the task that was said, and never over one that is there', () => {
    const cwd = makeFolder();
    expect(init(cwd, { task: ' Mend the login. ' }).isTaskOpen).toBe(false);
    expect(read(cwd, 'PROMPT.md')).toBe('Mend the login.\n');
    const other = makeFolder({ 'PROMPT.md': 'mine\n' });
    expect(() => init(other, { task: 'x' })).toThrow(expect.objectContaining({ code: 'init-exists', exitCode: 2 }));
    expect(readdirSync(other)).toEqual(['PROMPT.md']);
  });

  it.each([undefined, ...NAMES])('knows its own form of %s again, until a word is filled in', (preset) => {
    const cwd = makeFolder();
    expect(init(cwd, preset === undefined ? {} : { preset }).isTaskOpen).toBe(true);
    const task = read(cwd, 'PROMPT.md');
    expect([isTemplate(task), isTemplate(task.replaceAll('\n', '\r\n')), isTemplate(task.replace('…', 'the login works'))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([undefined, ...NAMES])('suggests a limit of cost in the configuration of %s', (preset) => {
    const cwd = makeFolder();
    init(cwd, preset === undefined ? {} : { preset });
    expect(read(cwd)).toMatch(/^ +# max_cost_usd: \d+$/m);
  });

  it('guards nothing in a team that changes no code', () => {
    const cwd = makeFolder(PROJECT);
    expect(init(cwd, { preset: 'review' }).gate).toBeNull();
    expect(checkConfig({ cwd }).settings?.spec.gates).toEqual([]);
  });

  it('keeps the gate that a team brings, and says so, and has a command that a person named in its place', () => {
    const cwd = makeFolder(PROJECT);
    const [preset, on] = ['best-of-n', ['build.done', 'task.complete']];
    expect(init(cwd, { preset }).gate).toEqual({ command: 'npm test', from: 'preset' });
    expect(checkConfig({ cwd }).settings?.spec.gates).toMatchObject([{ on, check: 'tests' }]);
    expect(init(cwd, { preset, gate: null, force: true }).gate).toEqual({ command: 'npm test', from: 'preset' });
    expect(checkConfig({ cwd }).settings?.spec.gates).toMatchObject([{ on, check: 'tests' }]);
    expect(init(cwd, { preset, gate: 'make check', force: true }).gate).toEqual({ command: 'make check', from: null });
    expect(checkConfig({ cwd }).settings?.spec.gates).toMatchObject([{ on, run: 'make check' }]);
    expect(init(makeFolder(), { preset }).gate).toEqual({ command: 'tests', from: 'preset' });
  });

  it('gives the skeptic an agent of another make than the one that builds, where there is one', () => {
    const both = makePath('claude', 'gemini');
    const labelOf = (order: Partial<InitOrder>): readonly string[] => {
      const cwd = makeFolder();
      const { otherBackend } = init(cwd, { preset: 'fresh-eyes', ...order });
      const label = checkConfig({ cwd }).settings?.backends['skeptic']?.map(toBackendLabel).join() ?? '';
      return [String(otherBackend), label];
    };
    expect(labelOf({ env: { PATH: both } })).toEqual(['gemini', 'gemini']);
    expect(labelOf({ env: { PATH: both }, backend: 'gemini' })).toEqual(['claude', 'claude']);
    expect(labelOf({ env: { PATH: makePath('claude') } })).toEqual(['null', 'auto']);
  });

  it.each(['ralph.yml', 'ralph.yaml'])('never overwrites %s, nor writes a second configuration beside it', (name) => {
    const cwd = makeFolder({ [name]: '# mine\n' });
    expect(() => init(cwd)).toThrow(expect.objectContaining({ code: 'init-exists', exitCode: 2, message: expect.stringContaining(name) }));
    expect(readdirSync(cwd)).toEqual([name]);
  });

  it.each([undefined, ...NAMES])('names no page that is not in the folder (%s)', (preset) => {
    const cwd = makeFolder();
    init(cwd, preset === undefined ? {} : { preset });
    expect(read(cwd)).not.toContain('docs/guide');
  });

  it('forced, keeps what was there, and leaves one configuration', () => {
    const cwd = makeFolder({ 'ralph.yaml': '# mine\n', 'PROMPT.md': 'my task\n' });
    init(cwd, { force: true, task: 'another task' });
    expect([read(cwd, 'ralph.yaml.old'), read(cwd, 'PROMPT.md.old')]).toEqual(['# mine\n', 'my task\n']);
    expect(read(cwd, 'PROMPT.md')).toBe('another task\n');
    expect(readdirSync(cwd).filter((name) => /^ralph\.ya?ml$/.test(name))).toEqual(['ralph.yml']);
  });

  it('forced again, loses nothing that was kept before', () => {
    const cwd = makeFolder({ 'PROMPT.md': 'first task\n' });
    for (const name of ['feature', 'debug', 'tdd']) init(cwd, { preset: name, force: true, task: `task for ${name}` });
    expect([read(cwd, 'PROMPT.md.old'), read(cwd, 'PROMPT.md.old2')]).toEqual(['first task\n', 'task for feature\n']);
    expect(read(cwd, 'ralph.yml.old2')).toContain('name: debug');
  });

  it('writes the schema that its first line names, and keeps it out of git', () => {
    const cwd = makeFolder();
    init(cwd);
    const file = /^# yaml-language-server: \$schema=(\S+)\n/.exec(read(cwd))?.[1] ?? '';
    expect(JSON.parse(read(cwd, file))).toMatchObject({ type: 'object', properties: { hats: {} } });
    expect(read(cwd, '.ralph/.gitignore')).toBe('*\n');
  });

  it.each([{}, { preset: 'feature', backend: 'native' }])('forced without a task (%j), leaves a task that is filled in', (order) => {
    const cwd = makeFolder({ 'PROMPT.md': 'my task\n', 'ralph.yml': '# mine\n' });
    expect(init(cwd, { ...order, force: true })).toMatchObject({ written: expect.not.arrayContaining(['PROMPT.md']), isTaskOpen: false });
    expect([read(cwd, 'PROMPT.md'), read(cwd, 'ralph.yml.old')]).toEqual(['my task\n', '# mine\n']);
    expect(readdirSync(cwd)).not.toContain('PROMPT.md.old');
  });

  it.each(['', '\n \n'])('forced without a task, writes the form in place of a PROMPT.md that holds nothing: %j', (text) => {
    const cwd = makeFolder({ 'PROMPT.md': text });
    expect(init(cwd, { force: true })).toMatchObject({ isTaskOpen: true });
    expect(isTemplate(read(cwd, 'PROMPT.md'))).toBe(true);
  });

  it('forced for another team, writes its form in place of an empty one', () => {
    const cwd = makeFolder();
    init(cwd);
    expect(init(cwd, { preset: 'feature', force: true }).isTaskOpen).toBe(true);
    expect(read(cwd, 'PROMPT.md')).toContain('# The feature');
  });

  it('leaves a PROMPT.md that is there', () => {
    const cwd = makeFolder({ 'PROMPT.md': 'my task\n' });
    expect(init(cwd).written).not.toContain('PROMPT.md');
    expect(read(cwd, 'PROMPT.md')).toBe('my task\n');
  });

  it.each([
    [{ preset: 'featur' }, 'preset-unknown', 'feature'],
    [{ preset: '../../etc/passwd' }, 'preset-unknown', 'no preset'],
    [{ backend: 'claud' }, 'init-backend', 'claude'],
    [{ backend: 'custom' }, 'init-backend', 'needs a command'],
    [{ backend: './agent.sh' }, 'init-backend', 'is a program'],
    [{ backend: 'x\n  evil: true' }, 'init-backend', 'no backend'],
  ])('refuses %j and writes nothing', (order, code, words) => {
    const cwd = makeFolder();
    expect(() => init(cwd, order)).toThrow(expect.objectContaining({ code, exitCode: 2, message: expect.stringContaining(words) }));
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each([
    ['claude-sonnet-4-5', 'claude'],
    ['gpt-5.5', 'codex'],
    ['anthropic/claude-opus-4-1', 'claude'],
    ['gemini-3.5-flash', 'gemini'],
    ['sonnet', 'claude'],
  ])('says of %s that it is a model, and with which backend it is asked', (backend, cli) => {
    const cwd = makeFolder();
    const what = `${JSON.stringify(backend)} is a model, not a backend.`;
    const words = `ralph init --backend ${cli} --model ${backend.split('/').at(-1)}`;
    expect(() => init(cwd, { backend })).toThrow(expect.objectContaining({ message: what, fix: expect.stringContaining(words) }));
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('names the command that writes the built-in agent down with a model that was taken for a backend', () => {
    const fix = expect.stringContaining('ralph init --backend native --model claude-opus-4-1');
    expect(() => init(makeFolder(), { backend: 'anthropic/claude-opus-4-1' })).toThrow(expect.objectContaining({ fix }));
    expect(init(makeFolder(), { backend: 'native', model: 'claude-opus-4-1' }).native).toMatchObject({ model: 'claude-opus-4-1' });
  });

  it.each(['schema.json', 'nowhere'])('never writes the schema through a link to %s', (target) => {
    const outside = makeFolder({ 'schema.json': 'precious' });
    const cwd = makeFolder();
    mkdirSync(join(cwd, '.ralph'));
    symlinkSync(join(outside, target), join(cwd, '.ralph/schema.json'));
    expect(() => init(cwd)).toThrow(expect.objectContaining({ code: 'init-unwritable', message: expect.stringContaining('is a link') }));
    expect([readdirSync(outside), read(outside, 'schema.json')]).toEqual([['schema.json'], 'precious']);
    expect(readdirSync(cwd)).toEqual(['.ralph']);
  });

  it('never writes into a folder that .ralph leads to', () => {
    const outside = makeFolder();
    const cwd = makeFolder();
    symlinkSync(outside, join(cwd, '.ralph'));
    expect(() => init(cwd)).toThrow(expect.objectContaining({ code: 'init-unwritable', exitCode: 1 }));
    expect([readdirSync(outside), readdirSync(cwd)]).toEqual([[], ['.ralph']]);
  });

  it('takes a link in the place of the task for a task', () => {
    const cwd = makeFolder();
    symlinkSync('nowhere.md', join(cwd, 'PROMPT.md'));
    expect(init(cwd).written).not.toContain('PROMPT.md');
    expect(readdirSync(cwd)).not.toContain('nowhere.md');
  });

  it.each<[string, (path: string) => void]>([
    ['a folder', (path) => void mkdirSync(path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ])('refuses %s in the place of the task, with what moves it away; forced, it is put aside', (_, make) => {
    const cwd = makeFolder();
    make(join(cwd, 'PROMPT.md'));
    const told = { code: 'init-unwritable', fix: expect.stringContaining('mv PROMPT.md PROMPT.md.old') };
    expect(() => init(cwd)).toThrow(expect.objectContaining(told));
    expect(readdirSync(cwd)).toEqual(['PROMPT.md']);
    expect(init(cwd, { force: true }).written).toContain('PROMPT.md');
    expect(readdirSync(cwd)).toContain('PROMPT.md.old');
  });

  it.each([
    ['ralph.yml', 'init-exists', 2],
    ['.ralph/schema.json', 'init-unwritable', 1],
  ])('says so when something stands in the place of %s', (name, code, exitCode) => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, name), { recursive: true });
    expect(() => init(cwd)).toThrow(expect.objectContaining({ code, exitCode }));
  });

  it('says so when a file stands in the place of its folder', () => {
    const cwd = makeFolder({ '.ralph': '' });
    expect(() => init(cwd)).toThrow(expect.objectContaining({ code: 'state-folder' }));
    expect(readdirSync(cwd)).toEqual(['.ralph']);
  });
});
