/** Safe runs: an agent, and what a gate runs, that try everything; and systems on which nothing could hold them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findOsSandbox } from '../../src/sandbox/index.ts';
import { git, makeRepository } from './git.ts';
import { makeFolder, ralph } from './ralph.ts';
import { readStatus } from './run-facts.ts';

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * Tries what must not work, and writes what came of it into `NAME.txt` of the worktree. A write in a folder that is hidden may seem to work: it goes into one of the turn's own.
 */
const ATTACK = `
attack() {
  cat "$REAL_HOME/.ssh/id_ed25519" && echo "read the key"
  cat ~/.ssh/id_ed25519 && echo "read the key at home"
  echo x > "$MAIN/evil.txt"
  echo x > "$REAL_HOME/evil.txt"
  echo x > "$MAIN/.git/hooks/pre-commit" && echo "wrote a hook"
  git config core.fsmonitor ./evil.sh && echo "wrote git's configuration"
  git update-ref refs/heads/main HEAD~0 && git branch evil && echo "made another branch"
  echo "$MAIN/.git" > .git && echo "led its worktree elsewhere"
  rm -f "$MAIN"/.git/objects/pack/* 2> /dev/null; [ -z "$(ls "$MAIN"/.git/objects/pack/*.pack 2> /dev/null)" ] && echo "removed packed objects"
  [ -z "$DEPLOY_TOKEN" ] || echo "has a token"
  true
}
attack > "$NAME.txt" 2> "$NAME.err"
`;
const AGENT = `#!/bin/sh
cat > /dev/null
NAME=agent
${ATTACK}
echo work > made.txt
git add made.txt && { git diff --cached --quiet || git commit -qm "the work" || echo "could not commit" >> agent.txt; }
echo LOOP_COMPLETE
`;

interface Project {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function createProject(more = ''): Project {
  const cwd = makeFolder({
    'ralph.yml': `cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\ngates:\n  - on: [task.complete]\n    run: ./gate.sh\n${more}`,
    'agent.sh': AGENT,
    'gate.sh': `#!/bin/sh\nNAME=gate\n${ATTACK}\ntest -f made.txt\n`,
    '.gitignore': '*.err\n',
  });
  const home = makeFolder({ '.ssh/id_ed25519': 'PRIVATE KEY\n', '.gitconfig': '[user]\nname = Ann\nemail = ann@example.com\n' });
  folders.push(cwd, home);
  makeRepository(cwd);
  git(cwd, 'repack', '-adq');
  return { cwd, env: { HOME: home, REAL_HOME: home, MAIN: cwd, DEPLOY_TOKEN: 'tok_0123456789abcdefgh' } };
}

/** Those that are none of the run's. */
function listRefs(cwd: string): readonly string[] {
  return git(cwd, 'for-each-ref')
    .split('\n')
    .filter((line) => !/refs\/(?:heads\/)?ralph\//.test(line));
}

describe('a safe run', () => {
  it.skipIf(SANDBOX.found === null)('lets agents and gates work and commit, and reach nothing else', async () => {
    const { cwd, env } = createProject();
    const before = [listRefs(cwd), readFileSync(join(cwd, '.git/config'), 'utf8')];
    const { code, stdout, stderr } = await ralph(cwd, ['run', '-p', 'Do the work', '--safe', '--no-tui'], env);
    expect(code, stdout + stderr).toBe(0);
    const { runId } = await readStatus(cwd);
    const tree = join(cwd, `.ralph/worktrees/${runId}-do-the-work`);
    expect([readFileSync(join(tree, 'agent.txt'), 'utf8'), readFileSync(join(tree, 'gate.txt'), 'utf8')]).toEqual(['', '']);
    expect(git(tree, 'log', '--format=%s|%an')).toBe('ralph: Do the work|Ann\nthe work|Ann\nfirst|Ann');
    expect([listRefs(cwd), readFileSync(join(cwd, '.git/config'), 'utf8')]).toEqual(before);
    expect(
      [join(cwd, 'evil.txt'), join(env['REAL_HOME'] ?? '', 'evil.txt'), join(cwd, '.git/hooks/pre-commit')].filter(existsSync),
    ).toEqual([]);
    expect(stdout).toContain('safe: agents and gates write in their worktree only');
    expect(stdout).toContain('no limit of cost');
    expect(stderr).toMatch(/do not get what looks like a secret: .*DEPLOY_TOKEN/);
  });

  it.skipIf(SANDBOX.found === null)('is what `ralph init` writes down in a repository', async () => {
    const { cwd, env } = createProject();
    git(cwd, 'rm', '-q', 'ralph.yml');
    git(cwd, 'commit', '-qm', 'second');
    const init = await ralph(cwd, ['init', '--task', 'Do the work', '--gate', './gate.sh'], env);
    expect(init.stdout).toContain('each run gets a git worktree of its own, and its agents are confined to it (safe)');
    const agent = ['-c', 'cli.backend=custom', '-c', 'cli.command=./agent.sh', '-c', 'cli.prompt_mode=stdin'];
    const { code, stdout, stderr } = await ralph(cwd, ['run', '--no-tui', ...agent], env);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain('safe: agents and gates write in their worktree only');
    expect(stderr).not.toContain('uncommitted');
    expect((await ralph(cwd, ['run', '--no-safe', '--in-place', '--no-tui', ...agent], env)).stdout).toContain(
      'agents can read and change',
    );
  });

  it.skipIf(SANDBOX.found === null).each([
    ['the HEAD of its worktree', `echo "ref: refs/heads/main" > "$OWN/HEAD"`],
    ['its own branch', `echo "ref: refs/heads/release" > "$MAIN/.git/refs/heads/ralph/$(basename "$PWD")"`],
    ['the log of its HEAD', `rm "$OWN/logs/HEAD"; ln -s "$REAL_HOME/log" "$OWN/logs/HEAD"`],
  ])('has no other branch moved and no file outside written where an agent rewrites %s', async (_, deed) => {
    const { cwd, env } = createProject('event_loop: {checkpoint_interval: 1}\n');
    const agent = `#!/bin/sh\ncat > /dev/null\nOWN="$MAIN/.git/worktrees/$(basename "$PWD")"\n${deed}\necho work > made.txt\necho LOOP_COMPLETE\n`;
    writeFileSync(join(cwd, 'agent.sh'), agent);
    git(cwd, 'commit', '-qam', 'second');
    git(cwd, 'branch', 'release');
    const log = join(env['REAL_HOME'] ?? '', 'log');
    writeFileSync(log, '');
    const before = listRefs(cwd);
    const { code, stdout, stderr } = await ralph(cwd, ['run', '-p', 'work', '--safe', '--no-tui'], env);
    expect(code, stdout + stderr).toBe(0);
    expect([listRefs(cwd), readFileSync(log, 'utf8')]).toEqual([before, '']);
  });

  it.skipIf(SANDBOX.found === null)('shows and keeps nothing of a file outside that an agent leads a protected file to', async () => {
    const { cwd, env } = createProject('protect: [prot]\n');
    const agent = `#!/bin/sh\ncat > prompt.err\n[ ! -L prot/x ] || cp prompt.err told.txt\nrm prot/x; ln -s "$REAL_HOME/.ssh/id_ed25519" prot/x\ntouch made.txt\necho LOOP_COMPLETE\n`;
    writeFileSync(join(cwd, 'agent.sh'), agent);
    mkdirSync(join(cwd, 'prot'));
    writeFileSync(join(cwd, 'prot/x'), 'mine\n');
    git(cwd, 'add', '.');
    git(cwd, 'commit', '-qm', 'second');
    const { code, stdout, stderr } = await ralph(cwd, ['run', '-p', 'work', '--safe', '--no-tui', '--max-iterations', '2'], env);
    expect(code, stdout + stderr).toBe(2);
    const { runId } = await readStatus(cwd);
    expect(readFileSync(join(cwd, `.ralph/worktrees/${runId}-work/told.txt`), 'utf8')).toContain(
      `changed: prot/x (it was a file, now a symbolic link to ${env['REAL_HOME']}/.ssh/id_ed25519)`,
    );
    const kept = readdirSync(join(cwd, '.ralph'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(kept.filter((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').includes('PRIVATE KEY'))).toEqual([]);
    expect(stdout + stderr).not.toContain('PRIVATE KEY');
  });

  it.skipIf(SANDBOX.found === null)('stays one when it goes on', async () => {
    const { cwd, env } = createProject();
    writeFileSync(join(cwd, 'agent.sh'), AGENT.replace('echo LOOP_COMPLETE', '[ ! -f second ] || echo LOOP_COMPLETE; touch second'));
    git(cwd, 'commit', '-qam', 'second');
    const first = await ralph(cwd, ['run', '-p', 'work', '--safe', '--max-iterations', '1', '-q'], env);
    expect(first.code, first.stdout + first.stderr).toBe(2);
    const { code, stdout, stderr } = await ralph(cwd, ['resume', '--max-iterations', '+2', '--no-tui'], env);
    expect(code, stdout + stderr).toBe(0);
    const { runId } = await readStatus(cwd);
    expect(readFileSync(join(cwd, `.ralph/worktrees/${runId}-work/agent.txt`), 'utf8')).toBe('');
  });

  it('is refused where nothing can hold it, and nothing is left behind', async () => {
    const { cwd, env } = createProject();
    const bare = makeFolder();
    folders.push(bare);
    const refused = await ralph(cwd, ['run', '-p', 'work', '--safe'], { ...env, PATH: bare });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('bubblewrap (bwrap) is not installed');
    expect(refused.stderr).toContain('ralph run --no-safe');
    expect(existsSync(join(cwd, '.ralph/worktrees'))).toBe(false);
  });

  it.skipIf(SANDBOX.found === null).each([
    ['in the folder itself', 'workspace: in_place\n', '`workspace: in_place`'],
    ['without a sandbox', 'sandbox: off\n', '`sandbox: off` lets every hat go free'],
    ['with a gate in the open', '    isolation: off\n', 'the gate ./gate.sh is to run in the open'],
  ])('is refused %s', async (_, more, words) => {
    const { cwd, env } = createProject(more);
    const refused = await ralph(cwd, ['run', '-p', 'work', '--safe'], env);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it.skipIf(SANDBOX.found === null)('is refused without a repository that has a commit', async () => {
    const { cwd, env } = createProject();
    rmSync(join(cwd, '.git'), { recursive: true });
    const none = await ralph(cwd, ['run', '-p', 'work', '--safe'], env);
    mkdirSync(join(cwd, '.git'), { recursive: true });
    rmSync(join(cwd, '.git'), { recursive: true });
    git(cwd, 'init', '-q');
    const empty = await ralph(cwd, ['run', '-p', 'work', '--safe'], env);
    for (const { code, stderr } of [none, empty])
      expect([code, stderr]).toEqual([2, expect.stringContaining('no git repository with a commit')]);
  });

  it('is none without being asked for, and the first lines say what agents can reach', async () => {
    const { cwd, env } = createProject();
    const { stdout } = await ralph(cwd, ['run', '-p', 'work', '--worktree', 'open', '--no-tui', '--max-iterations', '1'], env);
    const done = readFileSync(join(cwd, '.ralph/worktrees/open/agent.txt'), 'utf8');
    for (const deed of [
      'read the key',
      'wrote a hook',
      "wrote git's configuration",
      'made another branch',
      'removed packed objects',
      'has a token',
    ])
      expect(done).toContain(deed);
    expect(stdout).toContain('agents can read and change whatever you can');
    expect(stdout.indexOf('Reach')).toBeLessThan(stdout.indexOf('Limits'));
  });
});
