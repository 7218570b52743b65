import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../load-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-hooks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, files: Readonly<Record<string, string>> = {}) {
  for (const [name, text] of Object.entries({ ...files, 'ralph.yml': yaml })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    if (text.startsWith('#!')) chmodSync(join(folder, name), 0o755);
  }
  return readConfig({ cwd: folder, env: {} });
}

const NATIVE = 'cli: {backend: {type: native, provider: scripted, script: s.yml}}\nhats: {a: {triggers: [task.start, task.resume]}}\n';

/** The hooks of the hat `a`. */
function hooksOf(yaml: string, files: Readonly<Record<string, string>> = {}) {
  return load(`${NATIVE}${yaml}`, files).draft?.hooks?.['a'] ?? [];
}

function findings(yaml: string, files: Readonly<Record<string, string>> = {}): readonly string[] {
  return load(yaml, files)
    .diagnostics.filter(({ code }) => code.startsWith('hook'))
    .map(({ severity, code, message, line }) => `${line}: ${severity} ${code} ${message}`);
}

const handlers = (yaml: string, files: Readonly<Record<string, string>> = {}) => hooksOf(yaml, files).map(({ handler }) => handler);
const toFile = (name: string, text: string) => ({ path: join(folder, name), sha256: createHash('sha256').update(text).digest('hex') });

describe('hooks of a configuration that ask for a worker', () => {
  const published = (more: string, files: Readonly<Record<string, string>> = {}) =>
    hooksOf(`hooks: {EventPublish: [{${more}}]}`, files).map(({ runsOn }) => runsOn);

  it('say what it must have, where the run itself asks them', () => {
    const script = { 'h/a.sh': '' };
    expect(published('command: exit 0, runs_on: [gpu, gpu, linux]')).toEqual([['gpu', 'linux']]);
    expect(published('handler: h/a.sh, runs_on: gpu', script)).toEqual([['gpu']]);
    expect(published('command: exit 0, runs_on: []')).toEqual([undefined]);
    expect(load(`${NATIVE}hooks: {RunEnd: [{command: exit 0, runs_on: [gpu]}]}`).draft?.runHooks).toMatchObject([{ runsOn: ['gpu'] }]);
    expect(findings('hooks: {EventPublish: [{command: exit 0, runs_on: [gpu]}]}')).toEqual([]);
  });

  it.each([
    ['PreToolUse: [{command: exit 0, runs_on: [gpu]}]', 'PreToolUse is asked for each call where the turn is'],
    ['EventPublish: [{handler: "m.mjs#check", runs_on: [gpu]}]', 'loaded into the process that asks'],
    ['EventPublish: [{handler: p.check, type: python, runs_on: [gpu]}]', 'A function of Python stays for the turn'],
    ['EventPublish: [{command: exit 0, keep_alive: true, runs_on: [gpu]}]', 'With `keep_alive` a program stays'],
    ['EventPublish: [{handler: ../elsewhere.sh, runs_on: [gpu]}]', 'Its file is not in the folder of the run'],
  ])('are refused with the place, the reason and what to write where no worker can run them: %s', (hooks, why) => {
    writeFileSync(join(folder, '..', 'elsewhere.sh'), '');
    const found = load(`${NATIVE}hooks:\n  ${hooks}`, { 'm.mjs': '', 'p.py': '' }).diagnostics.filter(
      ({ code }) => code === 'hook-invalid',
    );
    expect(found).toMatchObject([
      {
        severity: 'error',
        file: 'ralph.yml',
        line: 4,
        message: 'This hook takes no `runs_on`.',
        why: expect.stringContaining(why),
      },
    ]);
    expect(found[0]?.fix).not.toBe('');
  });

  it.each(['[GPU]', 'GPU', '[gpu, Big]', '{a: b}', '[[x]]', '7.5'])('are explained as those of hats where they are none: %s', (labels) => {
    const told = (text: string) =>
      load(text)
        .diagnostics.filter(({ code }) => code === 'type-invalid')
        .map(({ message, why, fix, repairs }) => ({ why, fix, repairs, message: message.replace(/`[\w.[\]]*runs_on/, '`runs_on') }));
    const ofHooks = told(`hooks: {EventPublish: [{command: exit 0, runs_on: ${labels}}]}`);
    const ofHats = told(`hats: {builder: {triggers: [task.start], instructions: Build, runs_on: ${labels}}}`);
    expect(ofHooks).toEqual(ofHats);
    expect(ofHooks).toHaveLength(1);
  });

  it('are repaired where only their capitals are wrong', () => {
    const [found] = load('hooks: {EventPublish: [{command: exit 0, runs_on: [GPU-2]}]}').diagnostics.filter(
      ({ code }) => code === 'type-invalid',
    );
    expect(found).toMatchObject({
      message: '`runs_on[0]` is "GPU-2", which is not a label.',
      fix: 'It must be a label: small letters, digits, `-` and `_`, at most 40, such as `gpu`.',
      repairs: [{ title: 'write `gpu-2`' }],
    });
  });
});

describe('hooks of a configuration', () => {
  it('have defaults for all but their handler, a timeout of 30 s among them', () => {
    expect(hooksOf('hooks: {PreToolUse: [{command: ./check all}]}')).toEqual([
      {
        name: './check all',
        event: 'PreToolUse',
        matcher: '*',
        handler: { kind: 'shell', line: './check all' },
        timeoutMs: 30_000,
        isFailClosed: false,
        place: 'ralph.yml:3',
      },
    ]);
  });

  it('are scripts beside the file by their ending, with what they hold now', () => {
    const files = { 'h/a.py': 'pass', 'b.mjs': '', 'c.sh': '', d: '#!/bin/sh' };
    expect(
      handlers('hooks: {PreToolUse: [{handler: h/a.py, args: [x, y]}, {handler: b.mjs}, {handler: ./c.sh}, {handler: d}]}', files),
    ).toEqual([
      { kind: 'command', argv: ['python3', join(folder, 'h/a.py'), 'x', 'y'], file: toFile('h/a.py', 'pass') },
      { kind: 'command', argv: ['node', join(folder, 'b.mjs')], file: toFile('b.mjs', '') },
      { kind: 'command', argv: ['sh', join(folder, 'c.sh')], file: toFile('c.sh', '') },
      { kind: 'command', argv: [join(folder, 'd')], file: toFile('d', '#!/bin/sh') },
    ]);
  });

  it('are functions of modules and of Python, and programs of PATH', () => {
    const yaml =
      'hooks: {PreToolUse: [{handler: "./m.mjs#check"}, {handler: m.mjs, type: module}, {handler: massgen.hooks.audit, type: python}, {handler: a.b}, {handler: eslint, args: [.]}]}';
    expect(handlers(yaml, { 'm.mjs': '' })).toEqual([
      { kind: 'module', file: toFile('m.mjs', ''), exported: 'check' },
      { kind: 'module', file: toFile('m.mjs', ''), exported: 'default' },
      { kind: 'python', path: 'massgen.hooks.audit', folders: [folder] },
      { kind: 'python', path: 'a.b', folders: [folder] },
      { kind: 'command', argv: ['eslint', '.'], file: null },
    ]);
  });

  it('may be written as Claude Code does', () => {
    const yaml = 'hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: "./x y", timeout: 5}]}]}';
    expect(hooksOf(yaml)).toMatchObject([{ matcher: 'Bash', handler: { kind: 'shell' }, timeoutMs: 5000 }]);
  });

  const names = (yaml: string): readonly string[] => hooksOf(yaml).map(({ event, name }) => `${event} ${name}`);

  it('of a hat follow those of all, or take their place, also with none', () => {
    const all = 'hooks: {PreToolUse: [{command: "all x"}], PostToolUse: [{command: "post x"}]}\n';
    const own = (hooks: string): readonly string[] =>
      load(`${NATIVE.replace('task.resume]', `task.resume], hooks: ${hooks}`)}${all}`).draft?.hooks?.['a']?.map(
        ({ event, name }) => `${event} ${name}`,
      ) ?? [];
    expect(own('{PreToolUse: [{command: "own x"}]}')).toEqual(['PreToolUse all x', 'PreToolUse own x', 'PostToolUse post x']);
    expect(own('{PostToolUse: {override: true, hooks: [{command: "own x"}]}}')).toEqual(['PreToolUse all x', 'PostToolUse own x']);
    expect(own('{PreToolUse: {override: true, hooks: []}}')).toEqual(['PostToolUse post x']);
  });

  it('are asked by priority, then in the order of the file; those that are off not at all', () => {
    const yaml =
      'hooks: {pre_call: [{command: "a x"}, {command: "b x", priority: 5}, {command: "c x", enabled: false}, {command: "d x", priority: 5}]}';
    expect(names(yaml)).toEqual(['PreToolUse b x', 'PreToolUse d x', 'PreToolUse a x']);
  });
});

describe('hooks that are written in more than one place', () => {
  const names = (yaml: string): readonly string[] => hooksOf(yaml).map(({ name }) => name);

  it('of one event under two names are all asked, in the order of the file', () => {
    expect(names('hooks: {PreToolUse: [{command: "a x"}], pre_call: [{command: "b x"}]}')).toEqual(['a x', 'b x']);
  });

  it('stand beside those of another tool', () => {
    expect(names('hooks: {enabled: true, events: {pre.loop.start: []}, PreToolUse: [{command: "a x"}]}')).toEqual(['a x']);
  });

  it('are off together where their group is off', () => {
    expect(names('hooks: {PreToolUse: [{enabled: false, hooks: [{command: "a x"}]}, {command: "b x"}]}')).toEqual(['b x']);
  });

  it('are a file before they are a function of Python', () => {
    expect(handlers('hooks: {PreToolUse: [{handler: guard.rb}]}', { 'guard.rb': '#!ruby' })).toMatchObject([
      { argv: [join(folder, 'guard.rb')] },
    ]);
  });
});

describe('what a hook is', () => {
  it('may be asked once a turn, and may be one that nobody waits for', () => {
    expect(hooksOf('hooks: {PreToolUse: [{command: "a x", once: true, async: true}, {command: "b x", once: false}]}')).toMatchObject([
      { isOnce: true, isAsync: true },
      { name: 'b x' },
    ]);
    expect(Object.keys(hooksOf('hooks: {PreToolUse: [{command: "b x", once: false, async: false}]}')[0] ?? {})).not.toContain('isOnce');
  });

  it('may be about some calls of its tools alone', () => {
    expect(hooksOf('hooks: {PreToolUse: [{command: "a x", if: "bash(git push *)"}]}')).toMatchObject([
      { matcher: '*', rule: 'bash(git push *)' },
    ]);
    expect(findings(`${NATIVE}hooks: {PreToolUse: [{command: "a x", if: "bash(git"}]}`)).toEqual([
      '3: error hook-invalid "bash(git" is no rule about calls.',
    ]);
  });

  it('has its time and what a failure means from the defaults of the file, where it says nothing', () => {
    const hooks = (list: string): string => `hooks_defaults: {fail_closed: true, timeout: 2m}\nhooks: {PreToolUse: [${list}]}`;
    expect(
      hooksOf(hooks('{command: "a x"}, {command: "b x", fail_closed: false, timeout: 5}, {command: "c x", async: true}')),
    ).toMatchObject([
      { isFailClosed: true, timeoutMs: 120_000 },
      { isFailClosed: false, timeoutMs: 5000 },
      { isFailClosed: false, timeoutMs: 120_000 },
    ]);
  });
});

describe('hooks of a backend', () => {
  const CHAIN = (backend: string, hat = '') =>
    `cli: {backend: ${backend}}\nhats: {a: {triggers: [task.start, task.resume]${hat}}}\nhooks: {PreToolUse: [{command: "all x"}, {command: "kept x", locked: true}]}`;
  const NATIVE_WITH = (more: string): string => `{type: native, provider: scripted, script: s.yml${more}}`;
  const ofBackends = (yaml: string, hat = 'a') => {
    const { backends = {}, backendHooks = {} } = load(yaml).draft ?? {};
    return backends[hat]?.map(({ hookList }) => (hookList === undefined ? null : backendHooks[hookList]?.map(({ name }) => name))) ?? [];
  };
  const OWN = ', hooks: {PreToolUse: [{command: "mine x"}]}';

  it('come behind those of all and of the hat; the other backends of the list have none of them', () => {
    const hat = ', hooks: {PreToolUse: [{command: "hat x"}]}';
    expect(ofBackends(CHAIN(`[${NATIVE_WITH(OWN)}, ${NATIVE_WITH(', hooks: {}')}]`, hat))).toEqual([
      ['all x', 'kept x', 'hat x', 'mine x'],
      null,
    ]);
  });

  it('are asked by priority before they are asked by level', () => {
    expect(ofBackends(CHAIN(NATIVE_WITH(', hooks: {PreToolUse: [{command: "first x", priority: 1}]}')))).toEqual([
      ['first x', 'all x', 'kept x'],
    ]);
  });

  it('may take the place of all but the locked ones', () => {
    const override = ', hooks: {PreToolUse: {override: true, hooks: [{command: "mine x"}]}}';
    expect(ofBackends(CHAIN(NATIVE_WITH(override), ', hooks: {PreToolUse: [{command: "hat x"}]}'))).toEqual([['kept x', 'mine x']]);
  });

  it('are those of a hat whose backend inherits from theirs, and not of one that says its own', () => {
    expect(ofBackends(CHAIN(NATIVE_WITH(OWN), ', backend: {type: native, model: x}'))).toEqual([['all x', 'kept x', 'mine x']]);
    expect(ofBackends(CHAIN(NATIVE_WITH(OWN), ', backend: [{type: native, hooks: {PreToolUse: [{command: "b x"}]}}]'))).toEqual([
      ['all x', 'kept x', 'b x'],
    ]);
  });

  it('hold for Ralph as well', () => {
    expect(ofBackends(CHAIN(NATIVE_WITH(OWN)), 'ralph')).toEqual([['all x', 'kept x', 'mine x']]);
  });

  it('are no part of what a hat says of itself', () => {
    expect(hooksOf('hooks: {PreToolUse: [{command: "all x"}]}').map(({ name }) => name)).toEqual(['all x']);
    expect(load(CHAIN(NATIVE_WITH(OWN))).draft?.hooks?.['a']?.map(({ name }) => name)).toEqual(['all x', 'kept x']);
  });

  it('are told of where they bind nobody, and where they are wrong', () => {
    const claude =
      'cli: {backend: {type: claude, hooks: {PreToolUse: [{command: "a b"}]}}}\nhats: {a: {triggers: [task.start, task.resume]}}';
    expect(findings(claude)).toEqual(['1: warning hook-not-bound These hooks do not bind "a", Ralph: claude calls its tools by itself.']);
    expect(findings(CHAIN(`[${NATIVE_WITH('')}, ${NATIVE_WITH(', hooks: {PreToolUse: [{matcher: bash}]}')}]`))).toEqual([
      '1: error hook-invalid This hook has no handler.',
    ]);
  });
});

describe('locked hooks', () => {
  it('stay where a hat leaves out those of all', () => {
    const all = 'hooks: {PreToolUse: [{command: "all x"}, {command: "kept x", locked: true}]}\n';
    const own = (hooks: string) =>
      load(`${NATIVE.replace('task.resume]', `task.resume], hooks: ${hooks}`)}${all}`).draft?.hooks?.['a']?.map(({ name }) => name);
    expect(own('{PreToolUse: {override: true, hooks: []}}')).toEqual(['kept x']);
    expect(own('{PreToolUse: {override: true, hooks: [{command: "own x"}]}}')).toEqual(['kept x', 'own x']);
  });
});

describe('functions of packages', () => {
  const toPackage = (name: string, description: object, files: readonly string[]): Readonly<Record<string, string>> => ({
    [`node_modules/${name}/package.json`]: JSON.stringify(description),
    ...Object.fromEntries(files.map((file) => [`node_modules/${name}/${file}`, ''])),
  });
  const find = (handler: string, files: Readonly<Record<string, string>>) =>
    handlers(`hooks: {PreToolUse: [{handler: "${handler}", type: module}]}`, files).map((found) =>
      found.kind === 'module' ? `${found.file.path.slice(folder.length + 1)}#${found.exported}` : found,
    );

  it('are those that an import beside the configuration would load', () => {
    expect(find('guards#check', toPackage('guards', { main: 'lib/main' }, ['lib/main.js']))).toEqual([
      'node_modules/guards/lib/main.js#check',
    ]);
    expect(find('plain', toPackage('plain', {}, ['index.js']))).toEqual(['node_modules/plain/index.js#default']);
    const exported = { exports: { '.': { require: './c.cjs', import: { node: './e.mjs' } }, './sub': './s.mjs' } };
    const files = toPackage('@our/guards', exported, ['c.cjs', 'e.mjs', 's.mjs', 'hidden.mjs']);
    expect(find('@our/guards#check', files)).toEqual(['node_modules/@our/guards/e.mjs#check']);
    expect(find('@our/guards/sub#check', files)).toEqual(['node_modules/@our/guards/s.mjs#check']);
  });

  it('are missing, which is an error, where the package is not there or does not give them', () => {
    const at = (handler: string, files: Readonly<Record<string, string>> = {}) =>
      findings(`${NATIVE}hooks: {PreToolUse: [{handler: "${handler}"}]}`, files);
    const missing = (handler: string) =>
      `3: error hook-file-missing The hook "${handler}" has no file: "${handler.split('#')[0]}" is not there.`;
    const files = toPackage('guards', { exports: { '.': '../../outside.mjs', './x': './no.mjs' } }, ['hidden.mjs']);
    for (const handler of ['none#check', 'guards#check', 'guards/x#check', 'guards/hidden.mjs#check'])
      expect(at(handler, { ...files, 'outside.mjs': '' }), handler).toEqual([missing(handler)]);
  });

  it('are never looked for where a file of that name is beside the configuration', () => {
    expect(find('guards', { ...toPackage('guards', {}, ['index.js']), guards: '' })).toEqual(['guards#default']);
  });
});

describe('findings about hooks', () => {
  const at = (hooks: string): readonly string[] => findings(`${NATIVE}hooks: ${hooks}`);

  it('name a value that would be left out unseen', () => {
    const hook = (key: string): readonly string[] => at(`{PreToolUse: [{command: "a b", ${key}}]}`);
    for (const key of ['fail_closed', 'keep_alive', 'enabled', 'once', 'async', 'locked'])
      for (const value of ['yes', '"true"', '1', '[true]'])
        expect(hook(`${key}: ${value}`)).toEqual([`3: error hook-invalid \`${key}\` is neither true nor false.`]);
    expect(hook('fail_closed: true, keep_alive: , enabled: true, priority: -1')).toEqual([]);
    expect(hook('priority: high')).toEqual(['3: error hook-invalid `priority` is no number.']);
    expect(hook('args: x')).toEqual(['3: error hook-invalid `args` is no list of texts.']);
    expect(hook('matcher: [Write, Edit]')).toEqual(['3: error hook-invalid `matcher` is no text.']);
    expect(hook('name: {a: b}')).toEqual(['3: error hook-invalid `name` is no text.']);
    expect(hook('timeout: [3]')).toEqual(['3: error hook-invalid `timeout` is no duration.']);
    expect(hook('timeout: 30d')).toEqual(['3: error hook-invalid "30d" is too long.']);
  });

  it('name what contradicts itself, and what no timer holds', () => {
    expect(at('{PreToolUse: [{command: "a b", async: true, fail_closed: true}]}')).toEqual([
      '3: error hook-invalid `async` and `fail_closed` exclude each other: nobody waits for what the hook decides.',
    ]);
    expect(findings(`${NATIVE}hooks_defaults: {timeout: 2d}`)).toEqual(['3: error hook-invalid This time for hooks is too long.']);
  });

  it('name what a group of hooks, or a list in the place of another, cannot have', () => {
    expect(at('{PreToolUse: [{matcher: Bash, fail_closed: true, hooks: [{command: "a b"}]}]}')).toEqual([
      '3: error hook-invalid `fail_closed` is of a single hook, and this is a group.',
    ]);
    expect(at('{PreToolUse: {overide: true, hooks: [{command: "a b"}]}}')).toEqual([
      '3: error hook-invalid A list of hooks has no key `overide`: did you mean `override`?',
    ]);
    expect(at('{PreToolUse: {override: yes, hooks: []}}')).toEqual(['3: error hook-invalid `override` is neither true nor false.']);
  });

  it('name an event that there is not, and what was meant', () => {
    expect(at('{PreTolUse: [{command: "a b"}]}')).toEqual([
      '3: error hook-invalid There is no event "PreTolUse" for hooks: did you mean `PreToolUse`?',
    ]);
  });

  it('name an event that is not asked about yet', () => {
    expect(at('{Stop: [{command: "a b"}]}')).toEqual(['3: warning hook-not-bound Hooks of Stop are not asked in this version.']);
  });

  it('name a tool that there is not, unless it may be one of a server', () => {
    const hook = (matcher: string): string => `{PreToolUse: [{matcher: ${JSON.stringify(matcher)}, command: "a b"}]}`;
    for (const matcher of ['Wrte', 'bash|Wrte', 'Wrte*'])
      expect(at(hook(matcher))).toEqual([`3: warning hook-invalid There is no tool "${matcher.replace('bash|', '')}" here.`]);
    for (const matcher of ['bash|Write', 'git_*', 'mcp__*', 're:^wr', '*', '[rw]*']) expect(at(hook(matcher))).toEqual([]);
  });

  it('name a hook with two handlers, of which one would never run', () => {
    expect(at('{PreToolUse: [{handler: a.sh, command: "a b"}]}')).toContain(
      '3: error hook-invalid This hook has a `handler` and a `command`, and one of them would never run.',
    );
  });

  it('name what is wrong with a hook', () => {
    expect(at('{PreToolUse: [{matcher: bash}]}')).toEqual(['3: error hook-invalid This hook has no handler.']);
    expect(at('{PreToolUse: [{command: "a b", timout: 3}]}')).toEqual([
      '3: error hook-invalid A hook has no key `timout`: did you mean `timeout`?',
    ]);
    expect(at('{PreToolUse: [{command: "a b", timeout: soon}]}')).toEqual(['3: error hook-invalid "soon" is no duration.']);
    expect(at('{PreToolUse: [{command: "a b", matcher: "re:("}]}')).toEqual([
      '3: error hook-invalid "re:(" is not a valid regular expression.',
    ]);
    expect(at('{PreToolUse: [{command: "a b", matcher: "mcp__.*"}]}')).toEqual([
      '3: warning hook-invalid "mcp__.*" looks like a regular expression, and is read as a pattern.',
    ]);
    expect(at('{PreToolUse: [{handler: a, type: prompt}]}')).toEqual(['3: error hook-invalid "prompt" is no kind of hook.']);
    expect(at('{PreToolUse: [x]}')).toEqual(['3: error hook-invalid A hook is a map with a `handler`.']);
    expect(at('[x]')).toEqual(['3: error hook-invalid Hooks are written by event.']);
  });

  it('name a file that is not there, in every form in which it can be written', () => {
    for (const handler of ['./a.mjs', './a.mjs#check', '../a.sh', '/no/such/file.sh', 'a.py'])
      expect(at(`{PreToolUse: [{handler: "${handler}"}]}`)).toEqual([
        `3: error hook-file-missing The hook "${handler}" has no file: "${handler.replace('#check', '')}" is not there.`,
      ]);
  });

  it('name a file that may not be executed, where it is not started by another program', () => {
    const files = { 'h/guard': 'exit 0', 'h/guard.sh': 'exit 0', 'h/guard.ts': '' };
    const hook = (handler: string): readonly string[] => findings(`${NATIVE}hooks: {PreToolUse: [{handler: ${handler}}]}`, files);
    for (const name of ['h/guard', 'h/guard.ts'])
      expect(hook(name)).toEqual([`3: error hook-file-missing The hook "${name}" cannot be started: "${name}" may not be executed.`]);
    expect(hook('h/guard.sh')).toEqual([]);
    expect(findings(`${NATIVE}hooks: {PreToolUse: [{handler: h/run}]}`, { 'h/run': '#!/bin/sh' })).toEqual([]);
  });

  // Of the memory of a process, which is a file, nobody can read the beginning, whatever its rights.
  it.skipIf(process.platform !== 'linux')('name a file that cannot be read', () => {
    for (const name of ['a.mjs', 'a.sh']) symlinkSync('/proc/self/mem', join(folder, name));
    expect(at('{PreToolUse: [{handler: "./a.mjs#check"}, {handler: a.sh}]}')).toEqual([
      '3: error hook-file-missing The hook "./a.mjs#check" cannot be read: "./a.mjs" is there, and may not be read.',
      '3: error hook-file-missing The hook "a.sh" cannot be read: "a.sh" is there, and may not be read.',
    ]);
  });

  it('name a module of Python that is not there, where its package is', () => {
    const files = { 'massgen/__init__.py': '', 'massgen/hooks.py': '', 'team/checks/a.py': '', 'one.py': '' };
    const hook = (path: string): readonly string[] => findings(`${NATIVE}hooks: {PreToolUse: [{handler: ${path}, type: python}]}`, files);
    for (const path of ['massgen.hooks.audit', 'massgen.call', 'team.checks.a.call', 'one.call']) expect(hook(path)).toEqual([]);
    for (const [path, file] of [
      ['massgen.hoks.audit', 'massgen/hoks.py'],
      ['team.checks.b.call', 'team/checks/b.py'],
      ['team.checks.call', 'team/checks.py'],
      ['one.two.call', 'one/two.py'],
    ])
      expect(hook(path ?? '')).toEqual([
        `3: error hook-file-missing The hook "${path}" has no module: there is no "${file}" beside this file or in the workspace.`,
      ]);
  });

  it('say that a module of Python has to be installed, where nothing of it is there, or only a project of its name', () => {
    const hint = (module: string) =>
      `3: hint hook-file-missing The module "${module}" is not beside this file or in the workspace: Python is to have it installed.`;
    const hook = (path: string) => `{PreToolUse: [{handler: ${path}}]}`;
    expect(at(hook('team.hooks.audit'))).toEqual([hint('team.hooks')]);
    expect(findings(`${NATIVE}hooks: ${hook('team.hooks.audit')}`, { 'team/pyproject.toml': '' })).toEqual([hint('team.hooks')]);
    expect(at('{PreToolUse: [{handler: hooks/audit.py, type: python}]}')).toEqual([
      '3: error hook-invalid "hooks/audit.py" is no function of a module of Python.',
    ]);
  });

  it('are of the run where they are about it, and bind whatever agent works', () => {
    const events = '{RunEnd: [{command: "a b", matcher: completed}], TurnEnd: [{command: "c d"}]}';
    const yaml = `cli: {backend: claude}\nhats: {a: {triggers: [task.start, task.resume]}}\nhooks: ${events}`;
    expect(findings(yaml)).toEqual([]);
    const { hooks, runHooks } = load(yaml).draft ?? {};
    expect([runHooks?.map(({ event }) => event), hooks?.['a']?.map(({ event }) => event)]).toEqual([['RunEnd'], ['TurnEnd']]);
  });

  it('are refused where nothing would ask them, or they ask for what cannot be', () => {
    const ofHat = `${NATIVE.replace('resume]}', 'resume], hooks: {RunEnd: [{command: "a b"}]}}')}`;
    expect(findings(ofHat)).toEqual(['2: error hook-invalid Hooks of RunEnd are of the run, and this is a hat.']);
    expect(at('{RunStart: [{command: "a b", matcher: x}]}')).toEqual(['3: error hook-invalid RunStart is matched on nothing.']);
    expect(at('{TurnEnd: [{command: "a b", if: bash}]}')).toEqual([
      '3: error hook-invalid `if` is about calls of tools, and TurnEnd is none.',
    ]);
    expect(at('{TurnEnd: [{command: "a b", fail_closed: true}]}')).toEqual([
      '3: error hook-invalid TurnEnd is only told: there is nothing that a failure could deny.',
    ]);
  });

  it('say which hats they do not bind, once', () => {
    const yaml =
      'cli: {backend: claude}\nhats: {a: {triggers: [task.start, task.resume]}, b: {triggers: [x]}}\nhooks: {PreToolUse: [{command: "a b"}]}';
    expect(findings(yaml)).toEqual([
      '3: warning hook-not-bound These hooks do not bind "a", "b", Ralph: claude calls its tools by itself.',
    ]);
    expect(at('{PreToolUse: [{command: "a b"}]}')).toEqual([]);
  });

  it('survive whatever is written', () => {
    for (const hooks of [
      '',
      '{}',
      '{PreToolUse: }',
      '{PreToolUse: []}',
      '{PreToolUse: {hooks: }}',
      '{PreToolUse: {override: true}}',
      '{events: {x: [y]}}',
    ])
      expect(() => at(hooks)).not.toThrow();
  });
});
