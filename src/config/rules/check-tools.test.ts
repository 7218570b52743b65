import { describe, expect, it } from 'vitest';
import { loadText } from '../config-fixtures.ts';

/** What is said of a file with this under `tools:`. */
function judge(tools: string): readonly (readonly [code: string, message: string])[] {
  const { diagnostics } = loadText(`tools: {${tools}}\n`);
  return diagnostics.map(({ code, message, fix }) => [code, `${message} ${fix}`] as const);
}

describe('what is said of tools', () => {
  it.each([
    'search: {provider: searxng, base_url: "http://localhost:8888"}',
    'search: {provider: searxng, base_url: "http://search.lan/searx/"}',
    'search: {provider: brave}',
    'search: {provider: tavily, api_key_env: MY_KEY, base_url: "http://127.0.0.1:9000"}',
    'private_hosts: [wiki.lan, "wiki.lan:8080", "10.0.0.7:80", "[fd00::1]:8080"]',
    'pass_env: [DATABASE_URL, MY_APP_*], protected_branches: []',
    'plugins: {deploy: ./tools/deploy.mjs, ship_it: tools/ship.js}',
  ])('%s is right', (tools) => {
    expect(judge(tools)).toEqual([]);
  });

  it.each<[string, RegExp]>([
    ['search: {provider: searxng}', /Nobody knows where your SearXNG is.*base_url/],
    ['search: {provider: searxng, base_url: "localhost:8888"}', /is not the address of a search/],
    ['search: {provider: searxng, base_url: "ftp://x"}', /is not the address of a search/],
    ['search: {provider: searxng, base_url: "http://x/?format=json"}', /is not the address of a search/],
    ['search: {provider: brave, base_url: "http://search.lan"}', /everybody on the way can read it/],
    ['search: {provider: searxng, base_url: "http://search.lan", api_key_env: KEY}', /everybody on the way can read it/],
    ['private_hosts: ["*"]', /"\*" is no host/],
    ['private_hosts: ["http://wiki.lan/"]', /is no host.*wiki\.example:8080/],
    ['private_hosts: ["10.0.0.0/8"]', /is no host/],
    ['pass_env: ["*"]', /All variables would be given/],
    ['pass_env: ["A=b"]', /"A=b" is no name/],
    ['plugins: {"a b": x.mjs}', /"a b" cannot be the name of a tool/],
    ['plugins: {mcp__x__y: x.mjs}', /cannot be the name of a tool/],
    ['plugins: {bash: x.mjs}', /There is a built-in tool called "bash"/],
    ['plugins: {deploy: deploy.ts}', /"deploy\.ts" is no JavaScript module/],
  ])('%s is an error that says what to write', (tools, words) => {
    expect(judge(tools)).toEqual([['tools-invalid', expect.stringMatching(words)]]);
  });

  it('never shows a key that stands where its variable is named, nor a password in an address', () => {
    const key = 'BSA-0123456789abcdefghij';
    for (const tools of [
      `search: {provider: brave, api_key_env: ${key}}`,
      `search: {provider: searxng, base_url: "https://me:${key}@search.lan"}`,
      `search: {provider: searxng, base_url: "https://me:x@${key}@search.lan"}`,
      `search: {provider: searxng, base_url: "https://search.lan/?key=${key}"}`,
    ]) {
      const { diagnostics } = loadText(`tools: {${tools}}\n`);
      expect(diagnostics.map(({ code }) => code)).toEqual(['tools-invalid']);
      expect(JSON.stringify(diagnostics)).not.toContain(key);
    }
  });

  it('is told at the word that is wrong', () => {
    const [found] = loadText('tools:\n  pass_env:\n    - GOOD\n    - "not good"\n').diagnostics;
    expect(found).toMatchObject({ line: 4, column: 7 });
  });

  it('of a tool in a file lets profiles name it', () => {
    const yaml = 'tools: {plugins: {deploy: ./deploy.mjs}}\nprofiles: {p: {allow: [deploy]}}\n';
    expect(loadText(yaml).diagnostics).toEqual([]);
    expect(loadText(yaml.replace('allow: [deploy]', 'allow: [deplyo]')).diagnostics).toMatchObject([
      { code: 'profile-tool-unknown', message: expect.stringContaining('did you mean `deploy`?') },
    ]);
  });
});

describe('tools, compiled', () => {
  it('are complete: what is not said is not there', () => {
    expect(loadText('name: x\n').settings?.tools).toEqual({
      search: null,
      privateHosts: [],
      passEnv: [],
      protectedBranches: null,
      plugins: {},
    });
  });

  it('have a port for each host, and each word once', () => {
    const { settings } = loadText(`tools:
  search: {provider: brave, api_key_env: MY_KEY}
  private_hosts: [Wiki.lan, "wiki.lan:443", "[fd00::1]:8080"]
  pass_env: [A, A, B_*]
  protected_branches: []
`);
    expect(settings?.tools).toEqual({
      search: { provider: 'brave', apiKeyEnv: 'MY_KEY' },
      privateHosts: ['wiki.lan:80', 'wiki.lan:443', '[fd00::1]:8080'],
      passEnv: ['A', 'B_*'],
      protectedBranches: [],
      plugins: {},
    });
  });
});
