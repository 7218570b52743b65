import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TEAM_OF_RALPH, toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

const RUN = ['run', '-p', 'work', '--no-tui'];

interface ReviewJson {
  readonly state: string;
  readonly headline: string;
  readonly rows: readonly { readonly label: string; readonly text: string }[];
  readonly next: readonly string[];
  readonly damage: string | null;
  readonly evidence: readonly { readonly command: string; readonly verdict: string; readonly tree: string | null; readonly at: number }[];
  readonly readFirst: readonly { readonly why: string; readonly file: { readonly path: string } }[];
  readonly said: {
    readonly reviews: readonly { readonly by: string; readonly text: string }[];
    readonly left: readonly { readonly text: string }[];
    readonly todos: readonly { readonly path: string; readonly text: string }[];
  };
  readonly facts: { readonly changed: { readonly count: number } | null; readonly place: { readonly isThere: boolean } | null };
}

async function review(folder: string, ...args: readonly string[]): Promise<ReviewJson> {
  const { code, stdout, stderr } = await ralph(folder, ['review', '--format', 'json', ...args]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as ReviewJson;
}

/** The rows of a report as text, from its headline on, without clock and label `Next`. */
function toReport(stdout: string, headline: RegExp): string {
  const lines = stdout.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));
  const first = lines.findIndex((line) => headline.test(line));
  const next = lines.findIndex((line, index) => index > first && line.startsWith('  Next'));
  return lines.slice(first, next).join('\n');
}

function findRun(folder: string): string {
  return join(folder, '.ralph/runs', readdirSync(join(folder, '.ralph/runs')).sort().at(-1) ?? '');
}

const TEAM = `${TEAM_OF_RALPH}
gates:
  - { on: task.complete, run: ./check.sh }
`;
const BODY = `
case "$RALPH_HAT" in
  builder) mkdir -p src test; seq 1 40 > src/cart.txt; echo '# TODO: other currencies' >> src/cart.txt; echo 'exit 0' > check.sh; rm -f test/old.txt
    echo 'Built. Discounts are not tested yet.'; emit build.done 'key is sk-live-0123456789abcdef' ;;
  reviewer) emit review.passed '<b>fine</b> @all' ;;
  ralph) if [ "$(nth ralph)" = 1 ]; then emit build.task go; else echo LOOP_COMPLETE; fi ;;
esac`;
const FILES = toFiles(TEAM, BODY, { 'check.sh': 'test -f src/cart.txt\n', 'test/old.txt': 'expect 1\n' });

describe.concurrent('what is told of a run that is over', () => {
  test('is the same at its end, in status, in show and in review, and is kept', async () => {
    await withPlace(FILES, async (folder) => {
      makeRepository(folder);
      git(folder, 'update-index', '--chmod=+x', 'check.sh');
      const env = { DEPLOY_TOKEN: 'sk-live-0123456789abcdef' };
      const run = await ralph(folder, [...RUN.slice(0, 3), '--no-tui'], env);
      expect(run.code, run.stdout + run.stderr).toBe(0);
      const [status, show] = [await ralph(folder, ['status'], env), await ralph(folder, ['show'], env)];
      const report = toReport(status.stdout, /^Completed/);
      expect(report).toMatch(/^Completed after 4 iterations/);
      expect(toReport(show.stdout, /^Completed/)).toBe(report);
      expect(toReport(run.stdout, /^Completed/)).toBe(report);

      const found = await review(folder);
      expect(found.headline).toBe(report.split('\n')[0]);
      const flat = report.replace(/\s+/g, ' ');
      for (const { text } of found.rows) expect(flat).toContain(text.replace(/\s+/g, ' '));
      expect(status.stdout).toContain('`ralph review`');
      const kept = JSON.parse(readFileSync(join(findRun(folder), 'report.json'), 'utf8')) as ReviewJson;
      expect(kept).toEqual(found);

      expect(found.evidence).toMatchObject([{ command: './check.sh', verdict: 'passed' }]);
      expect(found.readFirst.map(({ why, file }) => [why, file.path])).toEqual([
        ['gate', 'check.sh'],
        ['test', 'test/old.txt'],
        ['large', 'src/cart.txt'],
      ]);
      expect(found.said.reviews).toMatchObject([{ by: 'reviewer', text: '<b>fine</b> @all' }]);
      expect(found.said.todos).toEqual([{ path: 'src/cart.txt', text: '# TODO: other currencies' }]);
      expect(found.said.left.map(({ text }) => text)).toContain('Built. Discounts are not tested yet.');
      expect(found.next.join('\n')).toMatch(/ralph show --diff[\s\S]*ralph undo/);
    });
  });

  test('fits on a small screen, and as Markdown shows what agents wrote as code, without secrets', async () => {
    await withPlace(FILES, async (folder) => {
      makeRepository(folder);
      const env = { DEPLOY_TOKEN: 'sk-live-0123456789abcdef', COLUMNS: '80' };
      await ralph(folder, RUN, env);
      const screen = (await ralph(folder, ['review'], env)).stdout;
      expect(screen.split('\n').length).toBeLessThanOrEqual(24);
      expect(screen).toContain('(a gate runs it');
      const markdown = (await ralph(folder, ['review', '--format', 'md'], env)).stdout;
      expect(markdown).toContain('```text\n<b>fine</b> @all\n```');
      const full = (await ralph(folder, ['review', '--full'], env)).stdout;
      expect(full).toContain('Read first');
      for (const text of [screen, markdown, full]) expect(text).not.toContain('sk-live-0123456789abcdef');
    });
  });

  test('is known of the whole run as a patch and file by file', async () => {
    await withPlace(FILES, async (folder) => {
      makeRepository(folder);
      await ralph(folder, RUN);
      const patch = (await ralph(folder, ['show', '--diff'])).stdout;
      expect(patch).toContain('+++ b/src/cart.txt');
      expect(patch).toContain('deleted file mode');
      const stat = (await ralph(folder, ['show', '--stat'])).stdout;
      expect(stat).toMatch(/ {2}src\/cart\.txt +new \+41\n/);
      expect(stat).toMatch(/3 files changed, \+42 −2 lines\.\n$/);
      expect((await ralph(folder, ['show', '1', '--stat'])).stdout).toBe('No file changed.\n');
    });
  });

  test('is kept at a limit, and stays when its worktree is gone', async () => {
    const config = 'event_loop: { max_iterations: 1 }\n';
    await withPlace(toFiles(config, 'echo made > made.txt; echo working'), async (folder) => {
      makeRepository(folder);
      await ralph(folder, [...RUN, '--worktree', 'blue']);
      expect(existsSync(join(findRun(folder), 'report.json'))).toBe(true);
      const before = await review(folder);
      expect(before.headline).toMatch(/^Not completed \(max_iterations\)/);
      expect(before.next.join('\n')).toMatch(/ralph resume[\s\S]*ralph land/);
      rmSync(join(folder, '.ralph/worktrees/blue'), { recursive: true });
      const after = await review(folder);
      expect(after.facts).toMatchObject({ changed: { count: 1 }, place: { isThere: false } });
      expect(after.rows).toEqual(before.rows);
      expect((await ralph(folder, ['show', '--diff'])).stdout).toContain('+made');
    });
  });

  test('is what the journal and the snapshots know after a kill, and of a run that is under way', async () => {
    await withPlace(
      toFiles('', 'echo "$(nth turn)" > made.txt; if [ -e .agent/second ]; then touch .agent/there; sleep 1000; fi; touch .agent/second'),
      async (folder) => {
        makeRepository(folder);
        const run = start(folder, RUN);
        await until('a second turn', () => existsSync(join(folder, '.agent/there')));
        const living = await review(folder);
        expect(living.state).toBe('running');
        expect(living.next.join(' ')).toContain('ralph stop');
        run.child.kill('SIGKILL');
        await run.done;
        const dead = await review(folder);
        expect([dead.state, dead.facts.changed?.count]).toEqual(['dead', 1]);
        expect(dead.next.join(' ')).toContain('ralph resume');
        expect(existsSync(join(findRun(folder), 'report.json'))).toBe(false);
        expect((await ralph(folder, ['review'])).stdout).toContain('The end of the last turn was not seen');
        await ralph(folder, ['reap']);
      },
    );
  });

  test('says so where the journal is damaged and where nobody knows what changed', async () => {
    await withPlace(toFiles('', 'echo x > made.txt; echo LOOP_COMPLETE'), async (folder) => {
      await ralph(folder, RUN);
      const plain = await ralph(folder, ['review']);
      expect(plain.stdout).toContain('not known: there are no snapshots');
      expect((await ralph(folder, ['show', '--diff'])).stderr).toContain('git repository');
      const journal = join(findRun(folder), 'journal.jsonl');
      truncateSync(journal, readFileSync(journal).length - 20);
      const damaged = await review(folder);
      expect(damaged.damage).toContain('cut short');
      writeFileSync(join(findRun(folder), 'report.json'), '{"facts": {"at": "x", "changed": [1]');
      writeFileSync(join(findRun(folder), 'settings.json'), 'nonsense');
      expect((await ralph(folder, ['review'])).code).toBe(0);
      const { code, stderr } = await ralph(folder, ['review', 'nope']);
      expect([code, stderr.includes('nope')]).toEqual([2, true]);
    });
  });

  test('is bounded for ten thousand files', { timeout: 120_000 }, async () => {
    await withPlace(
      toFiles('', 'mkdir many; cd many; i=0; while [ $i -lt 10000 ]; do i=$((i+1)); echo $i > $i.txt; done; cd ..; echo LOOP_COMPLETE'),
      async (folder) => {
        makeRepository(folder);
        await ralph(folder, RUN);
        const { runId } = await readStatus(folder);
        const begun = Date.now();
        const screen = (await ralph(folder, ['review', runId])).stdout;
        expect(Date.now() - begun).toBeLessThan(15_000);
        expect(screen).toContain('10,000 files');
        expect((await ralph(folder, ['review', '--format', 'md'])).stdout.length).toBeLessThan(65_000);
        expect(readFileSync(join(findRun(folder), 'report.json')).length).toBeLessThan(2_000_000);
      },
    );
  });
});
