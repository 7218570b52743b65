import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TEAM_OF_RALPH, toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { plainEnvironment, RALPH, ralph, readJsonLines, start } from './ralph.ts';

const BODY = `
case "$RALPH_HAT" in
  builder) echo "building"; echo "a warning" >&2; emit build.done "{\\\\\\"floors\\\\\\":3}" ;;
  reviewer) echo "reviewing"; emit review.passed ok ;;
  ralph) if [ "$(nth ralph)" = 1 ]; then printf 'no line end'; emit build.task one; else echo LOOP_COMPLETE; fi ;;
esac`;

interface Record {
  readonly v: number;
  readonly kind: string;
  readonly seq?: number;
  readonly at: number;
  readonly type?: string;
  readonly exitCode?: number;
  readonly reason?: string;
}

describe.concurrent('what a run says', () => {
  test('names turns, hats, words, events and the end, by default', async () => {
    await withPlace(toFiles(TEAM_OF_RALPH, BODY), async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, ['run', '-p', 'build', '--no-tui']);
      expect(code).toBe(0);
      expect(stderr).toBe('');
      for (const text of [
        '1 · Ralph',
        '2 · builder',
        '3 · reviewer',
        'building',
        '→ build.done',
        'Completed, unproven after 4 iterations',
      ]) {
        expect(stdout).toContain(text);
      }
      expect(stdout).not.toContain('\u001b');
    });
  });

  test('is only the outcome with -q', async () => {
    await withPlace(toFiles(TEAM_OF_RALPH, BODY), async (folder) => {
      const { code, stdout } = await ralph(folder, ['run', '-p', 'build', '-q']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Completed, unproven after 4 iterations/);
      expect(stdout).not.toContain('building');
    });
  });

  test('tells commands and prompt sizes too with -v', async () => {
    await withPlace(toFiles(TEAM_OF_RALPH, BODY), async (folder) => {
      const { code, stdout } = await ralph(folder, ['run', '-p', 'build', '-v']);
      expect(code).toBe(0);
      expect(stdout).toContain('./agent.sh');
      expect(stdout).toMatch(/tokens/);
    });
  });

  test('is one JSON object a line with --format ndjson, and nothing else', async () => {
    await withPlace(toFiles(TEAM_OF_RALPH, BODY), async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, ['run', '-p', 'build', '--format', 'ndjson']);
      expect(code).toBe(0);
      expect(stderr).toBe('');
      const records = readJsonLines<Record>(stdout);
      expect(records.every((record) => record.v === 1 && typeof record.at === 'number')).toBe(true);
      expect(records[0]).toMatchObject({ kind: 'run' });
      expect(records.at(-1)).toMatchObject({ kind: 'end', reason: 'completed', exitCode: 0 });
      expect(new Set(records.map((record) => record.kind))).toEqual(new Set(['run', 'input', 'effect', 'live', 'end']));
      const inputs = records.filter((record) => record.kind === 'input').map((record) => record.seq);
      expect(inputs).toEqual(inputs.map((_, index) => index + 1));
    });
  });

  test('ends the command, not the run, when nobody reads it any more', async () => {
    await withPlace(toFiles('', 'echo words; [ "$(nth turn)" -lt 4 ] || echo LOOP_COMPLETE'), async (folder) => {
      const run = start(folder, ['run', '-p', 'x']);
      await run.says('Ralph');
      run.child.stdout?.destroy();
      expect((await run.done).code).toBe(0);
      const { stdout } = await ralph(folder, ['runs', '--format', 'json']);
      expect(readJsonLines<{ reason: string }>(stdout)[0]?.reason).toBe('completed');
    });
  });

  test.each(['--version', '-V', '--help', 'run --help', 'presets', 'explain --format json', 'validate --format json'])(
    'of %s is missed in one line when it cannot be written, and by nobody when its reader is gone',
    async (line) => {
      const words = line.split(' ');
      await withPlace({}, async (folder) => {
        const call = (stdout: number) =>
          spawnSync(process.execPath, [RALPH, ...words], {
            cwd: folder,
            env: plainEnvironment(),
            stdio: ['ignore', stdout, 'pipe'],
            encoding: 'utf8',
          });
        const { status, stderr } = call(openSync('/dev/full', 'w'));
        expect([status, stderr]).toEqual([1, 'ralph: the output could not be written (ENOSPC).\n']);
        const piped = spawnSync('bash', ['-c', '{ sleep 0.1; "$@"; echo "$?" >&2; } | true', 'bash', process.execPath, RALPH, ...words], {
          cwd: folder,
          env: plainEnvironment(),
          encoding: 'utf8',
        });
        expect(piped.stderr).toBe('0\n');
      });
    },
  );

  test('is missed when it cannot be written', async () => {
    await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (folder) => {
      const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
      const { status, stderr } = spawnSync(process.execPath, [RALPH, 'run', '-p', 'x', '-q'], {
        cwd: folder,
        env: plainEnvironment(),
        stdio: [...stdio],
      });
      expect(String(stderr)).toContain('could not be written (ENOSPC)');
      expect(status).toBe(1);
      expect((await ralph(folder, ['status'])).stdout).toContain('Completed');
    });
  });

  test('has no control characters of the agent in it', async () => {
    await withPlace(toFiles('', "printf '\\033[2J\\033]0;title\\007red\\n'; echo LOOP_COMPLETE"), async (folder) => {
      const { code, stdout } = await ralph(folder, ['run', '-p', 'x']);
      expect(code).toBe(0);
      expect(stdout).toContain('red');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    });
  });
});
