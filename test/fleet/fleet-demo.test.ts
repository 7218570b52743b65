/** `ralph demo fleet`, as a person types it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ralph, start, withFolder } from '../e2e/ralph.ts';
import { NATS_SERVER } from '../nats-server.mjs';

/** Debian keeps the server in /usr/sbin, which is found beside /usr/bin. */
const PATH = `${NATS_SERVER.startsWith('/usr/') ? '' : `${dirname(NATS_SERVER)}:`}${dirname(process.execPath)}:/usr/bin:/bin`;
const MADE = ['src/cart.mjs', 'PROMPT.md'];

/** Command lines of what is still there and was started with a path in this folder. */
const listAlive = (folder: string): readonly string[] =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder));

const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);

const readPids = (text: string): readonly number[] => [...text.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));

function findDemo(folder: string): string {
  const name = readdirSync(folder).find((entry) => entry.startsWith('ralph-demo-')) ?? '';
  return join(folder, name);
}

describe('ralph demo fleet', { timeout: 120_000 }, () => {
  test('kills a worker in the midst of a turn, tells so, completes with the files of the demo on one machine, and leaves nothing alive', async () => {
    await withFolder({}, async (folder) => {
      const fleet = await ralph(folder, ['demo', 'fleet'], { PATH, TMPDIR: folder });
      expect(fleet.code, fleet.stdout + fleet.stderr).toBe(0);
      expect(fleet.stdout).toMatch(
        /nats-server listens on 127\.0\.0\.1:\d+[\s\S]*w2 is there[\s\S]*turn 1, planner: taken by w[12][\s\S]*gate tests.*failed[\s\S]*turn 4, builder: taken by (w[12])[\s\S]*\1 is killed \(SIGKILL, process \d+\) while it works on turn 4[\s\S]*\1 is lost: \d\.\d s after[\s\S]*turn 4 begins again as 4\.2, builder: taken by (?!\1)w[12][\s\S]*gate tests.*passed[\s\S]*Completed after 6 turns in[\s\S]*✓ node --test passes/,
      );
      expect(fleet.stdout).toContain('docs/guide/fleet.md');
      const pids = readPids(fleet.stdout);
      expect(new Set(pids).size).toBe(3);
      expect(pids.filter(isThere)).toEqual([]);
      expect(listAlive(folder)).toEqual([]);
      const demo = findDemo(folder);
      expect(readdirSync(demo).sort()).toEqual(['run.log', 'server.log', 'shop', 'w1.log', 'w2.log']);
      await withFolder({}, async (other) => {
        expect((await ralph(other, ['demo', '-q'], { PATH, TMPDIR: other })).code).toBe(0);
        const read = (root: string) => MADE.map((name) => readFileSync(join(root, name), 'utf8'));
        expect(read(join(demo, 'shop'))).toEqual(read(findDemo(other)));
      });
    });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends all that it started on %s, and ends with %i', async (signal, code) => {
    await withFolder({}, async (folder) => {
      const demo = start(folder, ['demo', 'fleet'], { PATH, TMPDIR: folder });
      await demo.says('turn 1, planner: taken');
      demo.child.kill(signal);
      const finished = await demo.done;
      expect(finished.code, finished.stderr).toBe(code);
      expect(finished.stderr).toContain('The demo was stopped');
      expect(readPids(finished.stdout).filter(isThere)).toEqual([]);
      expect(listAlive(folder)).toEqual([]);
    });
  });

  test('for programs is the stream of its run', async () => {
    await withFolder({}, async (folder) => {
      const { code, stdout } = await ralph(folder, ['demo', 'fleet', '--format', 'ndjson'], { PATH, TMPDIR: folder });
      expect(code, stdout).toBe(0);
      const kinds = stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { kind: string }).kind);
      expect([kinds[0], kinds.at(-1)]).toEqual(['run', 'end']);
    });
  });
});
