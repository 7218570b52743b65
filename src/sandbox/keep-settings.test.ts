import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { BackendType } from '../core/backends/backend-spec.ts';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { BUILT_IN_POLICIES, type Capabilities, resolveProfile, toCapabilities } from '../core/tools/tool-profiles.ts';
import { createTurnSandboxes } from './open-turn-sandbox.ts';
import type { TurnSandbox, TurnSandboxes } from './turn-sandbox.ts';

const base = mkdtempSync(join(tmpdir(), 'ralph-settings-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const toMay = (profile: string): Capabilities => toCapabilities(resolveProfile(BUILT_IN_POLICIES[profile] ?? null, BUILT_IN_CARDS));
const OLD = '{"theme":"GitHub"}';
const NEW = '{"ui":{"theme":"GitHub"},"$version":4}';

interface Project {
  readonly cwd: string;
  readonly put: (path: string, text: string) => void;
  readonly read: (path: string) => string | null;
  readonly open: (cli: BackendType, more?: { readonly command?: string; readonly may?: Capabilities }) => Promise<TurnSandbox>;
}

let count = 0;

function createProject(): Project {
  count += 1;
  const cwd = join(base, `${count}`, 'work');
  mkdirSync(cwd, { recursive: true });
  const sandboxes: TurnSandboxes = createTurnSandboxes({
    privateDir: join(base, `${count}`, 'private'),
    workspace: cwd,
    stateDir: join(cwd, '.ralph'),
    agentDirs: ['.agent'],
    more: [],
    sandbox: { mode: 'off', scratch: [], readable: [], hasNetwork: true },
    os: { found: null, why: 'it is switched off' },
    folders: { listTracked: async () => [], listIgnored: async () => [] },
  });
  let turns = 0;
  return {
    cwd,
    put: (path, text) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    },
    read: (path) => (existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), 'utf8') : null),
    open: (cli, { command, may = toMay('critic') } = {}) => {
      turns += 1;
      const turn = { turn: `${turns}.1`, cli, ...(command === undefined ? {} : { command }), may, mode: 'off' } as const;
      return sandboxes.open({ ...turn, args: [], permissions: 'bypass', env: {}, cwd, qualityCommands: [], attach: () => null, more: [] });
    },
  };
}

describe('what a CLI changes by itself in the settings of a project', () => {
  it.each([
    ['qwen', undefined, '.qwen/settings.json'],
    ['claude', undefined, '.claude/settings.local.json'],
    ['acp', 'opencode', 'opencode.json'],
    ['acp', 'opencode', '.opencode/opencode.jsonc'],
    ['acp', 'gemini', '.gemini/settings.json'],
    ['acp', '/usr/local/bin/qwen', '.qwen/settings.json'],
  ] as const)('is put back after a turn that may not write: %s (%s), %s', async (cli, command, file) => {
    const project = createProject();
    project.put(file, OLD);
    chmodSync(join(project.cwd, file), 0o640);
    const sandbox = await project.open(cli, command === undefined ? {} : { command });
    rmSync(join(project.cwd, file));
    project.put(file, NEW);
    sandbox.close();
    expect([project.read(file), statSync(join(project.cwd, file)).mode & 0o777]).toEqual([OLD, 0o640]);
  });

  it('goes where claude made a file with its folder', async () => {
    const project = createProject();
    const sandbox = await project.open('claude');
    project.put('.claude/settings.local.json', NEW);
    sandbox.close();
    expect(existsSync(join(project.cwd, '.claude'))).toBe(false);
  });

  it('leaves what else came into that folder', async () => {
    const project = createProject();
    const sandbox = await project.open('claude');
    project.put('.claude/settings.local.json', NEW);
    project.put('.claude/agents/mine.md', 'mine');
    sandbox.close();
    expect([project.read('.claude/settings.local.json'), project.read('.claude/agents/mine.md')]).toEqual([null, 'mine']);
  });

  it('has its old name again where pi gave a folder a new one', async () => {
    const project = createProject();
    project.put('.pi/commands/review.md', 'Review it.');
    const sandbox = await project.open('pi');
    renameSync(join(project.cwd, '.pi/commands'), join(project.cwd, '.pi/prompts'));
    sandbox.close();
    expect([project.read('.pi/commands/review.md'), existsSync(join(project.cwd, '.pi/prompts'))]).toEqual(['Review it.', false]);
  });

  it('is put back after the last of several turns at a time as well', async () => {
    const project = createProject();
    project.put('.qwen/settings.json', OLD);
    const first = await project.open('qwen');
    project.put('.qwen/settings.json', NEW);
    const second = await project.open('qwen');
    first.close();
    second.close();
    expect(project.read('.qwen/settings.json')).toBe(OLD);
  });

  it('stays after a turn that may write', async () => {
    const project = createProject();
    project.put('opencode.json', OLD);
    const sandbox = await project.open('opencode', { may: toMay('creator') });
    project.put('opencode.json', NEW);
    sandbox.close();
    expect(project.read('opencode.json')).toBe(NEW);
  });

  it('is not written through a link that came in its place', async () => {
    const project = createProject();
    project.put('.qwen/settings.json', OLD);
    project.put('other/settings.json', 'theirs');
    const sandbox = await project.open('qwen');
    rmSync(join(project.cwd, '.qwen'), { recursive: true });
    symlinkSync(join(project.cwd, 'other'), join(project.cwd, '.qwen'));
    sandbox.close();
    expect(project.read('other/settings.json')).toBe('theirs');
  });
});
