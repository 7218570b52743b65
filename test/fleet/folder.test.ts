/** Runs on a fleet in a folder of this machine: there is no server. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { findRun, listEvents, RUN, setUpFleet } from './scene.ts';

const { server, env, after, makeProject, startWorker, onFleet, waitForHolder } = setUpFleet(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-folder-'));
  return { url: `file:${join(folder, 'my fleet')}`, close: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
});

const EVENTS = ['build.start', 'build.done', 'review.rejected', 'build.done', 'task.complete'];

/** A folder in which nothing is. */
function makeElsewhere(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-elsewhere-'));
  after(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function lookAt(run: string) {
  const { stdout } = await ralph(tmpdir(), ['fleet', 'runs', '--format', 'json'], env());
  return readJsonLines<{ run: string; state: string; worker: string | null }>(stdout).find((one) => one.run === run);
}

describe('a run on a fleet in a folder', { timeout: 180_000 }, () => {
  test('has its turns taken by workers, by another one where one is killed, and all is there as on a server', async () => {
    const folder = makeProject({ slow: '2' });
    const workers = { one: await startWorker('one'), two: await startWorker('two') };
    const run = onFleet(folder);
    const holder = await waitForHolder();
    await pause(500);
    process.kill(workers[holder as 'one' | 'two'].pid, 'SIGKILL');
    const { code, stdout, stderr } = await run;
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/the worker (one|two) was lost: it said nothing for \d+ s/);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('built with what nobody committed\nbuilt with what nobody committed\n');
    expect(await listEvents(folder)).toEqual(EVENTS);
    expect(await lookAt(findRun(folder))).toMatchObject({ state: 'ended' });
  });

  test('is gone on with by a worker when its own process is killed, is steered from elsewhere meanwhile, and comes home', async () => {
    const folder = makeProject({ slow: '12' });
    // The name of the one that was killed is not free at once.
    await startWorker('three');
    await startWorker('four');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await own.says('at work as builder');
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(folder);
    const away = makeElsewhere();
    const tell = async () => (await ralph(away, ['tell', run, 'use the old API', '--next', '--fleet'], env())).code;
    await expect.poll(tell, { timeout: 60_000, interval: 500 }).toBe(0);
    await expect.poll(() => lookAt(run), { timeout: 90_000, interval: 500 }).toMatchObject({ state: 'ended', worker: expect.any(String) });
    expect((await ralph(away, ['events', run, '--fleet'], env())).stdout).toContain('review.rejected');
    const home = await ralph(folder, ['resume'], env());
    expect([home.code, home.stderr]).toEqual([0, expect.stringContaining('This run has ended')]);
    const prompts = readdirSync(join(folder, '.ralph', 'runs', run, 'turns')).flatMap((turn) =>
      /^\d+\.\d+$/.test(turn) ? readFileSync(join(folder, '.ralph', 'runs', run, 'turns', turn, 'prompt.md'), 'utf8') : [],
    );
    expect(prompts.join('\n')).toContain('use the old API');
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
  });

  test('hears what it is told while its process that was killed still counts as one that listens', async () => {
    const folder = makeProject({ slow: '1' });
    await startWorker('six');
    await startWorker('seven');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await own.says('at work as builder');
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(folder);
    const told = await ralph(makeElsewhere(), ['tell', run, 'use the old API', '--fleet'], env());
    expect([told.code, told.stdout], told.stderr).toEqual([0, expect.stringMatching(/^(Told|Kept for) /)]);
    await expect.poll(() => lookAt(run), { timeout: 90_000, interval: 500 }).toMatchObject({ state: 'ended' });
    const home = await ralph(folder, ['resume'], env());
    expect(home.code, home.stderr).toBe(0);
    const journal = readFileSync(join(folder, '.ralph', 'runs', run, 'journal.jsonl'), 'utf8');
    expect(journal.match(/"type":"told"/g)).toHaveLength(1);
  });

  test('is not decided about by a process that was frozen and wakes up: it says who goes on, and nothing of it counts', async () => {
    const folder = makeProject({ slow: '2' });
    await startWorker('five');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    process.kill(own.child.pid ?? 0, 'SIGSTOP');
    const run = findRun(folder);
    await expect.poll(() => lookAt(run), { timeout: 90_000, interval: 500 }).toMatchObject({ state: 'ended', worker: 'five' });
    process.kill(own.child.pid ?? 0, 'SIGCONT');
    const woken = await own.done;
    expect([woken.code, woken.stdout + woken.stderr]).toEqual([1, expect.stringContaining('another process goes on with this run')]);
    const home = await ralph(folder, ['resume'], env());
    expect(home.code, home.stderr).toBe(0);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
  });

  test('that goes on elsewhere is seen and steered from its own folder, which says where it is', async () => {
    const folder = makeProject({ slow: '30' });
    await startWorker('eight');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await own.says('at work as builder');
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(folder);
    await expect.poll(() => lookAt(run), { timeout: 60_000, interval: 500 }).toMatchObject({ worker: 'eight' });
    const alone = { ...env(), RALPH_FLEET: '' };
    const status = await ralph(folder, ['status'], alone);
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining(`Run ${run} goes on with the worker eight on `)]);
    expect(status.stdout.replaceAll(/\s+/g, ' ')).toContain(`ralph status ${run} --fleet '${server().url}'`);
    expect(status.stdout).not.toContain('its process is gone');
    const json = await ralph(folder, ['status', '--format', 'json'], alone);
    expect(JSON.parse(json.stdout)).toMatchObject({ elsewhere: { state: 'held', worker: 'eight', fleet: server().url } });
    const shown = await ralph(folder, ['show'], alone);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`Run ${run} goes on with the worker eight on `)]);
    expect(shown.stdout).not.toContain('its process is gone');
    const listed = await ralph(folder, ['runs'], alone);
    expect([listed.code, listed.stdout], listed.stderr).toEqual([0, expect.stringContaining('goes on with the worker eight on ')]);
    const [record] = readJsonLines<unknown>((await ralph(folder, ['runs', '--format', 'json'], alone)).stdout);
    expect(record).toMatchObject({ runId: run, status: 'dead', elsewhere: { state: 'held', worker: 'eight', fleet: server().url } });
    const watched = start(folder, ['watch'], { ...alone, ACCESSIBLE: '1' });
    await watched.says('it is followed there, over its fleet at');
    await watched.says(`Run ${run}`);
    watched.child.kill('SIGINT');
    await watched.done;
    const told = await ralph(folder, ['tell', 'use the old API', '--next'], alone);
    expect([told.code, told.stderr, told.stdout]).toEqual([
      0,
      expect.stringMatching(/goes on with the worker eight on .*: it is asked there/),
      expect.stringContaining('in the journal'),
    ]);
    expect(await ralph(folder, ['stop', '--now'], alone)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Run ${run} has stopped`),
    });
    const stopped = await ralph(folder, ['status'], alone);
    expect(stopped.stdout).toContain('and was stopped there');
    const other = await ralph(folder, ['status'], { ...env(), RALPH_FLEET: 'nats://127.0.0.1:9' });
    expect([other.code, other.stdout]).toEqual([0, expect.stringContaining('and was stopped there')]);
  });

  test('hears what is told at home between the death of its process and a worker that takes it, once; a stop then, too', async () => {
    const folder = makeProject({ slow: '3' });
    await startWorker('eleven');
    const slowly = { ...env(), RALPH_FLEET_LOST_AFTER: '12' };
    const own = start(folder, [...RUN, '--fleet', server().url], slowly);
    await own.says('at work as builder');
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(folder);
    const alone = { ...env(), RALPH_FLEET: '' };
    const wrong = await ralph(folder, ['tell', 'x', '--to', 'nobody'], alone);
    expect([wrong.code, wrong.stderr], wrong.stdout).toEqual([2, expect.stringContaining('There is no hat "nobody"')]);
    const told = await ralph(folder, ['tell', 'use the old API'], alone);
    expect([told.code, told.stdout], told.stderr).toEqual([0, expect.stringContaining(`Kept for ${run} on its fleet`)]);
    await expect.poll(() => lookAt(run), { timeout: 90_000, interval: 500 }).toMatchObject({ state: 'ended', worker: 'eleven' });
    expect((await ralph(folder, ['resume'], env())).code).toBe(0);
    const turns = join(folder, '.ralph', 'runs', run, 'turns');
    const lines = readFileSync(join(folder, '.ralph', 'runs', run, 'journal.jsonl'), 'utf8');
    expect(lines.match(/"type":"told"/g)).toHaveLength(1);
    const prompts = readdirSync(turns).flatMap((turn) =>
      /^\d+\.\d+$/.test(turn) ? readFileSync(join(turns, turn, 'prompt.md'), 'utf8') : [],
    );
    expect(prompts.join('\n')).toContain('use the old API');

    writeFileSync(join(folder, 'slow'), '30');
    const other = start(folder, [...RUN, '--fleet', server().url], slowly);
    await other.says('at work as builder');
    other.child.kill('SIGKILL');
    await other.done;
    const stopped = await ralph(folder, ['stop', '--now'], alone);
    expect([stopped.code, stopped.stdout], stopped.stderr).toEqual([0, expect.stringMatching(/^Nobody has run \S+ now\. A worker/)]);
    const second = /run (\S+) now/.exec(stopped.stdout)?.[1] ?? '';
    await expect.poll(() => lookAt(second), { timeout: 60_000, interval: 500 }).toMatchObject({ state: 'free', worker: 'eleven' });
    writeFileSync(join(folder, 'slow'), '0');
    const resumed = await ralph(folder, ['resume', second], env());
    expect([resumed.code, resumed.stdout], resumed.stderr).toEqual([0, expect.not.stringContaining('ralph stop')]);
  });

  test('is resumed on its own fleet alone, whatever RALPH_FLEET says', async () => {
    const folder = makeProject({ slow: '30' });
    await startWorker('six');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    await ralph(folder, ['stop', '--now'], env());
    await own.done;
    const other = `file:${join(makeElsewhere(), 'other')}`;
    const refused = await ralph(folder, ['resume'], { ...env(), RALPH_FLEET: other });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/does not keep run .*, which was begun on file:/)]);
    const unknown = await ralph(folder, ['resume', 'nosuch', '--fleet', server().url], env());
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('knows no run nosuch')]);
    writeFileSync(join(folder, 'slow'), '0');
    const resumed = await ralph(folder, ['resume', '--fleet', server().url], { ...env(), RALPH_FLEET: other });
    expect(resumed.code, resumed.stderr).toBe(0);
  });

  test('says soon that the folder of its fleet is gone, and goes on where it is put back', async () => {
    const folder = makeProject({ slow: '12' });
    const place = makeElsewhere();
    const beside = { ...env(), RALPH_FLEET: `file:${join(place, 'fleet')}`, RALPH_FLEET_LOST_AFTER: '20' };
    await startWorker('ten', undefined, beside);
    const own = start(folder, [...RUN, '--fleet'], beside);
    await own.says('at work as builder');
    renameSync(join(place, 'fleet'), join(place, 'away'));
    const from = Date.now();
    await own.says("the fleet's folder is gone");
    expect(Date.now() - from).toBeLessThan(8000);
    renameSync(join(place, 'away'), join(place, 'fleet'));
    await own.says('the fleet answers again');
    const { code, stdout, stderr } = await own.done;
    expect(code, stdout + stderr).toBe(0);
  });

  test('is tried without being started: what would be offered, and whether a worker is there; a fleet that is not there is an error', async () => {
    const folder = makeProject();
    const dry = async (url: string) => {
      const { code, stdout, stderr } = await ralph(folder, [...RUN, '--dry-run', '--fleet', url], env());
      return { code, stderr, stdout: stdout.replaceAll(/\s+/g, ' ') };
    };
    const none = `file:${join(makeElsewhere(), 'none')}`;
    const alone = await dry(none);
    expect([alone.code, alone.stdout]).toEqual([0, expect.stringMatching(/turns of builder, to a worker with custom \(none is there now/)]);
    expect(existsSync(none.slice('file:'.length))).toBe(false);
    await startWorker('nine');
    expect((await dry(server().url)).stdout).toMatch(/turns of builder, to a worker with custom \(there now: [^)]*nine/);
    expect(await dry('nats://127.0.0.1:9')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no fleet at nats://127.0.0.1:9'),
    });
    expect(existsSync(join(folder, '.ralph', 'runs'))).toBe(false);
  });

  test('is refused, with what to do, where the folder will not do; ralph fleet up says so, too', async () => {
    const folder = makeElsewhere();
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const project = makeProject();
    const refused = await ralph(project, [...RUN, '--fleet', `file:${folder}`], env());
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/is not empty, and holds no fleet[\s\S]*file:\/absolute\/folder/),
    ]);
    const bad = await ralph(project, ['fleet', 'up', '--nats', `file:${folder}`], env());
    expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining('✗')]);
    const none = join(folder, 'none');
    const lacking = await ralph(project, ['fleet', 'up', '--nats', `file:${none}`], env());
    expect([lacking.code, lacking.stdout, existsSync(none)]).toEqual([1, expect.stringContaining(`no fleet in the folder ${none}`), false]);
    await startWorker('seven');
    const good = await ralph(project, ['fleet', 'up', '--nats', server().url], env());
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('✓ the stores of a fleet are in')]);
  });
});
