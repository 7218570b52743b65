/** A run that went on elsewhere comes home whole: what it changed is shown, undone and committed as if it had never left. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { git } from '../e2e/git.ts';
import { makeFolder, ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { CONFIG, findRun, RUN, setUpFleet } from './scene.ts';

const { server, env, after: atEnd, makeProject, startWorker, waitForHolder } = setUpFleet();

/** Five turns; builders change, make and remove files, and commit where a file `commits` is there. */
const AGENT = `#!/bin/sh
cat > /dev/null
if [ "$RALPH_HAT" = builder ]; then
  if [ -e slow ]; then sleep "$(cat slow)"; fi
  echo "built with $(cat mine.txt)" >> out.txt
  if [ -e old.txt ]; then git rm -qf old.txt; else mkdir -p made && echo made > "made/$(wc -l < out.txt).txt"; fi
  if [ -e commits ]; then git add out.txt made 2> /dev/null; git -c user.name=Ada -c user.email=ada@example.org commit -qm "step $(wc -l < out.txt | tr -d ' ')"; fi
  ralph emit build.done built
elif [ "$(wc -l < out.txt)" -lt 3 ]; then
  ralph emit review.rejected "one line more"
else
  ralph emit LOOP_COMPLETE fine
fi
`;

/** The program that a test stands in front of. */
const GIT = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** Its gate shows more than its verdict. */
const SHOWING = CONFIG.replace('run: test -s out.txt', 'run: grep -n built out.txt');

const toConfig = (interval: number): string => SHOWING.replace('event_loop: {', `event_loop: {checkpoint_interval: ${interval}, `);

const FILES = { 'ralph.yml': SHOWING, 'agent.sh': AGENT, 'old.txt': 'old\n', 'first.txt': 'first\n' };

async function untilState(run: string, state: string): Promise<void> {
  const look = async (): Promise<string | undefined> => {
    const { stdout } = await ralph(tmpdir(), ['fleet', 'runs', '--format', 'json'], env());
    return readJsonLines<{ run: string; state: string }>(stdout).find((kept) => kept.run === run)?.state;
  };
  await expect.poll(look, { timeout: 50_000, interval: 300 }).toBe(state);
}

/** Starts a run on the fleet, and kills its process while a worker has the second builder's turn, or the first one. */
async function lose(folder: string, isLater = false, words: readonly string[] = []): Promise<string> {
  const own = start(folder, [...RUN, ...words, '--fleet', server().url], env());
  await waitForHolder();
  if (isLater) await expect.poll(() => readEvents(folder), { timeout: 30_000, interval: 50 }).toContain('review.rejected');
  await pause(600);
  own.child.kill('SIGKILL');
  await own.done;
  return findRun(folder);
}

function readEvents(folder: string): string {
  try {
    return readFileSync(join(folder, '.ralph', 'runs', findRun(folder), 'journal.jsonl'), 'utf8');
  } catch {
    return '';
  }
}

/** What gates showed: verdicts and whole outputs, by number. */
function readEvidence(folder: string): readonly string[] {
  const kept = join(folder, '.ralph', 'runs', findRun(folder), 'evidence');
  return readdirSync(kept)
    .sort()
    .map((name) => {
      const text = readFileSync(join(kept, name), 'utf8');
      const { number, name: gate, passed, outputBytes } = name.endsWith('.json') ? JSON.parse(text) : {};
      return name.endsWith('.json') ? `${number} ${gate} ${passed} ${outputBytes}` : `${name}: ${text}`;
    });
}

const TURNS = ['1', '2', '3', '4', '5', '6'];

/** What a person is told of what a run changed. */
async function tell(folder: string): Promise<Readonly<Record<string, string>>> {
  const run = findRun(folder);
  const ask = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await ralph(folder, args);
    return (stdout + stderr)
      .replaceAll(run, 'RUN')
      .replaceAll(folder, 'FOLDER')
      .replaceAll(/\b[0-9a-f]{10,40}\b/g, 'ID');
  };
  const review = await ask('review', 'last');
  const said: Record<string, string> = {
    diff: await ask('show', 'last', '--diff'),
    stat: await ask('show', 'last', '--stat'),
    undo: await ask('undo', 'last'),
    later: await ask('undo', 'last', '--to-turn', '3'),
    review: review
      .split('\n')
      .filter((line) => /^ *(?:Changed|Commits|Evidence|Flagged) /.test(line))
      .join('\n'),
    status: git(folder, 'status', '--porcelain'),
    log: git(folder, 'log', '--format=%s'),
  };
  for (const turn of TURNS) said[turn] = await ask('show', 'last', turn, '--diff');
  return said;
}

/** A run that nothing disturbs, and one whose process is lost and that a worker ends. */
async function runBoth(files: Readonly<Record<string, string>>, isLater = false, words: readonly string[] = []) {
  const [here, away] = [makeProject({ ...FILES, ...files }), makeProject({ ...FILES, ...files })];
  const local = await ralph(here, [...RUN, ...words]);
  expect(local.code, local.stdout + local.stderr).toBe(0);
  for (const folder of [here, away]) writeFileSync(join(folder, 'slow'), '2');
  rmSync(join(here, 'slow'));
  await startWorker('homeward');
  const run = await lose(away, isLater, words);
  await untilState(run, 'ended');
  rmSync(join(away, 'slow'));
  const home = await ralph(away, ['resume'], env());
  expect(home.code, home.stdout + home.stderr).toBe(0);
  expect(home.stderr).toContain('The run went on elsewhere');
  return { here, away, home };
}

describe('a run that went on elsewhere and comes home', { timeout: 150_000 }, () => {
  test.each([
    ['in its first turn', false],
    ['later', true],
  ])('is shown and undone, turn by turn and as a whole, as one that nothing disturbed: lost %s', async (_when, isLater) => {
    const { here, away } = await runBoth({}, isLater);
    const [told, wanted] = [await tell(away), await tell(here)];
    expect(told).toEqual(wanted);
    expect(readEvidence(away)).toEqual(readEvidence(here));
    expect(readEvidence(away)).toContain(
      '3.log: 1:built with what nobody committed\n2:built with what nobody committed\n3:built with what nobody committed\n',
    );
    expect(told['3']).toContain('made/2.txt');
    expect(told['review']).toMatch(/Changed +4 files.*old\.txt/);
    expect(told['diff']).toContain('old.txt');
    for (const args of [
      ['undo', '--to-turn', '3', '--yes'],
      ['undo', '--yes'],
      ['undo', '--yes'],
    ])
      for (const folder of [here, away]) {
        const undone = await ralph(folder, args);
        expect(undone.code, undone.stdout + undone.stderr).toBe(0);
      }
    expect(git(away, 'status', '--porcelain')).toBe(git(here, 'status', '--porcelain'));
    expect(git(away, 'for-each-ref', '--format=%(refname)', 'refs/ralph-fleet')).toBe('');
  });

  test('has commits of its agents and checkpoints as commits', async () => {
    const { here, away, home } = await runBoth({ commits: '', 'ralph.yml': toConfig(2) });
    const [told, wanted] = [await tell(away), await tell(here)];
    expect(home.stderr).not.toContain('changed files only');
    expect(told).toEqual(wanted);
    expect(told['log']).toContain('step 3\n');
    expect(told['log']).toContain('ralph: checkpoint after iteration');
    expect(git(away, 'log', '--all', '--format=%s')).toBe(git(away, 'log', '--format=%s'));
  });

  test('ends in its worktree as one that nothing disturbed, and lands', async () => {
    const { here, away } = await runBoth({ 'ralph.yml': toConfig(0) }, true, ['--worktree']);
    const [told, wanted] = [here, away].map((folder) => git(folder, 'log', '--format=%s', `--branches=ralph/*`).split('\n'));
    expect(told).toEqual(wanted);
    expect(told?.[0]).toBe('ralph: Build it');
    expect((await tell(away))['diff']).toBe((await tell(here))['diff']);
    for (const folder of [here, away]) {
      const landed = await ralph(folder, ['land']);
      expect(landed.code, landed.stdout + landed.stderr).toBe(0);
    }
    expect(readFileSync(join(away, 'out.txt'), 'utf8')).toBe(readFileSync(join(here, 'out.txt'), 'utf8'));
  });

  test('has its worktree committed by the next resume, once, where the one that brought it was killed before', async () => {
    const folder = makeProject({ ...FILES, slow: '2', 'ralph.yml': toConfig(0) });
    await startWorker('homeward');
    const run = await lose(folder, true, ['--worktree']);
    await untilState(run, 'ended');
    const slowGit = makeFolder({
      git: `#!/bin/sh\ncase " $* " in *" commit-tree "*"-m ralph: Build it "*) : > "$0.reached"; exec sleep 8;; esac\nexec ${GIT} "$@"\n`,
    });
    chmodSync(join(slowGit, 'git'), 0o755);
    atEnd(async () => rmSync(slowGit, { recursive: true, force: true }));
    const first = start(folder, ['resume'], { ...env(), PATH: `${slowGit}:${process.env['PATH']}` });
    await expect.poll(() => existsSync(join(slowGit, 'git.reached')), { timeout: 30_000, interval: 50 }).toBe(true);
    first.child.kill('SIGKILL');
    await first.done;
    const log = (): string => git(folder, 'log', '--format=%s', '--branches=ralph/*');
    expect([readEvents(folder).includes('LOOP_COMPLETE'), log()]).toEqual([true, git(folder, 'log', '--format=%s')]);
    for (const _ of ['it is mended', 'nothing is left to do']) {
      const again = await ralph(folder, ['resume'], env());
      expect(again.code, again.stdout + again.stderr).toBe(0);
      expect(log()).toBe(`ralph: Build it\n${git(folder, 'log', '--format=%s')}`);
    }
    const landed = await ralph(folder, ['land']);
    expect(landed.code, landed.stdout + landed.stderr).toBe(0);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').match(/^built/gm)).toHaveLength(3);
  });

  test('goes on at home, is lost once more, and comes home once more with all of its commits', async () => {
    const folder = makeProject({ ...FILES, commits: '', slow: '2' });
    await startWorker('homeward');
    const run = await lose(folder, false, ['--max-iterations', '3']);
    await untilState(run, 'free');
    const more = start(folder, ['resume', '--max-iterations', '+9'], env());
    await expect.poll(() => readEvents(folder), { timeout: 30_000, interval: 50 }).toContain('"iteration":5');
    await pause(600);
    more.child.kill('SIGKILL');
    expect((await more.done).stderr).toContain('The run went on elsewhere');
    await untilState(run, 'ended');
    const home = await ralph(folder, ['resume'], env());
    expect([home.code, home.stderr.includes('changed files only')], home.stderr).toEqual([0, false]);
    expect(git(folder, 'log', '--format=%s').match(/^step \d/gm)).toEqual(['step 3', 'step 2', 'step 1']);
    expect((await ralph(folder, ['show', 'last', '--diff'])).stdout.match(/^\+built/gm)).toHaveLength(3);
    for (const turn of ['1', '3', '5']) expect((await ralph(folder, ['show', 'last', turn, '--diff'])).stdout).toContain('+built');
  });

  test('reads on in the files of the folder that it is in: nothing a second time, and nothing is missed', async () => {
    const config = CONFIG.replace('event_loop: {', 'event_loop: {terminal_events: [note.made], ');
    const folder = makeProject({ ...FILES, slow: '3', 'ralph.yml': config });
    // An earlier run has left something in the file of the agents.
    mkdirSync(join(folder, '.agent'));
    writeFileSync(join(folder, '.agent', 'events.jsonl'), '{"topic":"LOOP_COMPLETE","payload":"of an older run"}\n'.repeat(20));
    await startWorker('homeward');
    const note = async (text: string): Promise<void> => {
      const { code, stdout, stderr } = await ralph(folder, ['emit', 'note.made', text]);
      expect(code, stdout + stderr).toBe(0);
    };
    const own = start(folder, [...RUN, '--max-iterations', '3', '--fleet', server().url], env());
    await waitForHolder();
    await note('one');
    await pause(600);
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(folder);
    await untilState(run, 'free');
    await note('two');
    const more = start(folder, ['resume', '--max-iterations', '+9'], env());
    await expect.poll(() => readEvents(folder), { timeout: 30_000, interval: 50 }).toContain('"iteration":5');
    await pause(600);
    more.child.kill('SIGKILL');
    await more.done;
    await untilState(run, 'ended');
    const home = await ralph(folder, ['resume'], env());
    expect(home.code, home.stderr).toBe(0);
    const inputs = readJsonLines<{ input: { problems?: readonly unknown[]; external?: { problems: readonly unknown[] } } }>(
      readEvents(folder),
    );
    expect(inputs.flatMap(({ input }) => [...(input.problems ?? []), ...(input.external?.problems ?? [])])).toEqual([]);
    const events = readJsonLines<{ topic: string; payload?: unknown }>(
      (await ralph(folder, ['events', 'last', '--format', 'json'])).stdout,
    );
    const noted = events.filter(({ topic }) => topic === 'note.made').map(({ payload }) => payload);
    expect([noted, readFileSync(join(folder, 'out.txt'), 'utf8').match(/^built/gm)?.length]).toEqual([['one', 'two'], 3]);
  });

  test('can be shown in the folder of a person who goes on with it elsewhere, with the turns that were taken at home', async () => {
    const folder = makeProject({ ...FILES, slow: '2' });
    await startWorker('homeward', undefined, {}, ['--stand-in', '0']);
    const run = await lose(folder, true);
    const elsewhere = mkdtempSync(join(tmpdir(), 'ralph-elsewhere-'));
    atEnd(async () => rmSync(elsewhere, { recursive: true, force: true }));
    const gone = await ralph(elsewhere, ['resume', run, '--fleet', server().url], env());
    expect(gone.code, gone.stdout + gone.stderr).toBe(0);
    const home = await ralph(folder, ['resume'], env());
    expect(home.code, home.stderr).toBe(0);
    expect(await tell(elsewhere)).toEqual(await tell(folder));
    expect((await ralph(elsewhere, ['show', 'last', '1', '--diff'])).stdout).toContain('old.txt');
  });
});

/** Nothing of what is written before it takes its place. */
const listDrafts = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('.ralph-'));

describe('a turn that comes home', { timeout: 90_000 }, () => {
  test.each([['resume'], ['run']])(
    'leaves nothing behind where its run was killed as it wrote the files: ralph %s tidies up',
    async (next) => {
      const folder = makeProject(FILES);
      await startWorker('sender', undefined, {}, ['--stand-in', '0']);
      const preload = `--import ${fileURLToPath(new URL('killed-rename.mjs', import.meta.url))}`;
      const killed = await start(folder, [...RUN, '--fleet', server().url], { ...env(), NODE_OPTIONS: preload }).done;
      expect(killed.signal).toBe('SIGKILL');
      expect(listDrafts(folder)).toHaveLength(1);
      const { code, stdout, stderr } = await ralph(folder, next === 'run' ? [...RUN, '--fleet', server().url] : ['resume'], env());
      expect(code, stdout + stderr).toBe(0);
      expect([listDrafts(folder), stdout.includes('.tmp')]).toEqual([[], false]);
      expect(readFileSync(join(folder, 'out.txt'), 'utf8').match(/^built/gm)).toHaveLength(3);
    },
  );
});
