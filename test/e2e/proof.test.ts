/**
 * Nobody needs to configure a gate for a lie to be found out: what a project's files name as the command that runs its tests is run before a
 * completion counts, and before the first turn.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toAgent, toFiles } from './agent-script.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

/** README's first command, with so many turns that a lie can be told twice. */
const RUN = ['run', '-p', 'Make the failing tests in test/ pass', '--no-tui', '--max-iterations', '2'];
const LIE = 'echo "All tests pass."; echo LOOP_COMPLETE';
const PACKAGE = '{"scripts": {"test": "sh check.sh"}}';

/** Programs that the folder has beside those of the machine: on the PATH of the run before them. */
function withPrograms(folder: string, programs: Readonly<Record<string, string>>): { readonly PATH: string } {
  mkdirSync(join(folder, '.bin'));
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(folder, '.bin', name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, '.bin', name), 0o755);
  }
  return { PATH: `${join(folder, '.bin')}:${process.env['PATH']}` };
}

/** A `claude` that says the promise, whatever it is asked, as plain text would be said by one. */
const LYING_CLAUDE = `case "$1" in --version) echo '9.9.9 (Claude Code)'; exit 0 ;; esac
echo '{"type":"system","subtype":"init","session_id":"s1","model":"claude-sonnet-4-5"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"LOOP_COMPLETE"}]},"session_id":"s1"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"LOOP_COMPLETE","session_id":"s1","total_cost_usd":0.1,"usage":{"input_tokens":1,"output_tokens":1}}'`;

const ECOSYSTEMS: readonly (readonly [string, Readonly<Record<string, string>>, string, Readonly<Record<string, string>>])[] = [
  [
    'node',
    { 'package.json': '{"scripts": {"test": "node --test"}}', 'a.test.js': 'require("node:test")("adds", () => { throw 1; });' },
    'npm test',
    {},
  ],
  [
    'python',
    { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'test_a.py': 'def test_a(): assert 0\n' },
    'pytest -q',
    { pytest: 'echo "1 failed in 0.01s"; exit 1' },
  ],
  ['go', { 'go.mod': 'module a\n', 'a_test.go': 'package a\n' }, 'go test ./...', { go: 'echo "--- FAIL: TestA (0.00s)"; exit 1' }],
  [
    'rust',
    { 'Cargo.toml': '[package]\nname = "a"\n', 'src/lib.rs': '' },
    'cargo test',
    { cargo: 'echo "test result: FAILED. 0 passed; 1 failed; 0 ignored"; exit 101' },
  ],
  ['make', { Makefile: 'test:\n\t@echo nothing works; exit 1\n' }, 'make test', {}],
];

describe.concurrent('without any configuration', () => {
  test.each(ECOSYSTEMS)('a lie about red tests of a project in %s completes nothing', async (_name, files, command, programs) => {
    await withPlace(files, async (folder) => {
      const env = withPrograms(folder, { ...programs, claude: LYING_CLAUDE });
      const { code, stdout, stderr } = await ralph(folder, RUN, env);
      expect(code, stdout + stderr).toBe(2);
      expect(stdout).toContain(`${command} (found in ${Object.keys(files)[0]}; --no-gates leaves it out)`);
      expect(stdout).toContain(`${command} was red before the first turn`);
      expect(stdout).toContain('Not completed (max_iterations)');
      const { turns } = await readStatus(folder);
      expect(turns).toHaveLength(2);
    });
  });

  test('a command whose tool is not there is named, and refuses nothing', async () => {
    await withPlace(toFiles('', LIE, { 'mix.exs': '' }), async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, RUN);
      expect(code, stdout + stderr).toBe(0);
      expect(stderr).toContain('`mix test` (mix.exs) would prove the work, but mix is not on the PATH');
      expect(stdout).toContain('Completed, unproven after 1 iteration');
    });
  });

  test('the dry run names the command, and a preset and a team of a file are checked by it as well', async () => {
    const team = `${'hats:\n  builder:\n    triggers: [task.start, task.resume]\n    publishes: [LOOP_COMPLETE]\n'}`;
    await withPlace(toFiles('', LIE, { 'package.json': PACKAGE, 'check.sh': 'exit 1', 'team.yml': team }), async (folder) => {
      for (const more of [[], ['--hats', 'preset:tdd'], ['--hats', 'team.yml']]) {
        const { stdout } = await ralph(folder, ['run', '-p', 'work', '--dry-run', ...more]);
        expect(stdout).toMatch(
          /Gate +npm test on task\.complete \(at most 10 min 00 s; found in package\.json, --no-gates leaves\s+it out; run/,
        );
      }
      expect((await ralph(folder, [...RUN, '--hats', 'team.yml'])).code).toBe(2);
      expect((await ralph(folder, ['run', '-p', 'work', '--dry-run', '--no-gates'])).stdout).toContain('none: no gate checks the work');
    });
  });

  test.each([
    ['a team that has gates of its own keeps exactly those', 'gates: [{run: "true"}]\n', 'Completed after 1 iteration', []],
    ['a configuration that says that there are none has none', 'gates: []\n', 'Completed, unproven after 1 iteration', []],
    ['--no-gates leaves out what was found', '', 'Completed, unproven after 1 iteration', ['--no-gates']],
    ['--no-gates leaves out what is configured', 'gates: [{run: "false"}]\n', 'Completed, unproven after 1 iteration', ['--no-gates']],
  ])('%s', async (_name, config, headline, more) => {
    await withPlace(toFiles(config, LIE, { 'package.json': PACKAGE, 'check.sh': 'touch asked; exit 1' }), async (folder) => {
      const { code, stdout } = await ralph(folder, [...RUN, ...more]);
      expect([code, stdout]).toEqual([0, expect.stringContaining(headline)]);
      expect(existsSync(join(folder, 'asked'))).toBe(false);
    });
  });

  test('a completion that nothing speaks for is called unproven by every face', async () => {
    const config = `notify: printf '%s %s' "$RALPH_END_REASON" "$RALPH_PROVEN" > told\n`;
    await withPlace(toFiles(config, LIE), async (folder) => {
      const lines = readJsonLines<{ kind: string; proof?: unknown }>(
        (await ralph(folder, ['run', '-p', 'x', '--format', 'ndjson'])).stdout,
      );
      const proof = { isProven: false, reason: expect.stringContaining('no gate is configured') };
      expect(lines.at(-1)).toMatchObject({ kind: 'end', reason: 'completed', exitCode: 0, proof });
      expect(readFileSync(join(folder, 'told'), 'utf8')).toBe('completed no');
      for (const args of [['status'], ['show'], ['runs']]) expect((await ralph(folder, args)).stdout).toMatch(/ompleted, unproven/);
      expect(await readStatus(folder)).toMatchObject({ proof });
      expect(readJsonLines((await ralph(folder, ['runs', '--format', 'json'])).stdout)).toMatchObject([{ proof }]);
      expect((await ralph(folder, ['run', '-p', 'x', '-q'])).stdout).toMatch(/^Completed, unproven/);
    });
  });

  test('what was found is proof once it is green, and what it runs is named first where the run changed it', async () => {
    const body =
      'if [ "$(nth turn)" = 1 ]; then echo LOOP_COMPLETE; else printf \'{"scripts": {"test": "true"}}\' > package.json; echo LOOP_COMPLETE; fi';
    await withPlace(toFiles('', body, { 'package.json': PACKAGE, 'check.sh': 'exit 1' }), async (folder) => {
      await ralph(folder, ['--version']);
      const { spawnSync } = await import('node:child_process');
      for (const args of [
        ['init', '-q'],
        ['add', '.'],
        ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x'],
      ])
        spawnSync('git', args, { cwd: folder });
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(stdout).toContain('Completed after 2 iterations');
      expect(stdout).toMatch(/Completed after .*\n.*Flagged +changed by the run, and a gate does what it says: package\.json/);
      expect(stdout).toContain('red before the first turn: npm test');
    });
  });
});

describe.concurrent('before the first turn', () => {
  test('a red command is told to the first agent in one line', async () => {
    const body = 'printf "%s" "$prompt" > "prompt-$(nth turn)"; echo LOOP_COMPLETE';
    const check = 'echo "# fail 3"; exit 1';
    await withPlace(toFiles('', body, { 'package.json': PACKAGE, 'check.sh': check }), async (folder) => {
      await ralph(folder, RUN);
      const line = '- `npm test` was red before the first turn (3 failed). At the end it must be green.';
      expect(readFileSync(join(folder, 'prompt-1'), 'utf8')).toContain(line);
      expect(readFileSync(join(folder, 'prompt-2'), 'utf8')).not.toContain(line);
    });
  });

  test.each([
    ['no redder, which is allowed', '# fail 2', 0, 'Completed, unproven'],
    ['redder, which is not', '# fail 3', 2, 'Not completed'],
  ])('under no_worse what was red ends %s', async (_name, after, code, headline) => {
    const check = `if [ -f worked ]; then echo "${after}"; else echo "# fail 2"; fi; exit 1`;
    const files = toFiles('gate_baseline: no_worse\n', 'touch worked; echo LOOP_COMPLETE', { 'package.json': PACKAGE, 'check.sh': check });
    await withPlace(files, async (folder) => {
      const ended = await ralph(folder, RUN);
      expect([ended.code, ended.stdout]).toEqual([code, expect.stringContaining(headline)]);
      expect(ended.stdout).toContain('npm test was red before the first turn (exit 1, 2 failed tests); it may stay so, but not get worse.');
    });
  });

  test('gate_baseline: off runs nothing, and named gates are run where the key is written', async () => {
    const files = { 'package.json': PACKAGE, 'check.sh': 'echo x >> asked' };
    for (const [config, times] of [
      ['gate_baseline: off\n', 1],
      ['gates: [{run: sh check.sh}]\n', 1],
      ['gate_baseline: green\ngates: [{run: sh check.sh, cache: false}]\n', 2],
    ] as const) {
      await withPlace(toFiles(config, LIE, files), async (folder) => {
        expect((await ralph(folder, RUN)).code).toBe(0);
        expect(readFileSync(join(folder, 'asked'), 'utf8').split('\n')).toHaveLength(times + 1);
      });
    }
  });

  test('a run that was killed goes on with it, and nothing of it stays behind', async () => {
    const check = 'if [ -f again ]; then exit 0; fi; touch began; sleep 1000';
    await withPlace(toFiles('', LIE, { 'package.json': PACKAGE, 'check.sh': check }), async (folder) => {
      const run = start(folder, RUN);
      await until('the command to run', () => existsSync(join(folder, 'began')));
      await until('its status', async () => /Gates +npm test for/.test((await ralph(folder, ['status'])).stdout));
      run.child.kill('SIGKILL');
      await run.done;
      writeFileSync(join(folder, 'again'), '');
      const { code, stdout } = await ralph(folder, ['resume']);
      expect(code, stdout).toBe(0);
      expect(stdout).toContain('Completed after 1 iteration');
      expect(findProcesses(folder)).toEqual([]);
    });
  });

  test('Ctrl+C ends it at once, the time of a gate does too, and the run goes on', async () => {
    const check = 'touch began; [ -f again ] || sleep 1000';
    await withPlace(toFiles('', LIE, { 'package.json': PACKAGE, 'check.sh': check }), async (folder) => {
      const run = start(folder, RUN);
      await until('the command to run', () => existsSync(join(folder, 'began')));
      run.child.kill('SIGINT');
      const { code } = await run.done;
      expect(code).toBe(130);
      expect(findProcesses(folder)).toEqual([]);
      writeFileSync(join(folder, 'again'), '');
      expect((await ralph(folder, ['resume'])).code).toBe(0);
    });
    const slow = toFiles('gate_baseline: green\ngates: [{run: sleep 1000, timeout: 1s}]\n', LIE);
    await withPlace(slow, async (folder) => {
      const { code, stdout } = await ralph(folder, [...RUN, '--max-iterations', '1']);
      expect([code, stdout]).toEqual([2, expect.stringContaining('sleep 1000 was red before the first turn (ran out of time)')]);
    });
  });
});

test('what was found when the run began is run at its end, whatever an agent has written since', async () => {
  const body = 'printf "test:\\n\\ttrue\\n" > Makefile; printf "{}" > package.json; echo LOOP_COMPLETE';
  await withPlace(
    { ...toFiles('', body, { 'package.json': PACKAGE, 'check.sh': 'exit 1' }), 'agent.sh': toAgent(body) },
    async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(2);
      const resumed = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect(resumed.code, resumed.stdout).toBe(2);
      expect((await readStatus(folder)) as unknown).toMatchObject({ gates: ['npm test'] });
    },
  );
});

test('`ralph gates` lists what would be found, and runs it', async () => {
  await withPlace(toFiles('', LIE, { 'package.json': PACKAGE, 'check.sh': 'exit 1' }), async (folder) => {
    const { gates } = JSON.parse((await ralph(folder, ['gates', '--format', 'json'])).stdout) as { gates: unknown };
    expect(gates).toMatchObject([
      { name: 'npm test', command: 'npm test', on: ['task.complete'], required: true, from: 'package.json', baseline: 'green' },
    ]);
    expect((await ralph(folder, ['gates'])).stdout).toContain('npm test (found in package.json)');
    expect((await ralph(folder, ['gates', '--run'])).code).toBe(1);
  });
});
