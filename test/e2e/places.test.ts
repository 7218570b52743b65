import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLANNER_AND_BUILDER, toAgent, toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { plainEnvironment, RALPH, ralph } from './ralph.ts';
import { readEvents, readStatus, toRoutes } from './run-facts.ts';

const RUN = ['run', '-p', 'work', '--no-tui'];
/** Writes one more file in each of three turns. */
const WRITER = 'n=$(nth turn); echo "$n" > "made-$n.txt"; [ "$n" -lt 3 ] || echo LOOP_COMPLETE';
/** What a test runner left open would count, and be handed on. */
const CLOSE_ALL = 'for fd in $(ls /proc/$$/fd); do [ $fd -lt 3 ] || eval "exec $fd>&-"; done';
const EVERY_TURN = 'event_loop: { checkpoint_interval: 1 }\n';

describe.concurrent('a run works', () => {
  test.runIf(existsSync('/bin/bash'))('with few file descriptors', async () => {
    await withPlace(toFiles('', WRITER), async (folder) => {
      const bounded = ['-c', `${CLOSE_ALL}; ulimit -n 44; exec "$@"`, 'bash', process.execPath, RALPH, ...RUN];
      const { status, stdout, stderr } = spawnSync('/bin/bash', bounded, { cwd: folder, env: plainEnvironment(), encoding: 'utf8' });
      expect([status, stderr.includes('EMFILE')], stdout + stderr).toEqual([0, false]);
    });
  });

  describe.runIf(existsSync('/proc/self/fd') && existsSync('/bin/bash'))('with a file that was open when it began,', () => {
    test.each([
      ['above the limit of descriptors', 128],
      ['the last below the limit', 201],
      ['close below the limit', 204],
      ['far below the limit', 1024],
    ])('%s, and no agent gets it', async (_where, limit) => {
      const look = `${WRITER}; if ls -l /proc/$$/fd | grep -q open.txt; then touch handed-on.txt; fi`;
      await withPlace(toFiles('', look, { 'open.txt': 'theirs\n' }), async (folder) => {
        const bounded = ['-c', `${CLOSE_ALL}; exec 200<open.txt; ulimit -n ${limit}; exec "$@"`, 'bash', process.execPath, RALPH, ...RUN];
        const { status, stdout, stderr } = spawnSync('/bin/bash', bounded, { cwd: folder, env: plainEnvironment(), encoding: 'utf8' });
        expect([status, existsSync(join(folder, 'handed-on.txt'))], stdout + stderr).toEqual([0, false]);
      });
    });
  });

  test('in a folder without git, where what git is for is explained', async () => {
    await withPlace(toFiles(EVERY_TURN, WRITER), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(stdout).not.toMatch(/fatal|error/i);
      const diff = await ralph(folder, ['show', '1', '--diff']);
      expect(diff.code).toBe(1);
      expect(diff.stderr).toContain('git');
      const worktree = await ralph(folder, [...RUN, '--worktree', 'w']);
      expect(worktree.code).not.toBe(0);
      expect(worktree.stderr).toContain('git');
    });
  });

  test('in a repository without commits, and its first commit is a checkpoint', async () => {
    await withPlace(toFiles(EVERY_TURN, WRITER), async (folder) => {
      git(folder, 'init', '-q', '-b', 'main');
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(git(folder, 'ls-tree', '--name-only', 'HEAD').split('\n')).toEqual(['made-1.txt', 'made-2.txt', 'made-3.txt']);
      expect(git(folder, 'log', '--format=%s').split('\n')).toHaveLength(3);
      expect((await ralph(folder, ['show', '2', '--diff'])).stdout).toContain('+2');
    });
  });

  test('during a rebase, which stays as it is: no checkpoint is made', async () => {
    await withPlace(toFiles(EVERY_TURN, WRITER, { 'shared.txt': 'one\n' }), async (folder) => {
      makeRepository(folder);
      git(folder, 'checkout', '-q', '-b', 'side');
      writeFileSync(join(folder, 'shared.txt'), 'side\n');
      git(folder, 'commit', '-qam', 'side');
      git(folder, 'checkout', '-q', 'main');
      writeFileSync(join(folder, 'shared.txt'), 'main\n');
      git(folder, 'commit', '-qam', 'main');
      expect(() => git(folder, 'rebase', 'side')).toThrow();
      const head = git(folder, 'rev-parse', 'HEAD');
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(git(folder, 'rev-parse', 'HEAD')).toBe(head);
      expect(git(folder, 'status')).toContain('rebase in progress');
      const { checkpoints } = await readStatus(folder);
      expect(checkpoints.every((entry) => entry.commit === null)).toBe(true);
      expect(checkpoints[0]?.note).toContain('rebase');
    });
  });

  test('with CRLF in its configuration, its prompt, its events and the files of the repository', async () => {
    const body = `
crlf() { printf '{"topic":"%s","payload":"%s"}\\r\\n' "$1" "$2" >> "$RALPH_EVENTS_FILE"; }
case "$RALPH_HAT" in
  planner) if [ "$(nth plan)" = 1 ]; then crlf build.task one; else printf 'LOOP_COMPLETE\\r\\n'; fi ;;
  builder) printf 'two\\r\\n' >> text.txt; crlf build.done two ;;
esac`;
    const files = toFiles(PLANNER_AND_BUILDER, body, { 'PROMPT.md': '# Task\n\nbuild it\n', 'text.txt': 'one\r\n' });
    const crlf = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, /\.(yml|md)$/.test(name) ? text.replaceAll('\n', '\r\n') : text]),
    );
    await withPlace(crlf, async (folder) => {
      makeRepository(folder);
      git(folder, 'config', 'core.autocrlf', 'true');
      const { code, stdout } = await ralph(folder, ['run']);
      expect(code, stdout).toBe(0);
      const events = await readEvents(folder);
      expect(events.map((event) => event.payload)).toEqual([expect.stringContaining('build it'), 'one', 'two', '']);
      expect((await readStatus(folder)).notices).toEqual([]);
      expect((await ralph(folder, ['show', '2', '--diff'])).stdout).toContain('+two');
      expect(readFileSync(join(folder, 'text.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
    });
  });

  for (const name of ['with spaces', `it's "quoted" $HOME \`x\``, 'ünïcode-日本語', 'line\nend', '-dash', '100%s']) {
    test(`in a folder called ${JSON.stringify(name)}`, async () => {
      await withPlace({}, async (parent) => {
        const folder = join(parent, name);
        mkdirSync(folder);
        const body = 'ralph emit note.taken "here" && echo "$RALPH_EVENTS_FILE" > where.txt; echo LOOP_COMPLETE';
        writeFileSync(join(folder, 'ralph.yml'), 'cli: { command: ./agent.sh }\ngates: [{ run: "test -f where.txt" }]\n');
        writeFileSync(join(folder, 'agent.sh'), toAgent(body));
        chmodSync(join(folder, 'agent.sh'), 0o755);
        makeRepository(folder);
        const { code, stdout, stderr } = await ralph(folder, RUN);
        expect(code, stdout + stderr).toBe(0);
        expect(toRoutes(await readEvents(folder))[1]).toContain('note.taken');
        expect(readFileSync(join(folder, 'where.txt'), 'utf8')).toBe(`${join(folder, '.agent/events.jsonl')}\n`);
        expect((await ralph(folder, ['show', '1', '--diff'])).stdout).toContain('+++ b/where.txt');
      });
    });
  }

  test('from a subfolder of a repository: commands find the run from below it, too', async () => {
    await withPlace({ 'readme.txt': 'top\n', ...prefix('app', toFiles(EVERY_TURN, WRITER)), 'app/src/deep/x.txt': '' }, async (top) => {
      makeRepository(top);
      const { code, stdout } = await ralph(join(top, 'app'), RUN);
      expect(code, stdout).toBe(0);
      expect(git(top, 'status', '--porcelain')).toBe('');
      expect((await ralph(join(top, 'app/src/deep'), ['status'])).stdout).toContain('Completed');
      expect(git(top, 'show', '--name-only', '--format=', 'HEAD')).toBe('app/made-3.txt');
    });
  });

  test('and leaves `git status` clean: .ralph and .agent ignore themselves', async () => {
    await withPlace(toFiles('', 'echo notes > .agent/scratchpad.md; ralph emit x.y z; echo LOOP_COMPLETE'), async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, RUN)).code).toBe(0);
      expect(existsSync(join(folder, '.agent/scratchpad.md'))).toBe(true);
      expect(git(folder, 'status', '--porcelain', '--untracked-files=all')).toBe('');
      git(folder, 'add', '-A');
      expect(git(folder, 'status', '--porcelain')).toBe('');
    });
  });
});

function prefix(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

/** In a namespace of its own a turn cannot remove the folder of state, so not the one around it either. */
const UNISOLATED = 'isolation: off\n';

/** What an agent does to the journal of its run, in the shell. */
const LOSSES = [
  ['cut', 'for j in .ralph/runs/*/journal.jsonl; do head -2 "$j" > y; mv y "$j"; done'],
  ['changed', 'for j in .ralph/runs/*/journal.jsonl; do sed -i s/work/werk/ "$j"; done'],
  ['emptied', 'for j in .ralph/runs/*/journal.jsonl; do : > "$j"; done'],
  ['removed', 'rm .ralph/runs/*/journal.jsonl'],
  ['its folder removed', 'rm -r .ralph/runs/*'],
  ['all runs removed', 'rm -r .ralph/runs'],
] as const;

describe.concurrent('a run says in words', () => {
  test('that its folder is gone, and goes on when it is back', async () => {
    await withPlace({}, async (parent) => {
      const folder = join(parent, 'here');
      mkdirSync(folder);
      writeFileSync(join(folder, 'ralph.yml'), `${UNISOLATED}cli: { command: ./agent.sh }\n`);
      writeFileSync(
        join(folder, 'agent.sh'),
        toAgent('if [ -f moved ]; then echo LOOP_COMPLETE; else touch moved; mv ../here ../away; fi'),
      );
      chmodSync(join(folder, 'agent.sh'), 0o755);
      const { code, stdout } = await ralph(folder, RUN);
      expect(code).toBe(1);
      expect(stdout).toContain('workspace_gone');
      expect(existsSync(folder)).toBe(false);
      renameSync(join(parent, 'away'), folder);
      expect((await readStatus(folder)).end).toMatchObject({ reason: 'workspace_gone' });
      const resumed = await ralph(folder, ['resume']);
      expect(resumed.code, resumed.stderr).toBe(0);
    });
  });

  test('that its folder was removed for good', async () => {
    await withPlace(toFiles(UNISOLATED, 'rm -rf "$PWD"'), async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, RUN);
      expect(code).toBe(1);
      expect(stdout).toContain('workspace_gone');
      expect(stderr).not.toContain('defect');
    });
  });

  test('that an agent removed its journal, with `git clean -x`', async () => {
    await withPlace(toFiles(UNISOLATED, 'git clean -fdxq'), async (folder) => {
      makeRepository(folder);
      const { code, stdout } = await ralph(folder, RUN);
      expect(code).toBe(1);
      expect(stdout).toContain('storage_failed');
      expect(stdout).toContain('the journal of the run is gone');
      // The command for agents may be there again: it is put back before the end of a turn is written down, which is when the loss is seen.
      const left = readdirSync(join(folder, '.ralph'));
      expect([left.includes('rescue'), left.includes('runs')]).toEqual([true, false]);
    });
  });

  for (const [how, lose] of LOSSES) {
    test(`afterwards too how its journal comes back: ${how}`, async () => {
      const body = `if [ "$(nth turn)" = 2 ]; then ${lose}; fi; [ "$(nth turns)" -lt 3 ] || echo LOOP_COMPLETE`;
      await withPlace(toFiles(UNISOLATED, body), async (folder) => {
        const { code, stdout } = await ralph(folder, RUN);
        expect([code, stdout]).toEqual([1, expect.stringContaining('storage_failed')]);
        const wayBack = /`(mkdir -p .+) && ralph resume (\S+)`/.exec(stdout.replace(/\n(?:[\d:]+)?\s+/g, ' '));
        const [command, copy = '', run = ''] = wayBack ?? expect.fail(stdout);
        for (const args of [['status'], ['show'], ['events'], ['runs'], ['resume'], ['resume', run], ['status', run]]) {
          const told = await ralph(folder, args);
          expect([args, told.code, told.stderr]).toEqual([args, args[0] === 'runs' ? 0 : 1, expect.stringContaining(command)]);
        }
        execFileSync('/bin/sh', ['-c', copy], { cwd: folder });
        const resumed = await ralph(folder, ['resume']);
        expect(resumed.code, resumed.stderr).toBe(0);
        expect((await readStatus(folder)).end).toMatchObject({ reason: 'completed' });
        expect((await ralph(folder, ['clean', '--keep', '0'])).code).toBe(0);
        expect((await ralph(folder, ['status'])).stderr).toContain('no run in this folder yet');
      });
    });
  }

  for (const name of ['.ralph', '.agent']) {
    test(`that a file is where ${name} belongs`, async () => {
      await withPlace(toFiles('', 'echo LOOP_COMPLETE', { [name]: 'a file\n' }), async (folder) => {
        const { code, stderr } = await ralph(folder, RUN);
        expect(code).toBe(1);
        expect(stderr).toContain(name);
        expect(stderr).not.toMatch(/defect| at \w+ \(|node:fs/);
        rmSync(join(folder, name), { force: true });
        expect((await ralph(folder, RUN)).code).toBe(0);
      });
    });
  }
});
