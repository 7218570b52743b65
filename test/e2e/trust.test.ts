import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLANNER_AND_BUILDER, toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';
import { readStatus } from './run-facts.ts';

/** In a namespace of its own a turn can change none of it: see `isolation.test.ts`. */
const RUN = ['run', '-p', 'work', '--no-tui', '-c', 'isolation=off'];

/** The planner works through `ralph emit` as it finds it; the builder does something bad once. */
const toTeam = (bad: string): string => `
case "$RALPH_HAT" in
  planner) "$RALPH_BIN" emit build.task next > emit.log 2>&1; [ "$(nth plan)" -lt 3 ] || echo LOOP_COMPLETE ;;
  builder) [ "$(nth build)" != 1 ] || { ${bad} ; }; date +%N > made.txt; emit build.done ok ;;
esac`;

describe.concurrent('what a turn changes of what Ralph trusts is undone and told with the hat:', () => {
  test('the command, the contract and the settings of the run', async () => {
    const bad = [
      "printf '#!/bin/sh\\necho bad > evil.txt\\n' > .ralph/bin/ralph",
      'for file in .ralph/runs/*/contract.json .ralph/runs/*/settings.json; do echo "{}" > "$file"; done',
    ].join('; ');
    await withPlace(toFiles(PLANNER_AND_BUILDER, toTeam(bad)), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(existsSync(join(folder, 'evil.txt'))).toBe(false);
      const { notices } = await readStatus(folder);
      const told = notices.filter((notice) => notice.code === 'trusted-changed').map((notice) => notice.text);
      expect(told).toHaveLength(1);
      expect(told[0]).toMatch(/^builder changed .*\.ralph\/bin\/ralph, .*contract\.json, .*settings\.json/);
      expect(readFileSync(join(folder, '.ralph/bin/ralph'), 'utf8')).not.toContain('evil');
      expect((await ralph(folder, ['show', '2'])).stdout).toContain('.ralph/bin/ralph');
    });
  });

  test('a filter of git, which is not run and prevents no checkpoint', async () => {
    const bad = [
      "git config filter.x.clean 'touch ran.txt; exit 1'",
      'git config filter.x.required true',
      "echo '* filter=x' > .gitattributes",
    ].join('; ');
    const files = toFiles(`event_loop: { checkpoint_interval: 1 }${PLANNER_AND_BUILDER}`, toTeam(bad));
    await withPlace(files, async (folder) => {
      makeRepository(folder);
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
      const { notices, checkpoints } = await readStatus(folder);
      const told = notices.filter((notice) => notice.code === 'trusted-changed').map((notice) => notice.text);
      expect(told).toHaveLength(1);
      expect(told[0]).toContain('builder changed');
      expect(told[0]).toContain('filter.x.clean');
      expect(checkpoints.filter((entry) => entry.commit !== null).length).toBeGreaterThanOrEqual(2);
      expect(git(folder, 'show', 'HEAD:.gitattributes')).toBe('* filter=x');
    });
  });

  test("a filter of git, which no later run takes for a person's own until it is confirmed", async () => {
    const bad = "git config filter.x.clean 'touch ran.txt; cat'; echo '* filter=x' > .gitattributes";
    const body = `[ "$(nth turn)" != 1 ] || { ${bad} ; }; date +%N > made.txt; echo LOOP_COMPLETE`;
    await withPlace(toFiles('event_loop: { checkpoint_interval: 1 }\n', body), async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, RUN)).code).toBe(0);
      expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
      const held = await ralph(folder, RUN);
      expect(held.code, held.stderr).toBe(0);
      expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
      const confirm = /(rm \S*git-programs\.json)/.exec(held.stderr + held.stdout)?.[1];
      expect(held.stderr + held.stdout).toContain('filter.x.clean');
      expect((await readStatus(folder)).notices.filter((notice) => notice.code === 'trusted-changed')).toEqual([]);
      expect((await sh(folder, confirm ?? 'false')).code, held.stderr).toBe(0);
      expect((await ralph(folder, RUN)).code).toBe(0);
      expect(existsSync(join(folder, 'ran.txt'))).toBe(true);
    });
  });
  test('a filter of git, also where the run is killed before it can look, and where the next one has a worktree', async () => {
    const bad = "git config filter.x.smudge 'touch ran.txt; cat'; git config filter.x.clean 'touch ran.txt; cat'; kill -9 $PPID; sleep 9";
    const body = `git config filter.x.smudge > /dev/null || { ${bad} ; }; date +%N > made.txt; echo LOOP_COMPLETE`;
    const files = toFiles('event_loop: { checkpoint_interval: 1 }\n', body, { '.gitattributes': '* filter=x\n' });
    await withPlace(files, async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, RUN)).code).not.toBe(0);
      expect(git(folder, 'config', 'filter.x.smudge')).toContain('ran.txt');
      for (const more of [[], ['--worktree', 'apart']]) {
        const held = await ralph(folder, [...RUN, ...more]);
        expect(held.code, held.stderr).toBe(0);
        expect([existsSync(join(folder, 'ran.txt')), existsSync(join(folder, '.ralph/worktrees/apart/ran.txt'))]).toEqual([false, false]);
      }
    });
  });

  test('a filter of git, also where the run that was killed could not be resumed', async () => {
    const bad = "git config filter.x.clean 'touch ran.txt; cat'; kill -9 $PPID; sleep 9";
    const body = `git config filter.x.clean > /dev/null || { ${bad} ; }; date +%N > made.txt; echo LOOP_COMPLETE`;
    await withPlace(toFiles('event_loop: { checkpoint_interval: 1 }\n', body, { '.gitattributes': '* filter=x\n' }), async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, RUN)).code).not.toBe(0);
      appendFileSync(join(folder, 'ralph.yml'), 'core: { turn_log_mb: 7 }\n');
      const refused = await ralph(folder, ['resume', '--no-tui']);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--accept-changes')]);
      const held = await ralph(folder, RUN);
      expect([held.code, existsSync(join(folder, 'ran.txt'))], held.stderr).toEqual([0, false]);
    });
  });

  test('a filter of git, also where the run that was killed had a worktree, until it is confirmed', async () => {
    const bad = "git config filter.x.clean 'touch ran.txt; cat'; kill -9 $PPID; sleep 9";
    const body = `git config filter.x.clean > /dev/null || { ${bad} ; }; date +%N > made.txt; echo LOOP_COMPLETE`;
    const files = toFiles('event_loop: { checkpoint_interval: 1 }\n', body, { '.gitattributes': '* filter=x\n' });
    await withPlace(files, async (folder) => {
      makeRepository(folder);
      expect((await ralph(folder, [...RUN, '--worktree', 'apart'])).code).not.toBe(0);
      expect(git(folder, 'config', 'filter.x.clean')).toContain('ran.txt');
      const held = await ralph(folder, RUN);
      expect([held.code, existsSync(join(folder, 'ran.txt'))], held.stderr).toEqual([0, false]);
      rmSync(join(folder, '.ralph/git-programs.json'));
      expect((await ralph(folder, RUN)).code).toBe(0);
      expect(existsSync(join(folder, 'ran.txt'))).toBe(true);
    });
  });
});

describe.concurrent('a run whose journal is lost under it ends, says so, and can go on from what it kept:', () => {
  test.each([
    ['the folder of state removed', 'rm -rf .ralph'],
    ['the folder of runs moved away', 'mv .ralph/runs moved'],
    ['the journal emptied', 'for file in .ralph/runs/*/journal.jsonl; do : > "$file"; done'],
  ])('%s', async (_, bad) => {
    const body = `n=$(nth turn); [ "$n" != 2 ] || { ${bad} ; }; [ "$n" -lt 4 ] || echo LOOP_COMPLETE`;
    await withPlace(toFiles('', body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect([code, stdout]).toEqual([1, expect.stringContaining('storage_failed')]);
      expect(stdout).not.toContain('Free some space');
      const command = /`(mkdir -p .* && ralph resume [\w-]+)`/.exec(stdout.replace(/\n[\d:]+ +/g, ' '))?.[1];
      expect(command, stdout).toBeDefined();
      const bin = join(import.meta.dirname, '../../bin/ralph.js');
      const again = await sh(folder, `${command ?? 'false'} --no-tui`.replace('&& ralph ', `&& '${process.execPath}' '${bin}' `));
      expect(again.code, again.text).toBe(0);
      expect((await readStatus(folder)).turns.length).toBeGreaterThanOrEqual(3);
    });
  });
});

test.each([
  ['removed', 'rm .ralph'],
  ['exchanged for a folder', 'rm .ralph; mkdir -p .ralph/runs/evil'],
  ['exchanged for a folder of rescued runs', 'rm .ralph; mkdir -p .ralph/rescue'],
  ['led elsewhere', 'rm .ralph; mkdir -p evil/runs; ln -s evil .ralph'],
])('a run whose .ralph is a link that an agent has %s leads it back, says whose doing it was, and goes on', async (_, bad) => {
  const body = `n=$(nth turn); [ "$n" != 2 ] || { ${bad} ; echo on; sleep .2; echo and on; }; date +%N > made.txt; [ "$n" -lt 4 ] || echo LOOP_COMPLETE`;
  await withPlace(toFiles('', body), async (folder) => {
    mkdirSync(join(folder, 'state'));
    symlinkSync(join(folder, 'state'), join(folder, '.ralph'));
    const { code, stdout } = await ralph(folder, ['run', '-p', 'work', '--no-tui']);
    expect(code, stdout).toBe(0);
    expect(readlinkSync(join(folder, '.ralph'))).toBe(join(folder, 'state'));
    const { notices } = await readStatus(folder);
    expect(notices.filter((notice) => notice.code === 'trusted-changed').map(({ text }) => text)).toEqual([
      expect.stringContaining(': .ralph. '),
    ]);
    expect(existsSync(join(folder, 'evil/rescue'))).toBe(false);
  });
});

test('a run whose folder was moved goes on in its new place', async () => {
  const body = 'n=$(nth turn); pwd >> places.txt; [ "$n" -lt 2 ] || echo LOOP_COMPLETE';
  await withPlace(toFiles('event_loop: { max_iterations: 1 }\n', body), async (folder) => {
    const before = join(folder, 'before');
    mkdirSync(before);
    for (const file of ['ralph.yml', 'agent.sh']) renameSync(join(folder, file), join(before, file));
    expect((await ralph(before, RUN)).code).toBe(2);
    renameSync(before, join(folder, 'after'));
    const { code, stdout, stderr } = await ralph(join(folder, 'after'), ['resume', '--max-iterations', '+3', '--no-tui']);
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(existsSync(before)).toBe(false);
    expect(readFileSync(join(folder, 'after/places.txt'), 'utf8').trim().split('\n').at(-1)).toMatch(/\/after$/);
  });
});

/** Runs what a person would type. */
function sh(cwd: string, command: string): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, text: `${stdout}${stderr}` }),
    );
  });
}
