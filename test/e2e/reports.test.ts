import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { type StatusFacts, until } from './run-facts.ts';

const RUN = ['run', '-p', 'work', '--no-tui'];

/** The text of a row, without its label; several of them, or one that goes on below, are joined. */
function readRow(text: string, label: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));
  const first = lines.findIndex((line) => line.startsWith(`  ${label} `));
  if (first === -1) return '';
  const next = lines.findIndex((line, index) => index > first && !line.startsWith('   '));
  return lines
    .slice(first, next === -1 ? undefined : next)
    .map((line) => line.slice(12))
    .join(' ');
}

describe.concurrent('the report of a run', () => {
  for (const isolation of ['auto', 'off']) {
    test(`names a hat that never once could start, also when the run completed (isolation: ${isolation})`, async () => {
      const team = `isolation: ${isolation}
hats:
  planner: { triggers: [task.start, task.resume, build.done, error.cli], publishes: [build.task] }
  builder: { triggers: [build.task], publishes: [build.done], backend: { command: ./builder.sh } }
`;
      const body = 'if [ "$(nth turn)" = 1 ]; then emit build.task x; else echo LOOP_COMPLETE; fi';
      await withPlace(toFiles(team, body, { 'builder.sh': '#!/no/such/interpreter\n' }), async (folder) => {
        const { code, stdout } = await ralph(folder, RUN);
        expect(code, stdout).toBe(0);
        expect(readRow(stdout, 'Left')).toMatch(/^builder never started: .*builder\.sh/);
        expect(readRow((await ralph(folder, ['status'])).stdout, 'Left')).toContain('builder never started');
      });
    });
  }

  test('in `show` names one of its turns, not itself', async () => {
    for (const [body, next] of [
      ['echo LOOP_COMPLETE', 'Look at the work: `ralph review`.'],
      ['exit 1', 'See `ralph show 1.1`, fix the agent (`ralph doctor`), then `ralph resume --accept-changes`.'],
    ] as const) {
      await withPlace(toFiles('event_loop: { max_consecutive_failures: 1 }\n', body), async (folder) => {
        await ralph(folder, RUN);
        expect(readRow((await ralph(folder, ['show'])).stdout, 'Next')).toBe(next);
      });
    }
  });

  test.for([[[2]], [[1, 2]]])(
    'counts what turns changed that were killed, at the end, in `status` and in `show`: %j',
    async ([kills = []]) => {
      const body = `n=$(nth turn); echo $n > $n.txt
case " ${kills.join(' ')} " in *" $n "*) touch hang-$n; sleep 1000 ;; esac
if [ $n = 3 ]; then echo LOOP_COMPLETE; fi`;
      await withPlace(toFiles('', body, { '.gitignore': 'hang-*\n' }), async (folder) => {
        makeRepository(folder);
        for (const turn of kills) {
          const run = start(folder, turn === kills[0] ? RUN : ['resume', '--no-tui']);
          await until(`turn ${turn} to hang`, () => existsSync(join(folder, `hang-${turn}`)));
          run.child.kill('SIGKILL');
          await run.done;
        }
        const { stdout } = await ralph(folder, ['resume', '--no-tui']);
        for (const text of [stdout, (await ralph(folder, ['status'])).stdout, (await ralph(folder, ['show'])).stdout])
          expect(readRow(text, 'Changed'), text).toBe('3 files, +3 −0 lines: 1.txt, 2.txt, 3.txt');
      });
    },
  );
});

interface LiveFacts extends StatusFacts {
  readonly elapsedMs: number;
  readonly live: { readonly turn: { readonly lastOutputAt: number | null } | null } | null;
}

async function readLive(folder: string): Promise<Partial<LiveFacts>> {
  const { stdout } = await ralph(folder, ['status', '--format', 'json']);
  // Before its first entry there is no run to tell of.
  return stdout === '' ? {} : (JSON.parse(stdout) as LiveFacts);
}

describe.concurrent('the status of a run', () => {
  test('counts what an agent writes to its standard error as output', async () => {
    const body = 'while [ ! -e go ]; do echo . >&2; sleep 0.1; done; echo LOOP_COMPLETE';
    await withPlace(toFiles('', body), async (folder) => {
      const run = start(folder, RUN);
      const lastOutputAt = async (): Promise<number> => (await readLive(folder)).live?.turn?.lastOutputAt ?? 0;
      await until('the turn to be seen', async () => existsSync(join(folder, '.ralph/runs')) && (await lastOutputAt()) > 0);
      const first = await lastOutputAt();
      await until('its output to be seen', async () => (await lastOutputAt()) > first, 10_000);
      writeFileSync(join(folder, 'go'), '');
      expect((await run.done).code).toBe(0);
    });
  });
});
