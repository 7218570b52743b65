import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createBuiltInTools, createJail, type ToolContext } from '../../src/agent/index.ts';
import type { Json } from '../../src/core/values/json.ts';
import { accept, refuse } from '../../src/core/values/result.ts';

/** What came of a call, and what was published meanwhile. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

/** A workspace on disk with something beside it that nobody may touch. */
export interface AttackWorld {
  /** Absolute; agents work in here. */
  readonly workspace: string;
  /** Absolute; out of bounds. */
  readonly outside: string;
  /** A file that only a program of the attacker makes. */
  readonly canary: string;
  readonly context: ToolContext;
  readonly published: readonly { readonly topic: string; readonly payload: Json }[];
  /** Calls a tool as the loop does: arguments are checked by its schema first. */
  readonly call: (name: string, args: unknown, parts?: Partial<ToolContext>) => Promise<CallResult>;
  readonly write: (path: string, text: string, mode?: number) => void;
  readonly git: (...args: readonly string[]) => string;
  readonly isPwned: () => boolean;
  readonly remove: () => void;
}

/** A shell script that gives itself away. */
export function toTrap(canary: string): string {
  return `#!/bin/sh\ntouch '${canary}'\ncat\n`;
}

const IDENTITY = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' };

/** Makes the world of one attack; `hasGit`: with a repository that has one commit. */
export function createAttackWorld(hasGit = true): AttackWorld {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-attack-'));
  const workspace = join(folder, 'work');
  const outside = join(folder, 'outside');
  const canary = join(outside, 'pwned');
  const home = join(folder, 'home');
  for (const path of [workspace, outside, home]) mkdirSync(path);
  writeFileSync(join(outside, 'secret.txt'), 'the secret of the outside\n');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...IDENTITY };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'core.hooksPath=/dev/null', ...args], {
      cwd: workspace,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text, { mode });
  };
  if (hasGit) {
    git('init', '-q', '-b', 'work');
    write('a.txt', 'one\n');
    git('add', 'a.txt');
    git('commit', '-q', '-m', 'first');
  }
  const published: { topic: string; payload: Json }[] = [];
  const context: ToolContext = {
    jail: createJail({ workspace, readRoots: [], writeRoots: [workspace], protectedPaths: [join(workspace, '.ralph')] }),
    session: { reads: new Map(), todos: [] },
    signal: new AbortController().signal,
    env,
    marker: `attack-${process.pid}-${Math.random().toString(36).slice(2)}/1.1`,
    spillDir: join(folder, 'spill'),
    scratchpad: join(workspace, '.agent/scratchpad.md'),
    quality: {},
    publishes: ['review.done'],
    publish: async (topic, payload) => {
      if (topic !== 'review.done') return refuse({ reason: 'this hat may not publish it', allowed: ['review.done'] });
      published.push({ topic, payload });
      return accept(topic);
    },
    mayWrite: true,
    search: null,
    allowedPrivateHosts: [],
  };
  const tools = new Map(createBuiltInTools(context.publishes).map((tool) => [tool.name, tool]));
  return {
    workspace,
    outside,
    canary,
    context,
    published,
    call: async (name, args, parts = {}) => {
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const parsed = tool.parameters.safeParse(args);
      if (!parsed.success) return { text: parsed.error.issues.map((issue) => issue.message).join('\n'), isError: true };
      return (tool.run as (args: unknown, context: ToolContext) => Promise<CallResult>)(parsed.data, { ...context, ...parts });
    },
    write,
    git,
    isPwned: () => existsSync(canary),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
