/** Runs of a fleet that are looked at from another folder, as from another machine: a copy that follows, and goes away. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Finished, ralph, type Started, start } from '../e2e/ralph.ts';
import { RUN, setUpFleet } from './scene.ts';

const { server, env, after, makeProject, startWorker } = setUpFleet();

interface Place {
  readonly folder: string;
  /** Folders of copies that are there. */
  readonly copies: () => readonly string[];
  readonly look: (...words: string[]) => Promise<Finished>;
  readonly start: (...words: string[]) => Started;
}

/** A folder in which nothing is, with caches of its own. */
function goElsewhere(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-elsewhere-'));
  after(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const cache = join(folder, '.cache');
  const own = { ...env(), XDG_CACHE_HOME: cache };
  const watched = join(cache, 'ralph', 'watched');
  return {
    folder,
    copies: () => (existsSync(watched) ? readdirSync(watched).map((name) => join(watched, name)) : []),
    look: (...words) => ralph(folder, [...words, '--fleet'], own),
    start: (...words) => endAfter(start(folder, [...words, '--fleet'], own)),
  };
}

const findRun = (folder: string): string => readdirSync(join(folder, '.ralph', 'runs'))[0] ?? '';
const begin = (folder: string): Started => endAfter(start(folder, [...RUN, '--fleet', server().url], env()));

/** A test that fails leaves nothing behind. */
function endAfter(started: Started): Started {
  after(async () => {
    started.child.kill('SIGKILL');
    await started.done;
  });
  return started;
}

/** Talks for as long as \`slow\` says, in tenths of a second. */
const AGENT = `#!/bin/sh
cat > /dev/null
echo "at work as $RALPH_HAT"
if [ "$RALPH_HAT" = builder ]; then
  i=0
  while [ $i -lt "$(cat slow)" ]; do i=$((i+1)); echo "step $i"; sleep 0.1; done
  echo built >> out.txt
  ralph emit build.done built
else
  ralph emit LOOP_COMPLETE fine
fi
`;

describe('a run of a fleet, seen from another folder', () => {
  test('is shown, listed and followed as where it is, and nothing stays of it', async () => {
    const [home, away] = [makeProject({ 'agent.sh': AGENT, slow: '40' }), goElsewhere()];
    await startWorker('one', undefined, {}, ['--stand-in', '0']);
    const run = begin(home);
    await run.says('step 2');
    const [events, output, prompt, status, asks] = await Promise.all([
      away.look('events', '--follow', '--format', 'json'),
      away.look('show', '--follow'),
      away.look('show', '1', '--prompt'),
      away.look('status'),
      away.look('asks'),
    ]);
    const { code, stdout, stderr } = await run.done;
    expect(code, stdout + stderr).toBe(0);
    expect([events.code, output.code, status.code, asks.code]).toEqual([0, 0, 0, 0]);
    expect(prompt.stdout, prompt.stderr).toContain('You wear the hat builder');
    expect(status.stdout).toContain('is running');
    expect(asks.stdout).toContain('asks nothing');
    // Also what was said before anybody looked.
    expect(output.stdout).toContain('at work as builder\nstep 1\nstep 2\n');
    expect(output.stdout).toContain('step 39\nstep 40\n');
    expect(output.stdout).toContain('at work as reviewer');
    const own = await ralph(home, ['events', '--format', 'json']);
    expect(events.stdout).toBe(own.stdout);
    for (const words of [['show'], ['show', '1', '--output'], ['review', '--format', 'json']]) {
      const [there, here] = [await away.look(...words), await ralph(home, words)];
      expect([there.code, here.code], there.stderr).toEqual([0, 0]);
      if (words.length === 3 && words[0] === 'show') expect(there.stdout).toBe(here.stdout);
    }
    expect((await away.look('report', '-o', 'run.html')).stdout).toContain('Written: run.html');
    expect(statSync(join(away.folder, 'run.html')).size).toBeGreaterThan(10_000);
    expect((await away.look('show', '1', '--diff')).stderr).toContain('changed is not here.');
    expect([away.copies(), existsSync(join(away.folder, '.ralph'))]).toEqual([[], false]);
  });

  test('is a copy that nobody can take for the run, and that goes away with whoever made it, however that ends', async () => {
    const [home, away] = [makeProject({ 'agent.sh': AGENT, slow: '200' }), goElsewhere()];
    await startWorker('one', undefined, {}, ['--stand-in', '0']);
    const run = begin(home);
    await run.says('step 2');
    const id = findRun(home);
    const watching = away.start('watch');
    await watching.says('── 1 · builder');
    const [copy = ''] = away.copies();
    expect(statSync(copy).mode & 0o777).toBe(0o700);
    for (const words of [
      ['resume', id],
      ['undo', id, '--yes'],
      ['tell', id, 'x'],
      ['stop', id],
      ['clean', '--keep', '0'],
    ]) {
      const refused = await ralph(copy, words, env());
      expect([words[0], refused.code === 0, existsSync(join(copy, '.ralph', 'runs', id))], refused.stdout).toEqual([
        words[0],
        words[0] === 'clean',
        true,
      ]);
    }
    watching.child.kill('SIGINT');
    expect([(await watching.done).code, away.copies()]).toEqual([130, []]);
    const following = away.start('events', '--follow');
    await following.says('build.start');
    following.child.kill('SIGINT');
    expect([(await following.done).signal, away.copies()]).toEqual(['SIGINT', []]);
    const killed = away.start('events', '--follow');
    await killed.says('build.start');
    killed.child.kill('SIGKILL');
    await killed.done;
    expect(away.copies()).toHaveLength(1);
    expect((await away.look('status')).stdout).toContain('is running');
    expect(away.copies()).toEqual([]);
    run.child.kill('SIGINT');
    await run.done;
    const ended = await away.look('status', id);
    expect(ended.stdout, ended.stderr).toContain('interrupted');
    expect((await away.look('status', 'no-such-run')).code).toBe(2);
  });

  test('is steered from the page of the fleet, which shows no run of this machine', async () => {
    const [home, away] = [makeProject({ 'agent.sh': AGENT, slow: '100' }), goElsewhere()];
    await startWorker('one', undefined, {}, ['--stand-in', '0']);
    const run = begin(home);
    await run.says('step 2');
    const id = findRun(home);
    const token = '0123456789abcdef0123456789abcdef';
    writeFileSync(join(away.folder, 'token'), token);
    chmodSync(join(away.folder, 'token'), 0o600);
    const page = away.start('web', '--port', '0', '--token-file', 'token');
    let printed = '';
    page.child.stdout?.on('data', (text) => {
      printed += String(text);
    });
    await page.says('Ctrl+C ends the page');
    await expect.poll(() => printed).toMatch(/#code=/);
    const { origin } = new URL(printed.trim());
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const call = async (path: string, body?: object) =>
      (await fetch(`${origin}${path}`, body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) })).json();
    interface Row {
      readonly key: string;
      readonly runId: string;
      readonly folder: string;
    }
    const list = async () => ((await call('/api/runs')) as { readonly runs: readonly Row[] }).runs;
    const find = async (run: string) => (await list()).find(({ runId }) => runId === run);
    await expect.poll(() => find(id), { timeout: 10_000 }).toBeDefined();
    const first = await find(id);
    expect(first).toMatchObject({ runId: id, state: 'running', folder: 'on a fleet' });
    const key = first?.key ?? '';
    const told = await call(`/api/runs/${key}/tell`, { command: 'c-1', text: 'use the old API', when: 'next' });
    expect(told).toMatchObject({ text: expect.stringMatching(/^In the journal as #\d+: waits/) });
    expect(await call(`/api/runs/${key}/resume`, { command: 'c-2' })).toMatchObject({ code: 'run-copy' });
    expect(await call(`/api/runs/${key}/stop`, { command: 'c-3', how: 'now' })).toMatchObject({
      text: expect.stringContaining('Asked to stop'),
    });
    const { stdout } = await run.done;
    expect(stdout).toMatch(/stop on its page \(.+@.+, by fleet\)/);
    const later = begin(home);
    await later.says('step 2');
    const next = readdirSync(join(home, '.ralph', 'runs')).find((run) => run !== id) ?? '';
    await expect.poll(() => find(next), { timeout: 10_000 }).toBeDefined();
    expect((await list()).every(({ folder }) => folder === 'on a fleet')).toBe(true);
    later.child.kill('SIGINT');
    await later.done;
    page.child.kill('SIGTERM');
    await page.done;
    expect(away.copies()).toEqual([]);
    expect(readFileSync(join(home, '.ralph', 'runs', id, 'journal.jsonl'), 'utf8')).toContain('use the old API');
  });
});
