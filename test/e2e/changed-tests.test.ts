/**
 * An agent can make a test ask for less. What the tests said when the run began is tried on the work before a completion counts as proven; who changes tests because the
 * task asks for it says so, and people read that first.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { type Finished, ralph, readJsonLines, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

const CONFIG = 'gates: [{ run: sh check.sh }]\nworktree: { link: [node_modules, .env] }\n';
/** Runs every test that is there; it needs what is installed, and a file that git ignores. */
const CHECK = 'cat node_modules/tool/run .env > /dev/null || exit 3\nfor file in test/*.sh; do sh "$file" || exit 1; done\n';
const FILES = {
  'check.sh': CHECK,
  'test/sum.sh': '[ "$(cat sum)" = 2 ] || { echo "sum is $(cat sum), not 2"; exit 1; }\n',
  'test/other.sh': 'true\n',
  sum: '1\n',
  '.gitignore': 'node_modules/\n.env\n',
};
const SOFTEN = 'echo "[ -f sum ]" > test/sum.sh';
const STATE = 'echo "CHANGED_TESTS: the task says that any sum will do"';
const DONE = 'echo LOOP_COMPLETE';

/** A run of two turns at most, unless told otherwise, in a repository. */
async function play(
  body: string,
  look: (folder: string, ended: Finished) => Promise<void> | void,
  { config = CONFIG, args = [], files = {} }: { config?: string; args?: readonly string[]; files?: Record<string, string> } = {},
): Promise<void> {
  await withPlace(toFiles(config, body, { ...FILES, ...files }), async (folder) => {
    prepare(folder);
    const ended = await ralph(folder, ['run', '-p', 'Make the sum right', '--no-tui', '--max-iterations', '2', ...args]);
    await look(folder, ended);
    expect(listCopies(folder)).toEqual([]);
    expect(git(folder, 'worktree', 'list', '--porcelain')).not.toContain('/tests-');
  });
}

function prepare(folder: string): void {
  makeRepository(folder);
  mkdirSync(join(folder, 'node_modules/tool'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/tool/run'), '');
  writeFileSync(join(folder, '.env'), '');
}

const toWorktrees = (folder: string): string => join(folder, '.ralph/worktrees');
const listCopies = (folder: string): readonly string[] =>
  existsSync(toWorktrees(folder)) ? readdirSync(toWorktrees(folder)).filter((name) => name.startsWith('tests-')) : [];

describe.concurrent('an agent that makes a test ask for less', () => {
  test.each([
    ['removes', 'rm -rf .git'],
    ['breaks HEAD of', 'echo garbage > .git/HEAD'],
    ['breaks the settings of', 'echo "[bro" >> .git/config'],
    ['hides the files of', 'git config core.bare true'],
    ['makes unreadable the format of', 'git config core.repositoryformatversion 9'],
  ])('proves nothing where it %s the repository', async (_name, harm) => {
    await withPlace(toFiles(CONFIG, `${SOFTEN}; ${harm}; ${DONE}`, FILES), async (folder) => {
      prepare(folder);
      const { stdout } = await ralph(folder, ['run', '-p', 'Make the sum right', '--no-tui', '--max-iterations', '2', '--in-place']);
      expect(stdout).not.toMatch(/^(\S+ )?Completed after/m);
      expect(stdout).toMatch(/Completed, unproven|Not completed/);
    });
  });

  test.each([
    ['in the folder itself', []],
    ['in a worktree', ['--worktree', 'blue']],
  ])('completes nothing %s, and reads what the test said', async (_name, args) => {
    const body = `${SOFTEN}; printf "%s" "$prompt" > "prompt-$(nth turn)"; ${DONE}`;
    await play(
      body,
      (folder, { code, stdout }) => {
        const work = args.length === 0 ? folder : join(toWorktrees(folder), 'blue');
        expect(code, stdout).toBe(2);
        expect(stdout).toContain(
          'sh check.sh passed, but that does not count: with the tests as they were at the start (test/sum.sh) it fails.',
        );
        const prompt = readFileSync(join(work, 'prompt-2'), 'utf8');
        expect(prompt).toMatch(/tests that the run changed \(test\/sum\.sh\)[\s\S]*CHANGED_TESTS:[\s\S]*sum is 1, not 2/);
        expect(prompt).not.toContain('tests-2');
        expect([readFileSync(join(work, 'test/sum.sh'), 'utf8'), readFileSync(join(work, 'sum'), 'utf8')]).toEqual(['[ -f sum ]\n', '1\n']);
      },
      { args },
    );
  });

  test.each([
    ['by removing it', 'rm -f test/sum.sh'],
    ['by moving what is left of it', 'test -e test/sum.sh && { rm test/sum.sh; echo "[ -f sum ] # 2" > test/total.sh; }'],
    ['by an index that hides it', `${SOFTEN}; git update-index --skip-worktree test/sum.sh`],
  ])('completes nothing %s', async (_name, deed) => {
    await play(`${deed}; ${DONE}`, (_folder, { code, stdout }) => {
      expect([code, stdout]).toEqual([2, expect.stringContaining('(test/sum.sh) it fails')]);
    });
  });

  test('completes nothing by removing it where only another gate may run fewer tests', async () => {
    const config = "gates: [{ run: sh check.sh }, { run: 'true', fewer_tests: allow }]\n";
    await play(
      `rm -f test/sum.sh; ${DONE}`,
      (_folder, { code, stdout }) => expect([code, stdout]).toEqual([2, expect.stringContaining('(test/sum.sh) it fails')]),
      { config },
    );
  });

  test('is refused for good where it goes on so', async () => {
    await play(`${SOFTEN}; ${DONE}`, (_folder, { stdout }) => expect(stdout).toContain('Not completed (gate_refused)'), {
      args: ['--max-iterations', '20'],
    });
  });

  test('completes once it has mended the work', async () => {
    const body = `${SOFTEN}; case "$prompt" in *"tests that the run changed"*) echo 2 > sum ;; esac; ${DONE}`;
    await play(body, (_folder, { code, stdout }) => {
      expect([code, stdout]).toEqual([0, expect.stringContaining('Completed after 2 iterations')]);
      expect(stdout).toContain('also with the tests of the start');
    });
  });
});

describe.concurrent('an agent that changes a test because the task asks for it', () => {
  test('says so and ends the run unproven, which every face tells first', async () => {
    const body = `${SOFTEN}; case "$prompt" in *CHANGED_TESTS:*) ${STATE} ;; esac; ${DONE}`;
    await play(body, async (folder, { code, stdout }) => {
      const why = /Flagged +sh check\.sh fails with the tests as they were at the start \(test\/sum\.sh\); ralph says/;
      expect([code, stdout]).toEqual([0, expect.stringMatching(/Completed, unproven after 2 iterations.*\n/)]);
      expect(stdout.split('Completed, unproven')[1]?.split('\n')[1]).toMatch(why);
      expect((await ralph(folder, ['review'])).stdout).toMatch(why);
      expect((await ralph(folder, ['status'])).stdout).toMatch(why);
      const proof = { isProven: false, reason: 'sh check.sh passes only with tests that the run changed (test/sum.sh)' };
      expect(await readStatus(folder)).toMatchObject({ proof });
    });
  });

  test('lands, and the landing says what is doubtful about it', async () => {
    const args = ['--worktree', 'blue'];
    await play(
      `${SOFTEN}; ${STATE}; ${DONE}`,
      async (folder) => {
        const { code, stdout } = await ralph(folder, ['land', '--clean']);
        expect([code, stdout]).toEqual([
          0,
          expect.stringMatching(/Flagged +unproven: sh check\.sh passes only with tests that the run changed/),
        ]);
        expect(stdout.indexOf('Flagged')).toBeLessThan(stdout.indexOf('has landed'));
      },
      { args },
    );
  });

  test('tells programs of it', async () => {
    await play(
      `${SOFTEN}; ${STATE}; ${DONE}`,
      (_folder, { code, stdout }) => {
        const lines = readJsonLines<{ kind: string }>(stdout);
        expect([code, lines.at(-1)]).toMatchObject([0, { kind: 'end', reason: 'completed', proof: { isProven: false } }]);
        const startTests = { outcome: 'failed', changed: ['test/sum.sh'], total: 1 };
        expect(stdout).toContain(JSON.stringify(startTests).slice(1, -1));
      },
      { args: ['--format', 'ndjson'] },
    );
  });

  test('needs to say nothing where a person allows it', async () => {
    await play(
      `${SOFTEN}; ${DONE}`,
      (_folder, { code, stdout }) => {
        expect([code, stdout]).toEqual([0, expect.stringContaining('Completed after 1 iteration')]);
        expect(stdout).toMatch(/Flagged +tests changed by the run: test\/sum\.sh/);
      },
      { config: `changed_tests: allow\n${CONFIG}` },
    );
  });

  test('needs to say nothing once a person allows it for a run that goes on', async () => {
    const body = `echo "true" > test/sum.sh; ${DONE}`;
    await withPlace(toFiles('', body, { 'test/sum.sh': 'exit 1', Makefile: '.PHONY: test\ntest:\n\tsh test/sum.sh\n' }), async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1'])).code).toBe(2);
      writeFileSync(join(folder, 'ralph.yml'), `${readFileSync(join(folder, 'ralph.yml'), 'utf8')}changed_tests: allow\n`);
      expect((await ralph(folder, ['resume', '--max-iterations', '+1'])).stderr).toContain('this has changed: changed_tests.');
      const { code, stdout } = await ralph(folder, ['resume', '--max-iterations', '+1', '--accept-changes']);
      expect([code, stdout]).toEqual([0, expect.stringContaining('Completed after 2 iterations')]);
    });
  });

  test.each([
    ['asks for more', 'echo 2 > sum; echo "[ -s sum ]" >> test/sum.sh'],
    ['is elsewhere', 'echo 2 > sum; mv test/sum.sh test/total.sh'],
    ['is new', 'echo 2 > sum; echo "[ -s sum ]" > test/new.sh'],
  ])('needs to say nothing where the test %s', async (_name, deed) => {
    await play(`${deed}; ${DONE}`, (_folder, { code, stdout }) => {
      expect([code, stdout]).toEqual([0, expect.stringContaining('Completed after 1 iteration')]);
    });
  });
});

test.concurrent('what fails in any copy of the folder is told, and proves nothing', async () => {
  const check = `case "$PWD" in */tests-*) echo "this is not home"; exit 1 ;; esac\n${CHECK}`;
  await play(
    `echo 2 > sum; ${SOFTEN}; ${DONE}`,
    (_folder, { code, stdout }) => {
      expect([code, stdout]).toEqual([0, expect.stringContaining('Completed, unproven after 1 iteration')]);
      expect(stdout).toMatch(/Flagged +sh check\.sh passed, but could not be checked with the tests from the start/);
    },
    { files: { 'check.sh': check } },
  );
});

test.concurrent.each(['off', 'auto'])(
  'a gate that installs packages anew in the copy leaves those of the person (isolation: %s)',
  async (isolation) => {
    // In the folder itself nothing is removed, so what is gone went from the copy.
    const check = `case "$PWD" in */tests-*) rm -rf node_modules/tool/*; echo x > node_modules/tool/new ;; esac\nfor file in test/*.sh; do sh "$file" || exit 1; done\n`;
    await play(
      `echo 2 > sum; echo "[ -s sum ]" >> test/sum.sh; ${DONE}`,
      (folder, { code, stdout }) => {
        expect([code, stdout]).toEqual([0, expect.stringContaining('also with the tests of the start')]);
        expect(readdirSync(join(folder, 'node_modules/tool'))).toEqual(['run']);
      },
      { config: `isolation: ${isolation}\n${CONFIG}`, files: { 'check.sh': check } },
    );
  },
);

test.concurrent('outside of git tests are not compared', async () => {
  await withPlace(toFiles(CONFIG, `${SOFTEN}; ${DONE}`, { ...FILES, 'check.sh': 'sh test/sum.sh' }), async (folder) => {
    const { code, stdout } = await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Completed after 1 iteration')]);
    expect(stdout).not.toContain('of the start');
  });
});

describe.concurrent('a run that is killed while the tests of the start are tried', () => {
  const slow = `case "$PWD" in */tests-*) touch ../../../asked; [ -e ../../../again ] || sleep 1000 ;; esac\n${CHECK}`;
  const killThere = async (folder: string): Promise<void> => {
    prepare(folder);
    const run = start(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '2']);
    await until('the tests of the start to be tried', () => existsSync(join(folder, 'asked')));
    run.child.kill('SIGKILL');
    await run.done;
    expect(listCopies(folder)).toHaveLength(1);
    writeFileSync(join(folder, 'again'), '');
  };
  // Marks of these tests are no work.
  const files = { ...FILES, 'check.sh': slow, '.gitignore': 'node_modules/\n.env\nasked\nagain\n' };
  // In the sandbox of a machine with namespaces a gate cannot write beside its copy.
  const config = `isolation: off\n${CONFIG}`;

  test('tries them again when it goes on, and leaves nothing', async () => {
    await withPlace(toFiles(config, `${SOFTEN}; ${DONE}`, files), async (folder) => {
      await killThere(folder);
      const { code, stdout } = await ralph(folder, ['resume']);
      expect([code, stdout]).toEqual([2, expect.stringContaining('(test/sum.sh) it fails')]);
      expect([listCopies(folder), findProcesses(folder)]).toEqual([[], []]);
    });
  });

  test('leaves nothing to the next run either', async () => {
    await withPlace(toFiles(config, `${SOFTEN}; ${DONE}`, files), async (folder) => {
      await killThere(folder);
      await ralph(folder, ['run', '-p', 'y', '--no-tui', '--max-iterations', '1']);
      expect([listCopies(folder), findProcesses(folder)]).toEqual([[], []]);
      expect(git(folder, 'worktree', 'list').split('\n')).toHaveLength(1);
    });
  });
});
