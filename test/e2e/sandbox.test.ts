/** A whole run whose only hat may not write and tries to: with the sandbox of the operating system where it is there, and without. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { findOsSandbox } from '../../src/sandbox/index.ts';
import { makeFolder, plainEnvironment, RALPH, ralph as run } from './ralph.ts';

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const AGENT = `#!/bin/sh
cat > /dev/null
echo evil > src/a.txt; echo evil > new.txt; git config a.b c; git branch evil
npm test --silent && echo "tests ran"
ralph emit review.done "looked at it"
`;
const CONFIG = `event_loop: {max_iterations: 1, terminal_events: [review.done]}
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: []
hats:
  reviewer:
    triggers: [task.start, task.resume]
    publishes: [review.done, task.complete]
    profile: critic
`;

function createProject(more: string): string {
  const cwd = makeFolder({
    'ralph.yml': `${CONFIG}${more}`,
    'PROMPT.md': 'Look at it.\n',
    'agent.sh': AGENT,
    'src/a.txt': 'a\n',
    '.gitignore': '.agent/\n.ralph/\ncoverage/\n',
    'package.json': JSON.stringify({ scripts: { test: 'mkdir -p coverage && echo 1 > coverage/c' } }),
  });
  folders.push(cwd);
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@e', ...args], { cwd, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return cwd;
}

const left = (cwd: string): string =>
  execFileSync('sh', ['-c', 'git status --short; git branch --format="%(refname:short)"; git config a.b; cat src/a.txt'], {
    cwd,
    encoding: 'utf8',
  });
const UNTOUCHED = 'main\na\n';

describe('a hat that may not write', () => {
  it.skipIf(SANDBOX.found === null)('cannot, runs the tests and hands its work on, in the sandbox', async () => {
    const cwd = createProject('sandbox: required\n');
    const { stdout } = await run(cwd, ['run']);
    expect(left(cwd)).toBe(UNTOUCHED);
    expect([stdout.includes('tests ran'), stdout.includes('review.done'), readFileSync(join(cwd, 'coverage/c'), 'utf8')]).toEqual([
      true,
      true,
      '1\n',
    ]);
    expect(stdout).not.toContain('scope_violation');
  });

  it.skipIf(SANDBOX.found === null)('asks people from within the sandbox, and has the answer', async () => {
    const cwd = createProject('sandbox: required\nhuman: {ask: on}\n');
    const asks = `cat > /dev/null\nralph emit review.done "$(ralph ask 'Drop it?' --choices drop,keep --default keep)"\n`;
    writeFileSync(join(cwd, 'agent.sh'), `#!/bin/sh\n${asks}`, { mode: 0o755 });
    execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@e', 'commit', '-qam', 'ask'], { cwd });
    const ended = run(cwd, ['run']);
    await vi.waitFor(async () => expect((await run(cwd, ['asks'])).stdout).toContain('Drop it?'), { timeout: 20_000, interval: 200 });
    expect((await run(cwd, ['answer', 'drop'])).code).toBe(0);
    expect((await ended).stdout).toMatch(/review\.done.*drop/);
  });

  it('is found out without a sandbox, and what it changed is kept for people', async () => {
    const cwd = createProject('sandbox: off\n');
    const { stdout } = await run(cwd, ['run']);
    expect(stdout).toContain('reviewer may not write, and changed');
    const shown = await run(cwd, ['show', '1']);
    for (const line of ['created new.txt', 'changed src/a.txt', 'ref refs/heads/evil', 'git .git/config', 'still there'])
      expect(shown.stdout).toContain(line);
    const [id = ''] = readdirSync(join(cwd, '.ralph/runs'));
    expect(readFileSync(join(cwd, '.ralph/runs', id, 'turns/1.1/scope.diff'), 'utf8')).toContain('+evil');
  });

  it.each([
    ['the whole project', 'sandbox: required\n', 1],
    ['one hat', '    sandbox: required\n', 1],
    ['nobody', '', 0],
  ])('is foretold by `ralph doctor --sandbox`, where there is no sandbox and it is required for %s', async (_, more, code) => {
    const cwd = createProject(more);
    const path = { PATH: join(cwd, 'empty') };
    const doctor = await run(cwd, ['doctor', '--sandbox'], path);
    expect([doctor.code, doctor.stdout.includes('A run is refused.')]).toEqual([code, code === 1]);
    expect((await run(cwd, ['run'], path)).stderr.includes('A sandbox is required for reviewer')).toBe(code === 1);
  });

  it('has its changes taken back where that is wanted', async () => {
    const cwd = createProject('sandbox: off\non_violation: revert\n');
    await run(cwd, ['run']);
    expect(left(cwd)).toBe(UNTOUCHED);
  });

  it.skipIf(SANDBOX.found === null)('gets no folder that was open where Ralph was started', async () => {
    const cwd = createProject('sandbox: required\n');
    writeFileSync(join(cwd, 'agent.sh'), AGENT.replace('echo evil >', 'echo evil > /proc/self/fd/60/src/a.txt; echo evil >'));
    execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@e', 'commit', '-qam', 'second'], { cwd });
    spawnSync('bash', ['-c', 'exec 60<.; exec "$0" "$1" run -q', process.execPath, RALPH], {
      cwd,
      env: plainEnvironment(),
      stdio: 'ignore',
    });
    expect(left(cwd)).toBe(UNTOUCHED);
  });

  it('does not begin where a sandbox is required and not there', async () => {
    const cwd = createProject('sandbox: required\n');
    const bare = (process.env['PATH'] ?? '').split(':').filter((folder) => !['/usr/bin', '/bin', '/usr/local/bin'].includes(folder));
    const { code, stderr } = await run(cwd, ['run'], { PATH: bare.join(':') || '/nonexistent' });
    expect(stderr).toContain('A sandbox is required for reviewer');
    expect(code).toBe(2);
  });
});
