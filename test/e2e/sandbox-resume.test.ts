/** A run whose hat may not write, killed in the middle of its turn, and what the run says when it goes on. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findOsSandbox, judgeProbe, writeVerdict } from '../../src/sandbox/index.ts';
import { findProcesses } from './processes.ts';
import { plainEnvironment, ralph, start, withFolder } from './ralph.ts';
import { until } from './run-facts.ts';

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);

/** Writes where it may not, waits to be killed, and in its next turn hands over. */
const AGENT = `#!/bin/sh
cat > /dev/null
if [ -e .agent/once ]; then ralph emit review.done "looked at it"; exit 0; fi
echo evil > src/a.txt; echo evil > new.txt; echo second > "$HOME/.claude/.credentials.json"
touch .agent/once
sleep 60
`;

function toFiles(sandbox: string): Record<string, string> {
  return {
    'ralph.yml': `event_loop: {max_iterations: 1, terminal_events: [review.done], checkpoint_interval: 0}
sandbox: ${sandbox}
on_violation: revert
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
hats:
  reviewer: {triggers: [task.start, task.resume], publishes: [review.done, task.complete], profile: critic}
`,
    'PROMPT.md': 'Look at it.\n',
    'agent.sh': AGENT,
    'src/a.txt': 'a\n',
    '.gitignore': '.agent/\n.ralph/\nhome/\nbin/\ncache/\n',
  };
}

function commit(cwd: string): void {
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@e', ...args], { cwd, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
}

async function killInTurn(cwd: string): Promise<void> {
  const run = start(cwd, ['run', '-q']);
  await until('the turn to be in its middle', () => existsSync(join(cwd, '.agent/once')));
  run.child.kill('SIGKILL');
  await run.done;
}

const read = (cwd: string, path: string): string => readFileSync(join(cwd, path), 'utf8');

describe('a run that was killed in the turn of a hat that may not write', () => {
  it('tells what that turn had changed, takes nothing back, and tells the hat', async () => {
    await withFolder(toFiles('off'), async (cwd) => {
      commit(cwd);
      await killInTurn(cwd);
      const { stdout } = await ralph(cwd, ['resume']);
      expect(stdout).toContain('reviewer may not write, and changed new.txt, src/a.txt. They stand (Ralph died during this turn');
      expect([read(cwd, 'src/a.txt'), read(cwd, 'new.txt')]).toEqual(['evil\n', 'evil\n']);
      expect((await ralph(cwd, ['show', '1'])).stdout).toContain('created new.txt');
      expect((await ralph(cwd, ['show', '2', '--prompt'])).stdout).toContain(
        'You may not change files, and you changed `new.txt`, `src/a.txt`.',
      );
      // The turn that was not killed wrote nothing: what stood already is no change of its own.
      expect(stdout.match(/may not write/g)).toHaveLength(1);
    });
  });

  it.skipIf(SANDBOX.found === null)('left no process, no file and no copy of a login where the sandbox held it', async () => {
    await withFolder(toFiles('required'), async (cwd) => {
      commit(cwd);
      await killInTurn(cwd);
      await until('the agent to be gone', () => findProcesses(cwd).length === 0);
      const { stdout } = await ralph(cwd, ['resume']);
      expect(stdout).toContain('review.done');
      expect(stdout).not.toContain('may not write');
      expect([read(cwd, 'src/a.txt'), existsSync(join(cwd, 'new.txt'))]).toEqual(['a\n', false]);
      const [run = ''] = readdirSync(join(cwd, '.ralph/runs'));
      expect(readdirSync(join(cwd, '.ralph/runs', run, 'private'))).toEqual([]);
    });
  });
});

describe('a run that goes on with a CLI that a probe disproved', () => {
  const toTeam = (sandbox: string): Record<string, string> => ({
    ...toFiles(sandbox),
    'ralph.yml': `event_loop: {max_iterations: 1, terminal_events: [review.done], checkpoint_interval: 0}
sandbox: ${sandbox}
hats:
  reviewer: {triggers: [task.start, task.resume], publishes: [review.done, task.complete], profile: critic, backend: copilot}
`,
    'bin/copilot': '',
  });

  /** What a person has who probed the CLI between the start and the resume of a run. */
  async function goOn(cwd: string) {
    const env = {
      PATH: [join(cwd, 'bin'), process.env['PATH']].join(delimiter),
      HOME: join(cwd, 'home'),
      XDG_CACHE_HOME: join(cwd, 'cache'),
    };
    mkdirSync(join(cwd, 'home'));
    writeFileSync(join(cwd, 'bin/copilot'), '#!/bin/sh\n[ "$1" = --version ] && echo 1.0.2\n');
    chmodSync(join(cwd, 'bin/copilot'), 0o755);
    commit(cwd);
    await ralph(cwd, ['run', '-q'], env);
    const result = judgeProbe({ steps: 9, allSteps: 9, ranTests: true, published: true, failure: null, changed: ['probe-git.txt'] });
    const verdict = {
      v: 2,
      cli: 'copilot',
      version: '1.0.2',
      profile: 'critic',
      at: '2026-11-22T00:00:00.000Z',
      ralph: RALPH_VERSION,
    } as const;
    expect(writeVerdict({ ...verdict, flags: result, os: result }, plainEnvironment(env))).toBe(true);
    return ralph(cwd, ['resume', '--max-iterations', '+1'], env);
  }

  it('says so loudly', async () => {
    await withFolder(toTeam('auto'), async (cwd) => {
      expect((await goOn(cwd)).stderr).toMatch(/WARN: reviewer is worn by copilot 1\.0\.2, which a probe found not to hold/);
    });
  });

  it.skipIf(SANDBOX.found === null)('does not go on where a sandbox is required', async () => {
    await withFolder(toTeam('required'), async (cwd) => {
      const { code, stderr } = await goOn(cwd);
      expect([code, stderr]).toEqual([1, expect.stringContaining('reviewer may not change files, and copilot 1.0.2 lets it')]);
    });
  });
});
