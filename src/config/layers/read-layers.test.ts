import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { inFolder, loadSettings, refusalOf, tokenAt } from '../config-fixtures.ts';
import type { LoadRequest } from '../load-config.ts';

const flags = { prompt: 'Do it.' };
type Files = Readonly<Record<string, string>>;

/** Loads from a folder with these files, which is the home of the user as well. */
function load(files: Files, request: Partial<LoadRequest> = {}) {
  return inFolder(files, (cwd) => loadSettings({ cwd, flags, ...request, env: { HOME: cwd, ...request.env } }));
}

/** The settings; throws where there are errors. */
function settings(files: Files, request: Partial<LoadRequest> = {}) {
  const { settings: loaded, diagnostics } = load(files, request);
  if (loaded === null) throw new Error(diagnostics.map((diagnostic) => diagnostic.message).join(' '));
  return loaded;
}

/** The findings, each as `file:line:column code`. */
function findings(files: Files, request: Partial<LoadRequest> = {}): readonly string[] {
  return load(files, request).diagnostics.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`);
}

function limit(value: number): string {
  return `event_loop: {max_iterations: ${value}}\n`;
}

describe('where settings come from', () => {
  const user = { '.config/ralph/config.yml': limit(2) };
  const project = { ...user, 'ralph.yml': limit(3) };
  const team = { ...project, 'team.yml': `${limit(4)}hats: {a: {triggers: [task.start]}}` };
  const limitOf = (files: Files, request: Partial<LoadRequest> = {}) => settings(files, request).spec.limits.maxIterations;

  it('from the lowest to the highest: defaults, the user, the project, the team, variables, assignments, flags', () => {
    const overlay = { hatsOverlay: 'team.yml' };
    const variable = { ...overlay, env: { RALPH_CONFIG_EVENT_LOOP__MAX_ITERATIONS: '5' } };
    const assigned = { ...variable, assignments: ['event_loop.max_iterations=6'] };
    expect(limitOf({})).toBe(100);
    expect(limitOf(user)).toBe(2);
    expect(limitOf(project)).toBe(3);
    expect(limitOf(team, overlay)).toBe(4);
    expect(limitOf(team, variable)).toBe(5);
    expect(limitOf(team, assigned)).toBe(6);
    expect(limitOf(team, { ...assigned, flags: { ...flags, maxIterations: 7 } })).toBe(7);
  });

  it('an assignment wins over the short names of variables, a flag over both', () => {
    const env = { RALPH_CONFIG_MAX_ITERATIONS: '5', RALPH_CONFIG_BACKEND: 'codex', RALPH_CONFIG_MODEL: 'm' };
    const assignments = ['event_loop.max_iterations=6', 'cli.backend=pi'];
    const { spec } = settings({}, { env, assignments });
    expect([spec.limits.maxIterations, ...spec.ralph.backends]).toEqual([6, 'pi (m)']);
    expect(settings({}, { env, assignments, flags: { ...flags, backend: 'claude' } }).spec.ralph.backends).toEqual(['claude (m)']);
  });

  it('the file of the user is found by XDG_CONFIG_HOME, else by HOME, and by nothing else', () => {
    const files = { '.config/ralph/config.yml': limit(2), 'xdg/ralph/config.yml': limit(3) };
    const limitWith = (toEnv: (cwd: string) => Record<string, string>) =>
      inFolder(files, (cwd) => loadSettings({ cwd, flags, env: toEnv(cwd) }).settings?.spec.limits.maxIterations);
    expect(limitWith((cwd) => ({ HOME: cwd }))).toBe(2);
    expect(limitWith((cwd) => ({ HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'xdg') }))).toBe(3);
    expect(limitWith((cwd) => ({ HOME: cwd, XDG_CONFIG_HOME: 'xdg' }))).toBe(2);
    expect(limitWith((cwd) => ({ HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'nothing') }))).toBe(100);
    expect(limitWith(() => ({ HOME: 'relative' }))).toBe(100);
  });

  it('a finding in the file of the user is shown with its place there', () => {
    expect(findings({ '.config/ralph/config.yml': 'event_loop:\n  max_iterations: x\n' })).toEqual([
      '~/.config/ralph/config.yml:2:19 number-invalid',
    ]);
  });

  it('an empty value takes away what a lower source says', () => {
    const files = {
      'a.yml': 'cli: {backend: claude, model: opus}\nhats: {a: {triggers: [x]}, b: {triggers: [y]}}',
      'b.yml': 'cli: {model: }\nhats: {b: }',
    };
    const { spec } = settings(files, { configFiles: ['a.yml', 'b.yml'] });
    expect(spec.ralph.backends).toEqual(['claude']);
    expect(spec.hats?.map((hat) => hat.id)).toEqual(['a']);
    expect(settings(files, { configFiles: ['a.yml'], assignments: ['hats='] }).spec.hats).toBeNull();
  });

  it('of settings that exclude each other the higher source counts', () => {
    const files = {
      'ralph.yml': 'event_loop: {prompt: Old.}\nhats: {a: {subscriptions: [x]}}',
      'task.md': 'From the file.',
    };
    const { spec, objective } = settings(files, { flags: {}, assignments: ['event_loop.prompt_file=task.md', 'hats.a.triggers=[y]'] });
    expect(objective).toEqual({ from: 'file', file: 'task.md' });
    expect(spec.hats?.[0]?.triggers).toEqual(['y']);
  });

  it('what was typed is kept, so that a later load can be given the same', () => {
    const given = settings(team, { configFiles: ['ralph.yml'], hatsOverlay: 'team.yml', assignments: ['cli.model=m'] });
    expect(given).toMatchObject({ configFiles: ['ralph.yml'], hatsOverlay: 'team.yml', assignments: ['cli.model=m'] });
    expect(settings(user).configFiles).toEqual([]);
  });
});

describe('-c key.path=value', () => {
  const assigned = (...assignments: readonly string[]) => settings({ 'ralph.yml': 'hats: {a: {triggers: [x]}}' }, { assignments });

  it.each([
    ['event_loop.max_iterations=20', 20],
    ['event_loop.max_iterations="20"', 20],
    ['event_loop={max_iterations: 20, routing: fanout}', 20],
  ])('%s sets any key', (assignment, value) => {
    expect(assigned(assignment).spec.limits.maxIterations).toBe(value);
  });

  it.each([
    ['event_loop.prompt=Mend #12: the login', 'Mend #12: the login'],
    ['event_loop.prompt=# Task\nDo it.', '# Task\nDo it.'],
    ['event_loop.prompt=*bold*', '*bold*'],
    ['event_loop.prompt=a = b', 'a = b'],
    ['event_loop.prompt="quoted: #1"', 'quoted: #1'],
  ])('%j is the text that it looks like', (assignment, text) => {
    expect(settings({}, { flags: {}, assignments: [assignment] }).spec.objective).toBe(text);
  });

  it('takes lists, maps, and names in quotes', () => {
    expect(assigned('hats.a.triggers=[b.done, c.*]', 'hats.a.publishes=*').spec.hats?.[0]).toMatchObject({
      triggers: ['b.done', 'c.*'],
      publishes: [{ topic: '*' }],
    });
    expect(assigned('prices."gpt-4.1"={input: 1, output: 2}', 'prices."gpt-4.1".input=3').prices).toEqual({
      'gpt-4.1': { inputUsd: 3, outputUsd: 2 },
    });
  });

  it('the later wins', () => {
    expect(assigned('cli.model=a', 'cli.model=b', 'cli.backend=claude').spec.ralph.backends).toEqual(['claude (b)']);
  });

  it.each([
    ['event_loop.max_iterations=abc', '27 number-invalid', 'abc'],
    ['event_lop.max_iterations=3', '1 key-unknown', 'event_lop'],
    ['event_loop.max_iteration=3', '12 key-unknown', 'max_iteration'],
    ['hats.a.triggers=[x, build*]', '21 topic-invalid', 'build*'],
    ['cli={backend: }}', '16 yaml-syntax', '}'],
  ])('%s has its finding at its column', (assignment, finding, token) => {
    const { diagnostics } = load({ 'ralph.yml': 'hats: {a: {triggers: [x]}}' }, { assignments: [assignment] });
    const [first] = diagnostics;
    expect(`${first?.column} ${first?.code}`).toBe(finding);
    expect(first?.file).toBe(`-c ${assignment}`);
    expect(first === undefined ? '' : tokenAt(assignment, first)).toBe(token);
  });

  it.each(['=3', 'a..b=1', '.a=1', 'a b=1', 'a', `${'a.'.repeat(30)}b=1`])('%j is refused as a wrong use', (assignment) => {
    expect(refusalOf(() => load({}, { assignments: [assignment] }))).toMatchObject({ code: 'assignment-invalid', exitCode: 2 });
  });

  it('of a state_dir says that other commands will not look there', () => {
    expect(findings({}, { assignments: ['core.state_dir=.runs'] })).toEqual(['-c core.state_dir=.runs:1:16 state-dir-hidden']);
    expect(findings({ 'ralph.yml': 'core: {state_dir: .runs}' })).toEqual([]);
  });
});

describe('anything that is typed', () => {
  const key = fc.constantFrom(
    'event_loop.prompt',
    'hats.a.triggers',
    'cli',
    'hats',
    'gates',
    'prices."x y"',
    'x-a',
    'cli.env.A',
    'hats.a.import',
    '__proto__.a',
  );
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'[]{}:,-&*!|>\'"%@#?~ \n\t$a1.') }),
    fc.constant('[['.repeat(500)),
  );

  it('is settings or findings with places in it, never a crash', () => {
    inFolder({ 'ralph.yml': 'hats: {a: {triggers: [x]}}' }, (cwd) => {
      fc.assert(
        fc.property(fc.array(fc.tuple(key, value), { maxLength: 3 }), value, (pairs, variable) => {
          const assignments = pairs.map(([name, text]) => `${name}=${text}`);
          const env = { RALPH_CONFIG_CLI__ARGS: variable, [`RALPH_CONFIG_${variable}`]: 'x' };
          const { diagnostics } = loadSettings({ cwd, flags, assignments, env });
          for (const { line, column, endColumn } of diagnostics)
            expect([line >= 1, column >= 1, endColumn > column]).toEqual([true, true, true]);
        }),
        { numRuns: propertyRuns(100) },
      );
    });
  });
});

describe('RALPH_CONFIG_<SECTION>__<KEY>', () => {
  it('sets any key; an empty one counts as not set', () => {
    const env = {
      RALPH_CONFIG_EVENT_LOOP__ON_LIMIT: 'stop',
      RALPH_CONFIG_CLI__ARGS: '["-x"]',
      RALPH_CONFIG_CLI__MODEL: '',
      RALPH_CONFIG_NOTIFY: 'say done',
    };
    const loaded = settings({}, { env });
    expect(loaded).toMatchObject({ spec: { onLimit: 'stop' }, notify: 'say done', backends: { ralph: [{ args: ['-x'] }] } });
  });

  it('has its findings under its name', () => {
    const env = { RALPH_CONFIG_EVENT_LOOP__ON_LIMIT: 'stopp', RALPH_CONFIG_ZEBRA: '1', RALPH_CONFIG_CLI____: 'x' };
    expect(findings({}, { env })).toEqual([
      'RALPH_CONFIG_CLI____:1:1 key-unknown',
      'RALPH_CONFIG_EVENT_LOOP__ON_LIMIT:1:35 choice-unknown',
      'RALPH_CONFIG_ZEBRA:1:1 key-unknown',
    ]);
  });
});

describe('--hats', () => {
  const base = `name: mine
event_loop: {max_iterations: 3, starting_hat: old, recovery_hat: shared, on_limit: stop}
cli: {backend: claude, model: opus}
gates: [{run: make test}]
hats: {old: {triggers: [task.start]}, shared: {triggers: [x]}}
`;
  const team = `name: other
event_loop: {max_iterations: 9}
cli: {backend: codex}
x-note: mine
hats: {new: {triggers: [task.start]}, shared: {triggers: [y], publishes: [z]}}
`;
  const files = { 'ralph.yml': base, 'team.yml': team };

  it('puts another team in the place of the one that is there, and merges the loop key by key', () => {
    const { spec } = settings(files, { hatsOverlay: 'team.yml' });
    expect(spec.hats?.map((hat) => [hat.id, hat.triggers])).toEqual([
      ['new', ['task.start']],
      ['shared', ['y']],
    ]);
    expect(spec).toMatchObject({ limits: { maxIterations: 9 }, onLimit: 'stop', startingHat: null, recoveryHat: 'shared' });
    expect(spec.gates).toMatchObject([{ run: 'make test' }]);
    expect(spec.ralph.backends).toEqual(['claude (opus)']);
  });

  it('says what it does not read', () => {
    expect(findings(files, { hatsOverlay: 'team.yml' })).toEqual(['team.yml:3:1 overlay-key']);
  });

  it('without hats is a mistake', () => {
    expect(findings({ 'team.yml': 'event_loop: {max_iterations: 9}' }, { hatsOverlay: 'team.yml' })).toEqual(['team.yml:1:1 overlay-hats']);
  });

  it('over `mode: single` works', () => {
    expect(settings({ ...files, 'ralph.yml': 'mode: single' }, { hatsOverlay: 'team.yml' }).spec.hats).toHaveLength(2);
  });

  it('takes a preset by its name', () => {
    expect(settings({}, { hatsOverlay: 'preset:feature' }).spec.hats?.map((hat) => hat.id)).toEqual(['builder', 'reviewer']);
  });

  it.each([
    ['no.yml', 'config-missing', 'There is no configuration file no.yml.'],
    ['preset:featur', 'preset-unknown', 'There is no preset "featur": did you mean `feature`?'],
    ['preset:../package', 'preset-unknown', 'There is no preset "../package".'],
  ])('%s is refused', (hatsOverlay, code, message) => {
    expect(refusalOf(() => load({}, { hatsOverlay }))).toMatchObject({ code, exitCode: 2, message });
  });
});
