import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEAM_OF_RALPH, toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { makeFolder, ralph, readJsonLines, start } from './ralph.ts';
import { type EventFacts, readEvents, readStatus, toRoutes, until } from './run-facts.ts';

const BODY = `
case "$RALPH_HAT" in
  builder) n=$(nth build); echo "storey $n" > "storey-$n.txt"; echo "built storey $n"; emit build.done "storey $n"; emit deploy.done no ;;
  reviewer) if [ "$(nth review)" = 1 ]; then emit review.rejected crooked; else emit review.passed straight; fi ;;
  ralph) if [ "$(nth ralph)" = 1 ]; then emit build.task "the tower"; else echo LOOP_COMPLETE; fi ;;
esac`;

describe('a run that is over', () => {
  const folder = makeFolder(toFiles(TEAM_OF_RALPH, BODY, { 'a.txt': 'a\n' }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(async () => {
    makeRepository(folder);
    const { code, stdout } = await ralph(folder, ['run', '-p', 'build the tower', '-q']);
    expect(code, stdout).toBe(0);
  });

  test('shows as a whole what its turns were and how it ended', async () => {
    const { code, stdout } = await ralph(folder, ['show']);
    expect(code).toBe(0);
    for (const text of [
      '1 ralph',
      '2 builder',
      '3 reviewer',
      '4 builder',
      '5 reviewer',
      '6 ralph',
      'Completed, unproven after 6 iterations',
      'build the tower',
    ]) {
      expect(stdout).toContain(text);
    }
    expect((await ralph(folder, ['status'])).stdout).toContain('Completed, unproven after 6 iterations');
  });

  test('shows of any turn what was asked, said, changed and published', async () => {
    const { runId } = await readStatus(folder);
    const show = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await ralph(folder, ['show', ...args]);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    expect(await show('2')).toContain('builder');
    expect(await show('2', '--prompt')).toContain('the tower');
    expect(await show(runId, '2', '--output')).toBe('built storey 1\n');
    expect(await show(runId.slice(0, 12), '2.1', '--diff')).toContain('+storey 1');
    expect(await show('4', '--diff')).toMatch(/^diff --git a\/storey-2\.txt/);
    const published = await show('4', '--events');
    expect(published).toContain('build.done');
    expect(published).toContain('builder.scope_violation');
    expect(published).not.toContain('review.passed');
    expect(await show('--events')).toContain('review.passed');
  });

  test('names what it does not have', async () => {
    for (const [args, text] of [
      [['show', '7'], 'iterations 1 to 6'],
      [['show', '2', '--prompt', '--diff'], 'cannot be used together'],
      [['show', 'nope'], 'nope'],
      [['show', '1', '2', '3'], ''],
      [['show', '2026', 'x'], 'iteration'],
    ] as const) {
      const { code, stdout, stderr } = await ralph(folder, args);
      expect(code, args.join(' ')).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toContain(text);
      expect(stderr).not.toMatch(/defect| at .*\.js/);
    }
  });

  test('has its events by topic, pattern, hat, iteration and number', async () => {
    const topics = async (...args: readonly string[]): Promise<string[]> => (await readEvents(folder, ...args)).map((event) => event.topic);
    expect(await topics('--topic', 'build.done')).toEqual(['build.done', 'build.done']);
    expect(await topics('--topic', 'review.*')).toEqual(['review.rejected', 'review.passed']);
    expect(await topics('--iteration', '3')).toEqual(['review.rejected']);
    expect(await topics('--last', '2')).toEqual(['review.passed', 'task.complete']);
    expect(await topics('--hat', 'builder')).toEqual(
      expect.arrayContaining(['build.task', 'build.done', 'review.rejected', 'builder.scope_violation']),
    );
    expect(await topics('--hat', 'builder')).not.toContain('review.passed');
    const all = await readEvents(folder);
    for (const event of all)
      expect(Object.keys(event)).toEqual(expect.arrayContaining(['id', 'seq', 'ts', 'iteration', 'topic', 'source', 'target', 'payload']));
    expect(new Set(all.map((event) => event.id)).size).toBe(all.length);
    const { stdout } = await ralph(folder, ['events']);
    expect(stdout.split('\n')[0]).toContain('topic');
    expect(stdout.trim().split('\n')).toHaveLength(all.length + 1);
  });

  test('is cleaned away with its outputs and snapshots, the newest ones kept', async () => {
    await ralph(folder, ['run', '-p', 'x', '-q', '--max-iterations', '1']);
    const runs = readJsonLines<{ readonly runId: string }>((await ralph(folder, ['runs', '--format', 'json'])).stdout).map(
      (run) => run.runId,
    );
    const [newest = '', oldest = ''] = runs;
    expect(runs).toHaveLength(2);
    const refs = (): string => git(folder, 'for-each-ref', '--format=%(refname)', 'refs/ralph');
    expect(refs()).toContain(oldest);
    const dry = await ralph(folder, ['clean', '--keep', '1', '--dry-run']);
    expect(dry.stdout.trim()).toBe(oldest);
    expect(readdirSync(join(folder, '.ralph/runs'))).toHaveLength(2);
    const { code, stdout } = await ralph(folder, ['clean', '--keep', '1']);
    expect([code, stdout.trim()]).toEqual([0, oldest]);
    expect(readdirSync(join(folder, '.ralph/runs'))).toEqual([newest]);
    expect(refs()).not.toContain(oldest);
    expect(refs()).toContain(newest);
    expect((await ralph(folder, ['show', oldest])).code).toBe(2);
  });
});

describe.concurrent('a run that goes on', () => {
  const WAITING = `
case "$RALPH_HAT" in
  builder) emit build.done "storey $(nth build)" ;;
  reviewer) touch at-review; until [ -f go ]; do sleep 0.05; done; emit review.passed straight ;;
  ralph) if [ "$(nth ralph)" = 1 ]; then emit build.task "the tower"; else echo LOOP_COMPLETE; fi ;;
esac`;

  test('can be followed, event by event, until it ends', async () => {
    await withPlace(toFiles(TEAM_OF_RALPH, WAITING), async (folder) => {
      const run = start(folder, ['run', '-p', 'x', '-q']);
      await until('the review', () => existsSync(join(folder, 'at-review')));
      const all = start(folder, ['events', '--follow', '--format', 'json']);
      const some = start(folder, ['events', '--follow', '--topic', 'review.*', '--last', '1']);
      await all.says('"build.done"');
      const status = await ralph(folder, ['status']);
      expect(status.stdout).toContain('reviewer');
      expect((await readStatus(folder)).isAlive).toBe(true);
      expect((await ralph(folder, ['runs'])).stdout).toContain('running');
      expect((await ralph(folder, ['clean', '--keep', '0'])).stdout).toBe('');
      writeFileSync(join(folder, 'go'), '');
      expect((await run.done).code).toBe(0);
      const followed = await all.done;
      expect(followed.code).toBe(0);
      expect(readJsonLines<EventFacts>(followed.stdout)).toEqual(await readEvents(folder));
      const reviews = await some.done;
      expect(reviews.code).toBe(0);
      expect(reviews.stdout).toContain('review.passed');
      expect(reviews.stdout).not.toContain('build.done');
    });
  });

  test('can be told something by a person, with `ralph emit`, as far as anybody takes it', async () => {
    await withPlace(toFiles(TEAM_OF_RALPH, WAITING), async (folder) => {
      const run = start(folder, ['run', '-p', 'x', '-q']);
      await until('the review', () => existsSync(join(folder, 'at-review')));
      const refused = await ralph(folder, ['emit', 'nobody.takes', 'this']);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('review.rejected');
      const emitted = await ralph(folder, ['emit', 'review.rejected', 'from outside', '--target', 'builder']);
      expect(emitted.code, emitted.stderr).toBe(0);
      expect((await ralph(folder, ['emit', 'not a topic'])).code).toBe(1);
      expect((await ralph(folder, ['emit', 'review.rejected', '{no json', '--json'])).code).not.toBe(0);
      expect((await ralph(folder, ['emit', 'LOOP_COMPLETE'])).code).toBe(1);
      writeFileSync(join(folder, 'go'), '');
      await run.done;
      expect(toRoutes(await readEvents(folder))).toContain('external -> review.rejected -> builder');
    });
  });
});

describe('a folder without runs', () => {
  test('says how to start one', async () => {
    await withPlace({}, async (folder) => {
      for (const command of ['status', 'show', 'events', 'resume', 'stop', 'runs', 'ps', 'reap', 'clean']) {
        const { code, stderr, stdout } = await ralph(folder, [command]);
        expect(stdout, command).toBe('');
        expect(stderr, command).not.toMatch(/defect| at .*\.js/);
        if (['status', 'show', 'events', 'resume'].includes(command)) {
          expect(stderr, command).toContain('ralph run');
          expect(code, command).toBe(1);
        }
      }
      expect(existsSync(join(folder, '.ralph'))).toBe(false);
    });
  });
});
