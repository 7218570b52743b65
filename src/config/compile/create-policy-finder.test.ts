import { describe, expect, it } from 'vitest';
import { BUILT_IN_POLICIES } from '../../core/tools/tool-profiles.ts';
import { loadText, settingsOf } from '../config-fixtures.ts';

const OPEN = { allow: [], deny: [], exempt: [], requireReadOnly: false, denyDestructive: false };

/** Settings of two hats and Ralph, with these lines more. */
function load(hat: string, more = '') {
  return settingsOf(`hats: {a: {triggers: [x]${hat}}, b: {triggers: [y]}}\n${more}`);
}

describe('the profile of a hat', () => {
  it('is the built-in one of this name', () => {
    const { policies, profileNames } = load(', profile: critic', 'ralph: {profile: editor}');
    expect(profileNames).toEqual({ a: 'critic', b: null, ralph: 'editor' });
    expect(policies).toEqual({ a: BUILT_IN_POLICIES['critic'], b: null, ralph: BUILT_IN_POLICIES['editor'] });
  });

  it('is never chosen by the name of the hat', () => {
    expect(settingsOf('hats: {critic: {triggers: [x]}, explorer: {triggers: [y]}}').policies).toEqual({
      critic: null,
      explorer: null,
      ralph: null,
    });
  });

  it('is one of the file, with every field of it', () => {
    const { policies } = load(
      ', profile: mine',
      'profiles: {mine: {allow: [fs, git, bash], deny: git_push, exempt: [git_commit], require_read_only: true, deny_destructive: true}}',
    );
    expect(policies['a']).toEqual({
      allow: ['fs', 'git', 'bash'],
      deny: ['git_push'],
      exempt: ['git_commit'],
      requireReadOnly: true,
      denyDestructive: true,
    });
  });

  it('takes the place of the built-in one whose name it has', () => {
    expect(load(', profile: critic', 'profiles: {critic: {allow: [fs_read]}}').policies['a']).toEqual({ ...OPEN, allow: ['fs_read'] });
  });

  it('begins with the one that it extends: lists grow, flags are replaced', () => {
    const profiles =
      'profiles: {base: {extends: critic, allow: [web], deny: [web_search]}, mine: {extends: base, require_read_only: false}}';
    expect(load(', profile: mine', profiles).policies['a']).toEqual({
      allow: [...(BUILT_IN_POLICIES['critic']?.allow ?? []), 'web'],
      deny: ['web_search'],
      exempt: ['quality'],
      requireReadOnly: false,
      denyDestructive: false,
    });
    const same = load(', profile: critic', 'profiles: {critic: {extends: critic, allow: [web]}}').policies['a'];
    expect(same?.allow).toEqual([...(BUILT_IN_POLICIES['critic']?.allow ?? []), 'web']);
  });

  it('of Ralph is that of the one hat of `mode: single`', () => {
    const { policies } = settingsOf('mode: single\nralph: {profile: planner}');
    expect(policies).toEqual({ default: BUILT_IN_POLICIES['planner'], ralph: BUILT_IN_POLICIES['planner'] });
  });

  it('makes another run of it when it changes', () => {
    const digestOf = (...yaml: readonly [string, string?]) => load(...yaml).digest;
    const keys = digestOf(', profile: critic').keys;
    expect(digestOf(', profile: planner').keys['hats.a']).not.toBe(keys['hats.a']);
    const own = digestOf(', profile: p', 'profiles: {p: {allow: [fs]}, q: {allow: [git]}}').keys;
    const changed = digestOf(', profile: p', 'profiles: {p: {allow: [web]}, q: {allow: [git]}}').keys;
    expect(Object.keys(own).filter((key) => own[key] !== changed[key])).toEqual(['profiles.p']);
  });
});

describe('an MCP server', () => {
  it('is compiled with its defaults', () => {
    const yaml =
      'mcp_servers: {docs: {command: npx, args: [-y, some-server], env: {A: 1}}, far: {url: "https://x.example/mcp", token_env: T, tools: [find], trust_annotations: true, timeout_seconds: 5}}';
    expect(settingsOf(yaml).mcpServers).toEqual([
      {
        name: 'docs',
        command: 'npx',
        args: ['-y', 'some-server'],
        env: { A: '1' },
        tools: null,
        trustsAnnotations: false,
        timeoutMs: 60_000,
      },
      {
        name: 'far',
        url: 'https://x.example/mcp',
        tokenEnv: 'T',
        args: [],
        env: {},
        tools: ['find'],
        trustsAnnotations: true,
        timeoutMs: 5000,
      },
    ]);
    expect(settingsOf('').mcpServers).toEqual([]);
  });

  it.each([
    ['{}', 'mcp-server-invalid', 'cannot be reached'],
    ['{command: a, url: "https://b.example"}', 'mcp-server-invalid', 'a command and an address'],
    ['{url: "ftp://b.example"}', 'mcp-server-invalid', 'is not the address'],
    ['{url: "https://me:secret@b.example"}', 'mcp-server-invalid', 'is not the address'],
    ['{command: a, comand: b}', 'key-unknown', 'comand'],
  ])('%s is refused', (server, code, words) => {
    const { diagnostics } = loadText(`mcp_servers: {docs: ${server}}`);
    expect(diagnostics.map((finding) => finding.code)).toEqual([code]);
    expect(diagnostics[0]?.message).toContain(words);
    expect(JSON.stringify(diagnostics)).not.toContain('secret@');
  });

  it.each(['a b', 'a__b', '-a', '"Ä"', 'x'.repeat(31)])('cannot be called %s', (name) => {
    expect(loadText(`mcp_servers: {${name}: {command: x}}`).diagnostics).toMatchObject([{ code: 'mcp-server-invalid' }]);
  });
});
