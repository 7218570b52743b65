import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../load-config.ts';
import { toPlainJson } from './plain-json.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NATIVE =
  'cli: {backend: {type: native, provider: scripted, script: s.yml}}\nhats: {a: {triggers: [task.start, task.resume], profile: creator}}\n';
const CLAUDE = '.claude/settings.json';
const LOCAL = '.claude/settings.local.json';
const GEMINI = '.gemini/settings.json';

function load(yaml: string, files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries({ ...files, 'ralph.yml': `${NATIVE}${yaml}` })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return readConfig({ cwd: folder, env: {} });
}

const hooksOf = (yaml: string, files: Readonly<Record<string, string>>) => load(yaml, files).draft?.hooks?.['a'] ?? [];
const findings = (yaml: string, files: Readonly<Record<string, string>>): readonly string[] =>
  load(yaml, files).diagnostics.map(({ file, line, severity, code, message }) => `${file}:${line}: ${severity} ${code} ${message}`);
const toSettings = (event: string, ...hooks: readonly object[]): string =>
  JSON.stringify({ hooks: { [event]: [{ matcher: 'Bash', hooks }] } });

describe('hooks of Claude Code', () => {
  it('are asked as its settings say, before those of the file', () => {
    const settings = `{
\t// checks
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{"matcher": "Edit|Write", "hooks": [
\t\t\t\t{"type": "command", "command": "\\"$CLAUDE_PROJECT_DIR\\"/check.sh", "timeout": 5},
\t\t\t\t{"type": "command", "command": "node", "args": ["\${CLAUDE_PROJECT_DIR}/a.js", "x y"], "async": true}
\t\t\t]}
\t\t]
\t}
}`;
    const own = 'hooks: {import: claude, PreToolUse: [{command: "own x"}]}';
    expect(hooksOf(own, { [CLAUDE]: settings, [LOCAL]: toSettings('PreToolUse', { type: 'command', command: 'mine' }) })).toEqual([
      {
        name: 'check.sh',
        event: 'PreToolUse',
        matcher: 'Edit|Write',
        dialect: 'claude',
        handler: { kind: 'shell', line: '"$CLAUDE_PROJECT_DIR"/check.sh' },
        env: { CLAUDE_PROJECT_DIR: folder },
        timeoutMs: 5000,
        isFailClosed: false,
        place: `${CLAUDE}:6`,
      },
      expect.objectContaining({
        handler: { kind: 'command', argv: ['node', `${folder}/a.js`, 'x y'], file: null },
        isAsync: true,
        timeoutMs: 600_000,
        place: `${CLAUDE}:7`,
      }),
      expect.objectContaining({ name: 'mine', place: `${LOCAL}:1` }),
      expect.objectContaining({ name: 'own x' }),
    ]);
  });

  it('are about the calls that their rule names, where it can be read', () => {
    const settings = toSettings('PreToolUse', { command: 'a', if: 'Bash(git push *)' }, { command: 'b', if: 'Bash(' });
    expect(hooksOf('hooks: {import: [claude]}', { [CLAUDE]: settings }).map(({ rule }) => rule)).toEqual(['Bash(git push *)', undefined]);
    expect(findings('hooks: {import: [claude]}', { [CLAUDE]: settings })).toEqual([
      `${CLAUDE}:1: warning hook-not-bound "Bash(" cannot be read: the hook is asked about every call that its matcher takes.`,
    ]);
  });

  it('are none where they are switched off, and the last file that says so counts', () => {
    const settings = { [CLAUDE]: toSettings('PreToolUse', { command: 'a' }).replace('{', '{"disableAllHooks": true,') };
    const yaml = 'hooks: {import: [claude]}';
    expect(hooksOf(yaml, settings)).toEqual([]);
    expect(findings(yaml, settings)).toEqual([
      `${CLAUDE}:1: warning hook-not-bound The hooks of claude are switched off in its settings: none is asked.`,
    ]);
    expect(hooksOf(yaml, { ...settings, [LOCAL]: '{"disableAllHooks": false}' })).toHaveLength(1);
  });

  it('are told of at their place where nothing asks them', () => {
    const settings = `{"hooks": {
  "Stop": [{"hooks": [{"type": "command", "command": "x"}]}],
  "SessionStart": [{"hooks": []}],
  "Notification": [],
  "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "prompt", "prompt": "x"}]}]
}}`;
    expect(findings('hooks: {import: [claude]}', { [CLAUDE]: settings })).toEqual([
      `${CLAUDE}:2: warning hook-not-bound Imported hooks of "Stop", "SessionStart" are not asked in this version.`,
      `${CLAUDE}:5: warning hook-not-bound An imported hook of type "prompt" is not asked in this version.`,
    ]);
  });

  it('are told of at their place where they are wrong', () => {
    const at = (settings: string) => findings('hooks: {import: [claude]}', { [CLAUDE]: settings });
    expect(at('{"hooks": []}')).toEqual([`${CLAUDE}:1: error hook-invalid \`hooks\` is no map of events here.`]);
    expect(at('{"hooks": {"PreToolUse": {}}}')).toEqual([`${CLAUDE}:1: error hook-invalid Hooks of an event are a list here.`]);
    expect(at('{"hooks": {"PreToolUse": [{"matcher": "x"}]}}')).toEqual([
      `${CLAUDE}:1: error hook-invalid This group has no list \`hooks\`.`,
    ]);
    expect(at('{"hooks": {"PreToolUse": [{"hooks": [\n{"type": "command"}]}]}}')).toEqual([
      `${CLAUDE}:2: error hook-invalid This hook has no \`command\`.`,
    ]);
    expect(at('{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": []}]}}')).toEqual([
      `${CLAUDE}:1: error hook-invalid "(" is not a valid regular expression.`,
    ]);
  });

  it('are told of as JSON where they are none, with the key that reads them', () => {
    const told = (settings: string) =>
      load('hooks:\n  import: [claude]', { [CLAUDE]: settings }).diagnostics.map(
        ({ file, line, column, severity, code, message, fix, related = [] }) => ({
          at: `${file}:${line}:${column}`,
          says: `${severity} ${code} ${message}`,
          fix,
          related: related.map((other) => `${other.file}:${other.line}: ${other.message}`),
        }),
      );
    const related = ['ralph.yml:4: It is read because `hooks.import` names claude here.'];
    const something = 'A comma, a quote or a bracket is missing or too many here.';
    for (const [settings, at, words] of [
      ['{"hooks": {\n  "PreToolUse": []', `${CLAUDE}:1:11`, 'This `{` is never closed.'],
      ['{"hooks": {"PreToolUse": [{"matcher": "Bash" "hooks": []}]}}', `${CLAUDE}:1:46`, something],
      ['{"hooks": {}} x', `${CLAUDE}:1:15`, something],
      ['{"hooks": *x}', `${CLAUDE}:1:11`, something],
    ] as const)
      expect(told(settings)).toEqual([
        {
          at,
          says: `error hook-invalid ${CLAUDE} is not valid JSON. ${words}`,
          fix: 'Compare it with the lines around it, and fix it; or take claude out of `hooks.import`.',
          related,
        },
      ]);
    expect(told('[1]')).toMatchObject([{ says: `error hook-invalid ${CLAUDE} holds no object of JSON.`, related }]);
    expect(told('{"a": 1, "a": 2}')).toMatchObject([{ says: 'error yaml-duplicate-key The key "a" is there twice.' }]);
  });

  it('are errors where there are no settings, and where nobody is known by that name', () => {
    expect(findings('hooks: {import: [claude]}', {})).toEqual([
      `ralph.yml:3: error hook-file-missing There are no settings of claude in this folder: ${CLAUDE}, ${LOCAL}.`,
    ]);
    expect(findings('hooks: {import: [claud]}', {})).toEqual([
      'ralph.yml:3: error hook-invalid Hooks cannot be imported from "claud": did you mean `claude`?',
    ]);
    const inHat = NATIVE.replace('profile: creator', 'profile: creator, hooks: {import: [claude]}');
    writeFileSync(join(folder, 'ralph.yml'), inHat);
    expect(readConfig({ cwd: folder, env: {} }).diagnostics.map(({ message }) => message)).toEqual([
      'Hooks are imported for all hats at once.',
    ]);
  });

  it('that lie outside of the workspace are read, and no word of the file is shown', () => {
    const outside = mkdtempSync(join(tmpdir(), 'ralph-outside-'));
    writeFileSync(join(outside, 's.json'), '{"hooks": {"PreToolUse": "secret words"}}');
    mkdirSync(join(folder, '.claude'));
    symlinkSync(join(outside, 's.json'), join(folder, CLAUDE));
    const { diagnostics } = load('hooks: {import: [claude]}', {});
    rmSync(outside, { recursive: true });
    expect(diagnostics).toHaveLength(1);
    expect(JSON.stringify(diagnostics)).not.toContain('secret');
  });
});

describe('hooks of Gemini CLI', () => {
  it('have its times, its names and those that it has switched off', () => {
    const settings = JSON.stringify({
      hooksConfig: { disabled: ['off'] },
      hooks: {
        enabled: true,
        BeforeTool: [
          {
            matcher: 'write_file|replace',
            hooks: [
              { name: 'guard', type: 'command', command: '$GEMINI_PROJECT_DIR/g.sh' },
              { name: 'off', command: 'x' },
            ],
          },
        ],
        AfterTool: [{ hooks: [{ type: 'command', command: 'after', timeout: 1500 }] }],
      },
    });
    expect(hooksOf('hooks_defaults: {fail_closed: true}\nhooks: {import: [gemini, gemini]}', { [GEMINI]: settings })).toMatchObject([
      {
        name: 'guard',
        event: 'PreToolUse',
        matcher: 'write_file|replace',
        dialect: 'gemini',
        timeoutMs: 60_000,
        env: { GEMINI_PROJECT_DIR: folder },
        isFailClosed: true,
      },
      { event: 'PostToolUse', matcher: '', timeoutMs: 1500 },
    ]);
  });
});

describe('settings of agent CLIs as text', () => {
  it('keep every place: comments and tabs become spaces, texts stay', () => {
    expect(toPlainJson('{\t"a//b\t": 1, // x\n/* y\n*/ "c\\"/*": "d" }')).toBe('{ "a//b\t": 1,     \n    \n   "c\\"/*": "d" }');
  });

  it('are read in time whatever they hold', () => {
    const startedAt = performance.now();
    for (const part of ['/*', '"\\"', '"', '\\', '/']) expect(toPlainJson(part.repeat(300_000)).length).toBe(part.length * 300_000);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });
});
