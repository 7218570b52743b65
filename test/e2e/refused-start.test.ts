import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

interface Refusal {
  readonly what: string;
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly prompt?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Comes into the folder after the commit. */
  readonly prepare?: (folder: string) => void;
  readonly says: string;
}

/** A file where Ralph wants a folder: found only when almost everything else is made. */
function blockCommand(folder: string): void {
  mkdirSync(join(folder, '.ralph'), { recursive: true });
  writeFileSync(join(folder, '.ralph/bin'), '');
}

const REFUSALS: readonly Refusal[] = [
  { what: 'a token that could be guessed', env: { RALPH_TOKEN: 'x' }, says: 'RALPH_TOKEN' },
  { what: 'an agent that is not there', config: 'hats:\n  a: { triggers: [task.start], backend: codex }\n', says: 'codex' },
  { what: 'a configuration with an error', config: 'hats: {}\n', says: 'Hat collection is empty.' },
  { what: 'an empty prompt', prompt: ' ', says: 'prompt' },
  {
    what: 'a plugin that throws',
    config: 'tools: { plugins: { broken: ./broken.mjs } }\n',
    files: { 'broken.mjs': 'throw new Error("not today")\n' },
    says: 'not today',
  },
  { what: 'a file where the folder of the agents belongs', files: { '.agent': 'a file\n' }, says: '.agent' },
  { what: 'a folder of the state that cannot be made', prepare: blockCommand, says: '.ralph/bin' },
];

describe.concurrent('a run that is refused at its start because of', () => {
  describe.each(REFUSALS)('$what', ({ config = '', files = {}, prompt = 'work', env = {}, prepare, says }) => {
    test.each([['here', []] as const, ['in a worktree', ['--worktree', 'side']] as const])(
      'leaves no run, no worktree, no branch and no lock %s',
      async (_, place) => {
        await withPlace(toFiles(config, 'echo LOOP_COMPLETE', files), async (folder) => {
          makeRepository(folder);
          prepare?.(folder);
          const refused = await ralph(folder, ['run', '-p', prompt, ...place], { PATH: PATH_WITHOUT_AGENTS, ...env });
          expect([1, 2], refused.stderr).toContain(refused.code);
          expect(refused.stderr).toContain(says);
          expect(refused.stdout).toBe('');
          const runs = join(folder, '.ralph/runs');
          expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([]);
          expect(git(folder, 'worktree', 'list').split('\n')).toHaveLength(1);
          expect(git(folder, 'branch', '--format=%(refname:short)')).toBe('main');
          expect(listFiles(folder).filter((name) => /lock|worktrees\/side/.test(name))).toEqual([]);
        });
      },
    );
  });
});

/** No agent is installed there. */
const PATH_WITHOUT_AGENTS = '/usr/bin:/bin';

describe.concurrent('a resume that is refused because of', () => {
  const refusals: readonly (Pick<Refusal, 'env' | 'prepare'> & { readonly what: string; readonly says: string })[] = [
    { what: 'a token that could be guessed', env: { RALPH_TOKEN: 'x' }, says: 'RALPH_TOKEN' },
    {
      what: 'a folder of the state that cannot be made',
      prepare: (folder) => {
        rmSync(join(folder, '.ralph/bin'), { recursive: true });
        blockCommand(folder);
      },
      says: '.ralph/bin',
    },
  ];
  test.each(refusals)('$what leaves the run as it was', async ({ env, prepare, says }) => {
    await withPlace(toFiles('event_loop: { max_iterations: 1 }\n', 'echo working'), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'work'])).code).toBe(2);
      prepare?.(folder);
      writeFileSync(join(folder, 'ralph.yml'), `${readFileSync(join(folder, 'ralph.yml'), 'utf8')}gates: [{ run: 'true' }]\n`);
      const before = readFiles(join(folder, '.ralph/runs'));
      const refused = await ralph(folder, ['resume', '--accept-changes', '--max-iterations', '+1'], env);
      expect([1, 2], refused.stderr).toContain(refused.code);
      expect(refused.stderr).toContain(says);
      expect(readFiles(join(folder, '.ralph/runs'))).toEqual(before);
    });
  });
});

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.git/'))
    .sort();
}

function readFiles(folder: string): Readonly<Record<string, string>> {
  const files = listFiles(folder).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
