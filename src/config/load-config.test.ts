import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, loadSettings, loadText, refusalOf, settingsOf } from './config-fixtures.ts';
import { CONFIG_FILE_NAMES } from './keys/settings-table.ts';
import { findConfigFile } from './layers/read-config-file.ts';
import type { LoadRequest } from './load-config.ts';

const flags = { prompt: 'Do it.' };

/** Loads from a folder with these files; the objective by default comes from the command line. */
function load(files: Readonly<Record<string, string | Uint8Array>>, request: Partial<LoadRequest> & { readonly prompt?: 'optional' } = {}) {
  return inFolder(files, (cwd) => loadSettings({ cwd, flags, ...request }));
}

/** The iteration limit of the file that was taken tells which one it was. */
function limit(value: number): string {
  return `event_loop: {max_iterations: ${value}}\n`;
}

describe('the configuration file', () => {
  it('is ralph.yml, ralph.yaml or .ralph/config.yml, in this order; none is a solo run with the defaults', () => {
    const [first, second, third] = CONFIG_FILE_NAMES;
    const all = { [first]: limit(1), [second]: limit(2), [third]: limit(3) };
    expect(load(all).settings?.spec.limits.maxIterations).toBe(1);
    expect(load({ [second]: limit(2), [third]: limit(3) }).settings?.spec.limits.maxIterations).toBe(2);
    expect(load({ [third]: limit(3) }).settings?.configFiles).toEqual(['.ralph/config.yml']);
    expect(load({}).settings).toMatchObject({ configFiles: [], spec: { hats: null, limits: { maxIterations: 100 } } });
    expect(inFolder({ '.ralph': 'a file' }, findConfigFile)).toBeNull();
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path), 'it is a folder'],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'it is no regular file'],
    ['a link that leads nowhere', (path: string) => symlinkSync('nowhere', path), 'There is no configuration file ralph.yml'],
  ])('that is %s is told, for its gates and limits would be missing', (_what, make, says) => {
    const refused = inFolder({ '.ralph/config.yml': limit(3) }, (cwd) => {
      make(join(cwd, 'ralph.yml'));
      return refusalOf(() => loadSettings({ cwd, flags }));
    });
    expect(refused.message).toContain(says);
  });

  it('is the one that is named, on the command line before the environment', () => {
    const files = { 'ralph.yml': limit(1), 'a.yml': limit(2), 'b/c.yml': limit(3) };
    const env = { RALPH_CONFIG: 'b/c.yml' };
    expect(load(files, { configFiles: ['a.yml'], env }).settings).toMatchObject({
      configFiles: ['a.yml'],
      spec: { limits: { maxIterations: 2 } },
    });
    expect(load(files, { env }).settings?.spec.limits.maxIterations).toBe(3);
    expect(load(files, { env: { RALPH_CONFIG: '' } }).settings?.spec.limits.maxIterations).toBe(1);
  });

  it('can be several, the later over the earlier, each finding in its own file', () => {
    const files = {
      'a.yml': 'event_loop: {max_iterations: 1, routing: fanout}\nhats: {x: {triggers: [a], description: old}}\n',
      'b.yml': 'event_loop: {max_iterations: 2}\nhats: {x: {description: new, triggers: [b]}, y: {triggers: [c]}}\n',
      'c.yml': 'event_loop: {coordinator: nobody}\nzebra: 1',
    };
    const { settings } = load(files, { configFiles: ['a.yml', 'b.yml'] });
    expect(settings?.spec).toMatchObject({
      routing: 'fanout',
      limits: { maxIterations: 2 },
      hats: [{ id: 'x', description: 'new', triggers: ['b'] }, { id: 'y' }],
    });
    const found = load(files, { configFiles: ['a.yml', 'c.yml'] }).diagnostics.map(({ file, line, code }) => `${file}:${line} ${code}`);
    expect(found).toEqual(['c.yml:1 choice-unknown', 'c.yml:2 key-unknown']);
  });

  it('that is named must be there and be a file', () => {
    expect(inFolder({}, (cwd) => refusalOf(() => loadSettings({ cwd, flags, configFiles: ['no.yml'] })))).toMatchObject({
      code: 'config-missing',
      exitCode: 2,
      message: 'There is no configuration file no.yml.',
    });
    expect(inFolder({ 'd/x': '' }, (cwd) => refusalOf(() => loadSettings({ cwd, flags, configFiles: ['d'] })))).toMatchObject({
      code: 'config-unreadable',
      exitCode: 2,
    });
    expect(inFolder({}, (cwd) => refusalOf(() => loadSettings({ cwd, flags, env: { RALPH_CONFIG: 'no.yml' } })))).toMatchObject({
      code: 'config-missing',
    });
  });

  it('larger than 64 MB or not in UTF-8 is a finding', () => {
    expect(load({ 'ralph.yml': `# ${'x'.repeat(64_000_000)}` })).toMatchObject({
      settings: null,
      diagnostics: [{ code: 'config-too-large', file: 'ralph.yml' }],
    });
    expect(load({ 'ralph.yml': new Uint8Array([0xff, 0xfe, 0x61, 0]) })).toMatchObject({
      settings: null,
      diagnostics: [{ code: 'config-encoding' }],
    });
  });

  it('with findings of every severity is refused only for errors', () => {
    expect(loadText('zebra: 1\nprofiles: {}\n').settings).not.toBeNull();
    expect(loadText('a: 1\n\tb: 2\n')).toMatchObject({ settings: null, diagnostics: [{ code: 'yaml-tab', line: 2, column: 1 }] });
  });
});

describe('precedence', () => {
  const yaml = 'cli: {backend: claude, model: a}\nevent_loop: {max_iterations: 1, max_cost_usd: 1}';
  const env = { RALPH_CONFIG_BACKEND: 'codex', RALPH_CONFIG_MODEL: 'b', RALPH_CONFIG_MAX_ITERATIONS: '2', RALPH_CONFIG_MAX_COST_USD: '$2' };

  it('is command line, environment, file, defaults', () => {
    const inForce = (request: Partial<LoadRequest>, text = yaml) => {
      const { spec } = settingsOf(text, request);
      return [...spec.ralph.backends, spec.limits.maxIterations, spec.limits.maxCostUsd];
    };
    expect(inForce({}, '')).toEqual(['auto', 100, null]);
    expect(inForce({})).toEqual(['claude (a)', 1, 1]);
    expect(inForce({ env })).toEqual(['codex (b)', 2, 2]);
    expect(inForce({ env, flags: { ...flags, backend: 'pi', model: 'c', maxIterations: '3', maxCostUsd: 3 } })).toEqual(['pi (c)', 3, 3]);
  });

  it('never reads what agents are given', () => {
    const given = { RALPH_HAT: 'x', RALPH_RUN_ID: 'y', RALPH_EVENTS_FILE: 'z', RALPH_ITERATION: '9', RALPH_BIN: 'b', RALPH_TURN: '9.1' };
    expect(settingsOf(yaml, { env: given })).toEqual(settingsOf(yaml));
  });

  it.each([
    [{ maxIterations: '0' }, '--max-iterations "0" cannot be read.'],
    [{ maxIterations: 'ten' }, '--max-iterations "ten" cannot be read.'],
    [{ maxCostUsd: '-1' }, '--max-cost "-1" cannot be read.'],
    [{ maxRuntime: 'soon' }, '--max-runtime "soon" cannot be read.'],
    [{ backend: 'claud' }, '--backend: There is no backend "claud": did you mean `claude`?'],
    [{ backend: 'custom' }, '--backend: The backend `custom` has no command.'],
    [{ backend: 'native' }, '--backend: The native agent has no model.'],
    [{ model: ' ' }, '--model " " cannot be read.'],
  ])('refuses the command line %j as a wrong use', (wrong, message) => {
    expect(refusalOf(() => loadText('', { flags: { ...flags, ...wrong } }))).toMatchObject({ code: 'flag-invalid', exitCode: 2, message });
  });

  it('finds variables that cannot be read beside everything else, each by its name and at its value', () => {
    const wrong = { RALPH_CONFIG_MAX_ITERATIONS: 'x', RALPH_CONFIG_MAX_COST_USD: '-1', RALPH_CONFIG_BACKEND: 'claud' };
    const found = (text: string) => loadText(text, { env: wrong }).diagnostics.map(({ code, file, column }) => [code, file, column]);
    const variables = [
      ['backend-unknown', 'RALPH_CONFIG_BACKEND', 22],
      ['money-invalid', 'RALPH_CONFIG_MAX_COST_USD', 27],
      ['number-invalid', 'RALPH_CONFIG_MAX_ITERATIONS', 29],
    ];
    expect(found('zebra: 1\n').toSorted()).toEqual([...variables, ['key-unknown', 'ralph.yml', 1]].toSorted());
    expect(found('a: 1\na: 2\n\tb: 1\n')).toEqual(expect.arrayContaining(variables));
    const custom = loadText('zebra: 1\n', { env: { RALPH_CONFIG_BACKEND: 'custom' } }).diagnostics;
    expect(custom).toMatchObject([{ code: 'backend-command', file: 'RALPH_CONFIG_BACKEND', column: 22 }, { code: 'key-unknown' }]);
  });
});

describe('the objective', () => {
  const from = (request: Partial<LoadRequest> & { readonly prompt?: 'optional' }, files: Readonly<Record<string, string>> = {}) => {
    const { settings } = load(files, { flags: {}, ...request });
    return settings === null
      ? null
      : [settings.spec.objective, settings.objective.from, settings.objective.file, settings.prompts.promptFile];
  };
  const files = { 'PROMPT.md': 'from PROMPT.md', 'task.md': '\uFEFFfrom task.md', 'ralph.yml': 'event_loop: {prompt: from the file}' };

  it('comes from the command line, then the configuration, then PROMPT.md', () => {
    expect(from({ flags: { prompt: 'words' } }, files)).toEqual(['words', 'flag', null, null]);
    expect(from({ flags: { promptFile: 'task.md' } }, files)).toEqual(['from task.md', 'file', 'task.md', 'task.md']);
    expect(from({ flags: { promptFile: '-' }, stdinPrompt: 'typed' }, files)).toEqual(['typed', 'stdin', null, null]);
    expect(from({}, files)).toEqual(['from the file', 'config', null, null]);
    expect(from({}, { 'PROMPT.md': 'x' })).toEqual(['x', 'file', 'PROMPT.md', 'PROMPT.md']);
    expect(from({}, { 'ralph.yml': 'event_loop: {prompt_file: docs/t.md}', 'docs/t.md': 'y' })).toEqual([
      'y',
      'file',
      'docs/t.md',
      'docs/t.md',
    ]);
  });

  it('that is missing is explained', () => {
    const refusal = inFolder({}, (cwd) => refusalOf(() => loadSettings({ cwd })));
    expect(refusal).toMatchObject({ code: 'prompt-missing', exitCode: 2 });
    expect(refusal.message).toContain('no file PROMPT.md');
    for (const way of ['ralph run "', '-P', 'PROMPT.md', 'event_loop.prompt']) expect(refusal.fix).toContain(way);
  });

  it.each([
    [{ promptFile: 'no.md' }, 'prompt-missing'],
    [{ promptFile: '.' }, 'prompt-unreadable'],
    [{ promptFile: '-' }, 'prompt-missing'],
    [{ prompt: '  ' }, 'prompt-empty'],
    [{ prompt: 'a\0b' }, 'prompt-invalid'],
    [{ prompt: 'a', promptFile: 'b' }, 'prompt-twice'],
  ])('is refused for %j', (wrong, code) => {
    expect(inFolder({}, (cwd) => refusalOf(() => loadSettings({ cwd, flags: wrong })))).toMatchObject({ code, exitCode: 2 });
  });

  it('may be missing where nothing is run, and never hides what is wrong with the file', () => {
    expect(from({ prompt: 'optional' })).toEqual(['', 'none', null, null]);
    expect(load({ 'ralph.yml': 'hats: {}' }, { flags: {} }).diagnostics).toHaveLength(1);
  });
});

describe('instructions', () => {
  it('are the words of the hat and those of its file, which is beside the configuration', () => {
    const yaml =
      'hats: {a: {triggers: [x], instructions: Words., instructions_file: a.md}, b: {triggers: [y], instructions_file: ./sub/b.md}}\nralph: {instructions_file: a.md}';
    const files = { 'conf/r.yml': yaml, 'conf/a.md': 'From a file.\n', 'conf/sub/b.md': 'B\r\n' };
    const { settings } = load(files, { configFiles: ['conf/r.yml'] });
    expect(settings?.spec.hats?.map((hat) => hat.instructions)).toEqual(['Words.\n\nFrom a file.', 'B']);
    expect(settings?.spec.ralph.instructions).toBe('From a file.');
  });

  it('in a file that is not there are a finding', () => {
    const { settings, diagnostics } = loadText('hats: {a: {triggers: [x], instructions_file: no.md}}');
    expect(settings).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'instructions-file', line: 1, column: 46 }]);
  });
});

describe('settings', () => {
  it('are complete, with the defaults of the reference', () => {
    const settings = settingsOf('');
    expect(settings.spec).toEqual({
      objective: 'Do it.',
      coordinator: 'auto',
      mode: null,
      promise: 'LOOP_COMPLETE',
      startingEvent: null,
      startingHat: null,
      recoveryHat: null,
      routing: 'exclusive',
      eventSources: ['jsonl', 'text'],
      terminalEvents: [],
      requiredEvents: [],
      hats: null,
      ralph: { instructions: '', backends: ['auto'], timeoutMs: 3_600_000, idleTimeoutMs: 900_000 },
      limits: {
        maxIterations: 100,
        maxRuntimeMs: 14_400_000,
        maxCostUsd: null,
        maxConsecutiveFailures: 5,
        checkpointInterval: 5,
        cooldownMs: 0,
      },
      loopDetection: { repetition: 3, oscillation: 3 },
      retry: { maxAttempts: 6, baseMs: 5000, maxMs: 300_000 },
      onLimit: 'wait',
      gates: [],
    });
    expect(settings).toMatchObject({
      prompts: {
        scratchpad: '.agent/scratchpad.md',
        eventsFile: '.agent/events.jsonl',
        specsDir: './specs/',
        workspaceDir: '.agent/workspace/',
        guardrails: null,
      },
      stateDir: '.ralph',
      checkpointBranch: null,
      notify: null,
      worktreeLinks: [],
      prices: {},
      turnLogCapBytes: 64_000_000,
      strictValidation: true,
    });
  });

  it('hold every key of the file at its place', () => {
    const yaml = `
name: team
event_loop:
  completion_promise: DONE
  starting_event: work.start
  starting_hat: a
  recovery_hat: b
  coordinator: hats
  routing: fanout
  event_sources: jsonl
  terminal_events: [over]
  required_events: over
  max_iterations: "7"
  max_runtime_seconds: 1h30m
  max_cost_usd: $5
  max_consecutive_failures: 2
  checkpoint_interval: 0
  checkpoint_branch: ralph/work
  timeout_seconds: 10m
  idle_timeout_seconds: 90
  cooldown_delay_seconds: 500ms
  on_limit: switch
  loop_detection: {repetition: 0, oscillation: 4}
  retry: {max_attempts: 2, base_seconds: 1, max_seconds: 2}
core:
  scratchpad: notes/pad.md
  events_file: notes/events.jsonl
  specs_dir: docs
  guardrails: [Be kind.]
  state_dir: .state
  turn_log_mb: 0.5
hats:
  a:
    name: A team
    description: Does a.
    triggers: [work.start, work.start]
    publishes: [b.go, {topic: note, target: b}]
    default_publishes: [b.go]
    transitions: [b]
    max_activations: 3
    timeout_seconds: 1h
    idle_timeout_seconds: 5m
  b: {triggers: [b.go, task.resume]}
gates:
  - run: npm test
  - {on: [b.*], run: "  make\\n", timeout_seconds: 2m}
prices:
  some-model: {input: 1, output: 2.5, cache_read: 0.1, as_of: 2026-11-21}
notify: say done
worktree: {link: [node_modules, .venv]}
`;
    const settings = settingsOf(yaml);
    expect(settings.spec).toMatchObject({
      promise: 'DONE',
      startingEvent: 'work.start',
      startingHat: 'a',
      recoveryHat: 'b',
      coordinator: 'hats',
      routing: 'fanout',
      eventSources: ['jsonl'],
      terminalEvents: ['over'],
      requiredEvents: ['over'],
      limits: {
        maxIterations: 7,
        maxRuntimeMs: 5_400_000,
        maxCostUsd: 5,
        maxConsecutiveFailures: 2,
        checkpointInterval: 0,
        cooldownMs: 500,
      },
      loopDetection: { repetition: 0, oscillation: 4 },
      retry: { maxAttempts: 2, baseMs: 1000, maxMs: 2000 },
      onLimit: 'switch',
      gates: [
        { on: ['task.complete'], run: 'npm test', timeoutMs: 600_000 },
        { on: ['b.*'], run: 'make', timeoutMs: 120_000 },
      ],
      hats: [
        {
          id: 'a',
          name: 'A team',
          description: 'Does a.',
          triggers: ['work.start'],
          publishes: [{ topic: 'b.go' }, { topic: 'note', target: 'b' }],
          defaultPublishes: ['b.go'],
          transitions: ['b'],
          maxActivations: 3,
          timeoutMs: 3_600_000,
          idleTimeoutMs: 300_000,
        },
        { id: 'b', name: 'b', publishes: [], maxActivations: null, timeoutMs: 600_000, idleTimeoutMs: 90_000 },
      ],
    });
    expect(settings).toMatchObject({
      prompts: { scratchpad: 'notes/pad.md', eventsFile: 'notes/events.jsonl', specsDir: 'docs', guardrails: ['Be kind.'] },
      stateDir: '.state',
      checkpointBranch: 'ralph/work',
      notify: 'say done',
      worktreeLinks: ['node_modules', '.venv'],
      prices: { 'some-model': { inputUsd: 1, outputUsd: 2.5, cacheReadUsd: 0.1, asOf: '2026-11-21' } },
      turnLogCapBytes: 500_000,
    });
  });

  it('are plain JSON, and their spec holds no secret and no folder of this machine', () => {
    const yaml = 'cli: {backend: custom, command: /opt/secret-folder/agent, env: {KEY: s3cret}}\nhats: {a: {triggers: [x]}}';
    inFolder({ 'ralph.yml': yaml }, (cwd) => {
      const { settings } = loadSettings({ cwd, flags });
      expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
      const spec = JSON.stringify(settings?.spec);
      for (const hidden of ['s3cret', 'secret-folder', cwd]) expect(spec).not.toContain(hidden);
    });
  });

  it('name files relative to the folder of the run where they are inside', () => {
    inFolder({ 'a/run/x': '', 'a/conf.yml': '', 'a/run/in.yml': '' }, (folder) => {
      const cwd = join(folder, 'a/run');
      expect(loadSettings({ cwd, flags, configFiles: ['../conf.yml', join(cwd, 'in.yml')] }).settings?.configFiles).toEqual([
        join(folder, 'a/conf.yml'),
        'in.yml',
      ]);
    });
  });
});
