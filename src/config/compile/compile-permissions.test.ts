import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../load-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-permissions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string) {
  writeFileSync(join(folder, 'ralph.yml'), yaml);
  return readConfig({ cwd: folder, env: {} });
}

const NATIVE = 'cli: {backend: {type: native, provider: scripted, script: s.yml}}\n';
const HATS = 'hats: {a: {triggers: [task.start, task.resume]}}\n';

function findings(yaml: string): readonly string[] {
  return load(yaml)
    .diagnostics.filter(({ code }) => code.startsWith('permission'))
    .map(({ severity, code, message, line, column }) => `${line}:${column} ${severity} ${code} ${message}`);
}

/** `decision rule place` of the rules of a hat. */
function rulesOf(yaml: string, hat = 'a'): readonly string[] {
  const { draft, diagnostics } = load(yaml);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return draft?.permissions?.[hat]?.rules.map(({ decision, rule, place }) => `${decision} ${rule} ${place}`) ?? [];
}

describe('permissions of a configuration', () => {
  const yaml = `${NATIVE}permissions:
  allow: [bash(npm test*)]
  ask:
    - bash
  deny: "bash(rm *)"
hats:
  a:
    triggers: [task.start, task.resume]
    permissions: {deny: [web_fetch], allow: [read_file], on_ask: wait}
  b: {triggers: [x.y]}
ralph: {permissions: {ask: [Write]}}
`;

  it('are listed as they are asked, those of all hats before those of the hat', () => {
    expect(rulesOf(yaml)).toEqual([
      'deny bash(rm *) ralph.yml:6',
      'deny web_fetch ralph.yml:10',
      'ask bash ralph.yml:5',
      'allow bash(npm test*) ralph.yml:3',
      'allow read_file ralph.yml:10',
    ]);
    expect(rulesOf(yaml, 'b')).toEqual(['deny bash(rm *) ralph.yml:6', 'ask bash ralph.yml:5', 'allow bash(npm test*) ralph.yml:3']);
    expect(rulesOf(yaml, 'ralph')).toContain('ask Write ralph.yml:12');
  });

  it('deny what nobody can be asked about, unless they say otherwise', () => {
    const onAsk = (text: string) => load(text).draft?.permissions?.['a']?.onAsk;
    expect(onAsk(yaml)).toBe('wait');
    expect(onAsk(`${NATIVE}${HATS}permissions: {on_ask: allow}`)).toBe('allow');
    expect(onAsk(`${NATIVE}${HATS}permissions: {ask: [bash]}`)).toBe('deny');
    expect(onAsk(`${NATIVE}${HATS}`)).toBeUndefined();
  });

  it('are those of the one agent where there are no hats', () => {
    expect(rulesOf(`${NATIVE}mode: single\nralph: {permissions: {deny: [bash]}}`, 'default')).toEqual(['deny bash ralph.yml:3']);
  });

  it('keep their text: nothing is put into a rule from a variable', () => {
    expect(rulesOf(`${NATIVE}${HATS}permissions: {deny: ['bash(echo \${HOME}*)']}`)).toEqual([`deny bash(echo $\{HOME}*) ralph.yml:3`]);
  });

  it('are part of what a run that goes on is compared by', () => {
    const digestOf = (text: string) => JSON.stringify(load(text).draft?.digest);
    expect(digestOf(`${NATIVE}${HATS}permissions: {deny: [bash]}`)).not.toBe(digestOf(`${NATIVE}${HATS}permissions: {deny: [grep]}`));
  });
});

describe('what is wrong with permissions', () => {
  it('is told where it is written', () => {
    expect(findings(`${NATIVE}${HATS}permissions:\n  deny: [bash, bsh, "bash(", "Write|Edti(x)"]\n  ask: [mcp__db__x]`)).toEqual([
      '4:16 error permission-invalid There is no tool "bsh": did you mean `bash`?',
      '4:21 error permission-invalid "bash(" is no rule.',
      '4:30 error permission-invalid There is no tool "Edti".',
      '5:9 error permission-invalid There is no tool "mcp__db__x".',
    ]);
    expect(findings(`${NATIVE}hats: {a: {triggers: [task.start, task.resume], permissions: {ask: "x y"}}}`)).toEqual([
      '2:68 error permission-invalid There is no tool "x y".',
    ]);
  });

  it('is nothing for tools of servers, of plugins and of other names', () => {
    const yaml = `${NATIVE}${HATS}mcp_servers: {db: {command: x}}\ntools: {plugins: {mine: ./mine.mjs}}\npermissions: {deny: [mcp__db__drop, "mcp__*", mine, "git_*", "Bash(rm:*)", "[bg]*"]}`;
    expect(findings(yaml)).toEqual([]);
  });

  it('is a shape that is none', () => {
    const codes = load(`${NATIVE}${HATS}permissions: {allow: [{tool: bash}], alow: [x], on_ask: maybe}`).diagnostics.filter(
      ({ severity }) => severity === 'error',
    );
    expect(codes.length).toBeGreaterThanOrEqual(2);
  });

  it('is told once for each place that does not bind a hat', () => {
    const team = `cli: {backend: claude}
permissions: {ask: [bash]}
hats:
  a: {triggers: [task.start, task.resume], permissions: {deny: [web_fetch]}}
  b: {triggers: [x.y], backend: {type: native, provider: scripted, script: s.yml}}
`;
    expect(findings(team)).toEqual([
      '2:1 warning permission-not-bound These permissions do not bind Ralph: claude calls its tools by itself.',
      '4:44 warning permission-not-bound These permissions do not bind "a": claude calls its tools by itself.',
    ]);
    expect(findings('cli: {backend: claude}\npermissions: {allow: [bash]}\n')).toEqual([]);
  });
});
