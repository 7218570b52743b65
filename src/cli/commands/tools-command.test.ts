import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_CARDS } from '../../core/tools/built-in-cards.ts';
import { toServerToolName } from '../../core/tools/server-tool-name.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-tools-command-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Where nothing is missing but a search. */
const ALL_KEYS: Readonly<Record<string, string>> = { GITHUB_TOKEN: 'ghp_0123456789' };

const DEPLOY = `export default {
  group: 'runtime', description: 'Deploys.', hints: { destructive: false }, parameters: { type: 'object' }, run: () => ({ text: 'done' }),
};`;

/** Types `ralph tools …` in a folder with this configuration, or with none. */
async function type(args: readonly string[], yaml?: string, env: Readonly<Record<string, string>> = ALL_KEYS) {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  if (yaml !== undefined) writeFileSync(join(cwd, 'ralph.yml'), yaml);
  writeFileSync(join(cwd, 'deploy.mjs'), DEPLOY);
  const fake = createFakeContext();
  const loadApp = () => import('../../app/index.ts');
  const exitCode = await performCommandLine(['tools', ...args], { ...fake.context, cwd, env, loadApp });
  return { exitCode, out: fake.out(), err: fake.err() };
}

interface Row {
  readonly tool: string;
  readonly offered?: boolean;
  readonly why?: string;
  readonly [key: string]: unknown;
}

/** The rows that a program gets. */
async function rowsOf(args: readonly string[], yaml?: string, env = ALL_KEYS): Promise<readonly Row[]> {
  const { exitCode, out, err } = await type([...args, '--format', 'json'], yaml, env);
  expect([exitCode, err]).toEqual([0, '']);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

const TEAM = `
profiles:
  reader: {extends: explorer, deny: [web_fetch]}
mcp_servers:
  docs: {command: docs-server}
hats:
  builder: {triggers: [task.start], publishes: [build.done]}
  critic: {triggers: [build.done, task.resume], publishes: [LOOP_COMPLETE], profile: reader}
ralph: {profile: editor}
`;

describe('ralph tools', () => {
  it('without a configuration lists every tool with its hints and the profiles that offer it', async () => {
    const { exitCode, out, err } = await type([]);
    expect([exitCode, err]).toEqual([0, '']);
    const lines = out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
    expect(lines[0]).toBe('tool | group | reads only | may destroy | repeatable | goes outside | profiles');
    expect(lines).toContain('write_file | fs_write | no | yes | yes | no | creator, editor');
    expect(lines).toContain('web_search | web | yes | - | - | yes | explorer, planner');
    expect(lines.find((line) => line.startsWith('emit_event'))).toMatch(/all$/);
    for (const card of BUILT_IN_CARDS) expect(out).toContain(card.name);
  });

  it('with a profile says of each tool whether it is in or out, and why', async () => {
    const { out } = await type(['--profile', 'critic']);
    const lines = out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
    expect(lines).toContain('run_tests | quality | no | no | yes | no | in | allowed by quality; not read-only, exempted by quality');
    expect(lines).toContain('write_file | fs_write | no | yes | yes | no | out | not read-only');
    expect(lines).toContain('bash | runtime | no | yes | no | yes | out | not allowed');
    const offered = lines.filter((line) => line.includes(' | in | ')).length;
    expect(out).toContain(`\nProfile critic: ${offered} of ${BUILT_IN_CARDS.length} tools\n`);
  });

  it('with a hat takes the profile that the configuration gives it, or says that it has none', async () => {
    const { out } = await type(['--hat', 'critic'], TEAM);
    expect(out).toContain('Hat critic has the profile reader: ');
    expect(out).toMatch(/web_fetch .* out +denied by web_fetch/);
    const free = await type(['--hat', 'builder'], TEAM);
    expect(free.out).toContain('Hat builder has no profile, so nothing is withheld: ');
    expect((await type(['--hat', 'ralph'], TEAM)).out).toContain('Ralph has the profile editor: ');
  });

  it('names profiles and MCP servers of the configuration; nobody knows yet which tools a server has', async () => {
    const rows = await rowsOf([], TEAM);
    expect(rows.find((row) => row.tool === 'web_search')?.['profiles']).toEqual(['explorer', 'planner', 'reader']);
    expect(rows.at(-1)).toMatchObject({ tool: 'mcp__docs__*', group: 'mcp:docs', hints: { readOnly: false, destructive: true } });
    const own = await rowsOf(['--profile', 'p'], `${TEAM.replace('profiles:', 'profiles:\n  p: {allow: ["mcp:*"]}')}`);
    const offered = own.flatMap((row) => (row.offered ? [row.tool] : []));
    expect(offered.sort()).toEqual(['emit_event', 'mcp__docs__*', 'update_todos', 'write_scratchpad']);
  });

  it('says what the native agent does not have here, and why', async () => {
    const { out } = await type([], undefined, {});
    expect(out).toContain('\nThe native agent does not have web_search here: no search is configured (tools.search)\n');
    expect(out).toContain('\nThe native agent does not have github_create_pr here: no token in GITHUB_TOKEN or GH_TOKEN\n');
    const { out: critic } = await type(['--profile', 'critic'], undefined, {});
    expect(critic).not.toContain('does not have');
  });

  it('counts what is missing here as out for a hat with the native agent, and only for such a hat', async () => {
    const yaml = `
tools: {search: {provider: brave}}
cli: {backend: {type: native, provider: anthropic, model: m}}
hats:
  looker: {triggers: [task.start], publishes: [seen], profile: explorer}
  other: {triggers: [seen, task.resume], publishes: [LOOP_COMPLETE], profile: explorer, backend: claude}
`;
    const web = async (hat: string, env: Readonly<Record<string, string>>) =>
      (await rowsOf(['--hat', hat], yaml, env)).find(({ tool }) => tool === 'web_search');
    const missing = 'no key for brave in BRAVE_API_KEY';
    expect(await web('looker', {})).toMatchObject({ offered: false, why: missing, missing });
    expect(await web('looker', { BRAVE_API_KEY: 'key' })).toMatchObject({ offered: true, why: 'allowed by web', missing: null });
    expect(await web('other', {})).toMatchObject({ offered: true, missing });
  });

  it('names tools of files with the hints that they give', async () => {
    const yaml = `${TEAM}\ntools: {plugins: {deploy: ./deploy.mjs}}`.replace('deny: [web_fetch]', 'deny: [web_fetch, deploy]');
    expect((await rowsOf([], yaml)).find((row) => row.tool === 'deploy')).toMatchObject({
      group: 'runtime',
      hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
      profiles: ['creator', 'editor'],
    });
    const { exitCode, err } = await type([], 'tools: {plugins: {deploy: ./gone.mjs}}');
    expect([exitCode, err]).toEqual([1, expect.stringContaining('The tool deploy cannot be loaded from gone.mjs: there is no such file.')]);
  });

  it('has a row for each tool of a server that the configuration vouches for, and tells what a trusted server decides when it runs', async () => {
    const yaml = `
mcp_servers:
  docs: {command: x, tools: [find, fs.read], annotations: {find: {read_only_hint: true}, fs.read: {read_only_hint: true}, drop: {}}}
  own: {command: x, trust_annotations: true}
profiles: {p: {allow: ["mcp:*"], require_read_only: true}}
`;
    const rows = (await rowsOf(['--profile', 'p'], yaml)).filter(({ tool }) => tool.startsWith('mcp__'));
    expect(rows.map(({ tool, offered, why }) => [tool, offered, why])).toEqual([
      ['mcp__docs__find', true, 'allowed by mcp:*'],
      [toServerToolName('docs', 'fs.read'), true, 'allowed by mcp:*'],
      ['mcp__docs__*', false, 'not read-only'],
      ['mcp__own__*', true, 'allowed by mcp:*, but those that its server calls: not read-only'],
    ]);
  });

  it('with --servers starts the servers and lists their tools one by one; one that does not answer is told', async () => {
    const server = join(import.meta.dirname, '../../../test/contract/agents/mcp-server.mjs');
    const yaml = `
mcp_servers:
  docs: {command: node, args: [${JSON.stringify(server)}], trust_annotations: true}
  gone: {command: ./nowhere}
profiles: {p: {allow: ["mcp:*"], require_read_only: true}}
`;
    const env = { ...ALL_KEYS, PATH: process.env['PATH'] ?? '' };
    const { exitCode, out, err } = await type(['--profile', 'p', '--servers', '--format', 'json'], yaml, env);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    expect(exitCode).toBe(0);
    expect(err).toContain('The MCP server gone cannot be used: ');
    expect(rows.filter(({ tool }) => tool.startsWith('mcp__')).map(({ tool, offered }) => [tool, offered])).toEqual([
      ['mcp__docs__find', true],
      ['mcp__docs__drop', false],
      ['mcp__gone__*', false],
    ]);
  });

  it('gives programs the same', async () => {
    const rows = await rowsOf(['--hat', 'critic'], TEAM);
    expect(rows.find((row) => row.tool === 'git_push')).toMatchObject({
      v: 1,
      group: 'git_write',
      hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
      offered: false,
      why: 'not read-only',
      hat: 'critic',
      profile: 'reader',
    });
  });

  it.each([
    [['--hat', 'critc'], 'There is no hat "critc": did you mean critic?'],
    [['--hat', '__proto__'], 'There is no hat "__proto__".'],
    [['--profile', 'explorr'], 'There is no profile "explorr": did you mean explorer?'],
    [['--profile', '\u001b[2J'], 'There is no profile'],
    [['--hat', 'critic', '--profile', 'reader'], 'Give either a hat or a profile.'],
  ])('refuses %j', async (args, words) => {
    const { exitCode, out, err } = await type(args, TEAM);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(words);
    expect(err).not.toContain('\u001b[2J');
  });

  it('shows what is wrong with the configuration instead, and ends with 1', async () => {
    const { exitCode, out, err } = await type([], 'profiles: {p: {allow: [fs_raed]}}');
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toContain('did you mean `fs_read`?');
  });

  it('with --servers is stopped by Ctrl+C, and leaves no server behind', async () => {
    const cwd = mkdtempSync(join(FOLDER, 'case-'));
    writeFileSync(join(cwd, 'ralph.yml'), 'mcp_servers: {slow: {command: sh, args: ["-c", "echo $$$$ > pid; exec sleep 20"]}}\n');
    const fake = createFakeContext();
    const loadApp = () => import('../../app/index.ts');
    const env = { ...ALL_KEYS, PATH: process.env['PATH'] ?? '' };
    const running = performCommandLine(['tools', '--servers'], { ...fake.context, cwd, env, loadApp });
    const pid = await vi.waitFor(() => Number.parseInt(readFileSync(join(cwd, 'pid'), 'utf8'), 10) || expect.fail(), 10_000);
    fake.signal('SIGINT');
    expect(await running).toBe(130);
    expect(fake.out()).toBe('');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
