import { describe, expect, it } from 'vitest';
import { findingsOf, loadText } from '../config-fixtures.ts';

const profile = (rest: string): string => `profiles: {p: {${rest}}}`;

describe('names in a profile', () => {
  it.each([
    'allow: [fs, git, fs_read, github, web, runtime, quality, complete]',
    'allow: [read_file, list_runtimes], deny: [grep]',
    'allow: [fs_read], exempt: [quality]',
    'allow: ["mcp:*"]',
  ])('%s: all known', (rest) => {
    expect(findingsOf(profile(rest))).toEqual([]);
  });

  it('that mean nothing are errors at their place, in each of the lists', () => {
    expect(findingsOf(profile('allow: [fs, filesystem], deny: [writefile], exempt: [x]'))).toEqual([
      'error profile-tool-unknown filesystem',
      'error profile-tool-unknown writefile',
      'error profile-tool-unknown x',
    ]);
  });

  it('that were misspelt have their repair', () => {
    expect(loadText(profile('allow: [fs_raed]')).diagnostics).toMatchObject([
      { message: 'There is no tool and no group of tools "fs_raed": did you mean `fs_read`?', repairs: [{ change: { text: 'fs_read' } }] },
    ]);
  });

  it('of MCP servers are known where the server is', () => {
    const servers = 'mcp_servers: {docs: {command: x}}';
    expect(findingsOf(`${servers}\n${profile('allow: ["mcp:docs", "mcp:*", mcp__docs__find]')}`)).toEqual([]);
    expect(findingsOf(`${servers}\n${profile('allow: ["mcp:dogs", mcp__other__find]')}`)).toEqual([
      'error profile-tool-unknown "mcp:dogs"',
      'error profile-tool-unknown mcp__other__find',
    ]);
  });

  it('of tools that the calling program brings are known', () => {
    const { diagnostics } = loadText(profile('allow: [fs_read, deploy]'), { toolNames: ['deploy'] });
    expect(diagnostics).toEqual([]);
  });
});

describe('a profile that does not do what it says', () => {
  it('denies what the shell can do as well', () => {
    expect(findingsOf(profile('allow: [fs, git, runtime], deny: [git_push]'))).toEqual(['warning profile-shell deny']);
    expect(findingsOf(profile('extends: creator, deny: [fs_write]'))).toEqual(['warning profile-shell deny']);
    const [finding] = loadText(profile('extends: creator, deny: [git_push]')).diagnostics;
    expect(finding?.message).toBe('The profile "p" denies git_push and leaves `bash`, which can do the same.');
  });

  it('may deny the shell with it, or something that was never allowed', () => {
    expect(findingsOf(profile('allow: [fs, git, runtime], deny: [git_push, bash]'))).toEqual([]);
    expect(findingsOf(profile('allow: [fs, runtime], deny: [git_push]'))).toEqual([]);
    expect(findingsOf(profile('allow: [fs, git, runtime], deny: [git_push], require_read_only: true'))).toEqual([]);
  });

  it('lets nothing in', () => {
    expect(findingsOf(profile('description: empty'))).toEqual(['warning profile-empty p']);
    expect(findingsOf(profile('allow: [fs_read], deny: [fs]'))).toEqual(['warning profile-empty p']);
    expect(findingsOf(profile('allow: [fs_write], require_read_only: true'))).toEqual(['warning profile-empty p']);
  });

  it('allows a server, and nobody vouches for its hints', () => {
    const servers = (trust: boolean): string => `mcp_servers: {docs: {command: x, trust_annotations: ${trust}}}`;
    const reads = profile('extends: explorer, allow: ["mcp:*"]');
    expect(findingsOf(`${servers(false)}\n${reads}`)).toEqual(['warning profile-server p']);
    expect(findingsOf(`${servers(true)}\n${reads}`)).toEqual([]);
    expect(findingsOf(`${servers(false)}\n${profile('extends: explorer, allow: ["mcp:*"], exempt: ["mcp:docs"]')}`)).toEqual([]);
    expect(findingsOf(`${servers(false)}\n${profile('extends: explorer, allow: ["mcp:*"], exempt: [mcp__docs__find]')}`)).toEqual([]);
    expect(findingsOf(`${servers(false)}\n${profile('extends: explorer')}`)).toEqual([]);
  });

  it('denies what every hat has', () => {
    expect(findingsOf(profile('allow: [fs], deny: [grep, emit_event]'))).toEqual(['warning profile-coordination emit_event']);
    expect(findingsOf(profile('allow: [fs], deny: [coordination]'))).toEqual(['warning profile-coordination coordination']);
  });

  it('extends itself in a circle, which is told once', () => {
    expect(findingsOf('profiles: {a: {extends: b, allow: [fs]}, b: {extends: c, allow: [fs]}, c: {extends: a, allow: [fs]}}')).toEqual([
      'error profile-circle b',
    ]);
    expect(findingsOf('profiles: {a: {extends: a, allow: [fs]}}')).toEqual(['error profile-circle a']);
    expect(findingsOf('profiles: {critic: {extends: critic, allow: [web]}}')).toEqual([]);
    expect(findingsOf('profiles: {a: {extends: b, allow: [fs]}, b: {allow: [git]}, c: {extends: b, allow: [web]}}')).toEqual([]);
  });
});

describe('a hat with the native agent', () => {
  const codesOf = (yaml: string): readonly string[] =>
    findingsOf(yaml).filter((finding) => finding.includes('profile-') || finding.includes('mcp-'));

  it('and no profile is warned of, at its backend or at itself', () => {
    expect(codesOf('hats: {a: {triggers: [x], backend: native}}')).toEqual(['warning profile-missing backend']);
    expect(codesOf('cli: {backend: native}\nhats: {a: {triggers: [x]}}')).toEqual(['warning profile-missing a']);
  });

  it('and a profile is not, nor is Ralph, nor a hat with an agent CLI', () => {
    expect(codesOf('hats: {a: {triggers: [x], backend: native, profile: creator}}')).toEqual([]);
    expect(codesOf('ralph: {backend: native}')).toEqual([]);
    expect(codesOf('hats: {a: {triggers: [x], backend: claude}}')).toEqual([]);
  });
});

describe('a key of a profile that nobody knows', () => {
  it.each(['read_only: true', 'disallow: [bash]', 'tools: [read_file]'])('%s is an error: it would hold nobody back', (key) => {
    const { diagnostics } = loadText(`profiles:\n  p:\n    allow: [fs]\n    ${key}\n`);
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['error']);
  });

  it('is one under `tools` as well', () => {
    expect(loadText('tools: {deny: [bash]}').diagnostics).toMatchObject([{ code: 'key-unknown', severity: 'error' }]);
  });
});

describe('a list of tools at a hat', () => {
  it.each([
    ['hats: {a: {triggers: [task.start], tools: [read_file]}}', '`hats.a.tools` is not read'],
    ['ralph: {tools: [read_file]}', '`ralph.tools` is not read'],
    ['hats: {a: {triggers: [task.start], mcp_servers: {}}}', 'belongs at the top level'],
  ])('%s is an error that names the profile, or the place', (yaml, words) => {
    expect(loadText(yaml).diagnostics).toContainEqual(
      expect.objectContaining({ code: 'key-misplaced', severity: 'error', message: expect.stringContaining(words) }),
    );
  });
});
