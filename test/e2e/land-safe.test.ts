/** What gates run when a run is landed is what agents wrote: it is held as it was in the run. */
import { existsSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findOsSandbox } from '../../src/sandbox/index.ts';
import { git, makeRepository } from './git.ts';
import { makeFolder, ralph } from './ralph.ts';

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A test as an agent could write it. */
const TEST = `echo x > "$MAIN/evil.txt"; echo x > "$REAL_HOME/evil.txt"; [ "$(cat made.txt)" = work ]`;
const AGENT = `#!/bin/sh
cat > /dev/null
echo work > made.txt
cat > test.sh << 'END'
${TEST}
END
echo LOOP_COMPLETE
`;

interface Project {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the test wrote outside of its folder. */
  readonly written: () => readonly string[];
}

async function createRun(...args: readonly string[]): Promise<Project> {
  const cwd = makeFolder({
    'ralph.yml': 'cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\ngates:\n  - on: [task.complete]\n    run: sh test.sh\n',
    'agent.sh': AGENT,
  });
  const home = makeFolder({ '.gitconfig': '[user]\nname = Ann\nemail = ann@example.com\n' });
  folders.push(cwd, home);
  makeRepository(cwd);
  const env = { HOME: home, REAL_HOME: home, MAIN: cwd };
  const run = await ralph(cwd, ['run', '-p', 'work', '--no-tui', ...args], env);
  expect(run.code, run.stdout + run.stderr).toBe(0);
  const evil = [join(cwd, 'evil.txt'), join(home, 'evil.txt')];
  return { cwd, env, written: () => evil.filter(existsSync) };
}

/** A PATH with git and a shell, and nothing that could hold anybody. */
function makeBarePath(): string {
  const bare = makeFolder();
  folders.push(bare);
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  for (const name of ['git', 'sh', 'cat']) {
    const found = onPath.map((folder) => join(folder, name)).find(existsSync);
    if (found !== undefined) symlinkSync(realpathSync(found), join(bare, name));
  }
  return bare;
}

describe('ralph land', () => {
  it.skipIf(SANDBOX.found === null)('holds the gates of a safe run: their programs write nothing outside', async () => {
    const { cwd, env, written } = await createRun('--safe');
    const landed = await ralph(cwd, ['land'], env);
    expect(landed.code, landed.stdout + landed.stderr).toBe(0);
    expect(landed.stdout).toContain('passed  sh test.sh');
    expect([git(cwd, 'show', 'main:made.txt'), git(cwd, 'status', '--porcelain'), written()]).toEqual(['work', '', []]);
  });

  it('lets the gates of a run that was not safe write what the person can', async () => {
    const { cwd, env, written } = await createRun('--worktree', 'open');
    expect(written()).toHaveLength(2);
    for (const path of written()) rmSync(path);
    const landed = await ralph(cwd, ['land'], env);
    expect(landed.code, landed.stdout + landed.stderr).toBe(0);
    expect(written()).toHaveLength(2);
  });

  it.skipIf(SANDBOX.found === null)(
    'is refused for a safe run where nothing can hold its gates any more, and changes nothing',
    async () => {
      const { cwd, env, written } = await createRun('--safe');
      const before = git(cwd, 'for-each-ref') + git(cwd, 'worktree', 'list');
      const refused = await ralph(cwd, ['land'], { ...env, PATH: makeBarePath() });
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('bubblewrap (bwrap) is not installed')]);
      expect(refused.stderr).toContain('The run was safe, and so are its gates');
      expect([git(cwd, 'for-each-ref') + git(cwd, 'worktree', 'list'), written()]).toEqual([before, []]);
    },
  );
});
