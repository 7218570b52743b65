import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { plainEnvironment, RALPH, ralph, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

const COMMANDS = [
  'run',
  'resume',
  'stop',
  'status',
  'runs',
  'show',
  'events',
  'emit',
  'init',
  'doctor',
  'demo',
  'ps',
  'reap',
  'clean',
  'completions',
];
const STREAM = `#!/bin/sh
case "$1" in --version) echo '9.9.9 (Claude Code)'; exit 0 ;; esac
echo '{"type":"system","subtype":"init","session_id":"s1","model":"m"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"LOOP_COMPLETE"}]},"session_id":"s1"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"LOOP_COMPLETE","session_id":"s1","total_cost_usd":0.25}'
`;

/** Puts a `claude` of ours into `bin/`, and gives a PATH on which it is the only agent. */
function addClaude(folder: string): { readonly PATH: string; readonly HOME: string; readonly XDG_CACHE_HOME: string } {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin/claude'), STREAM);
  chmodSync(join(folder, 'bin/claude'), 0o755);
  return { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder, XDG_CACHE_HOME: join(folder, '.cache') };
}

describe.concurrent('a newcomer', () => {
  test('types `ralph init`, says what is to be done, then `ralph run`, and an agent works; the untouched form pays nobody', async () => {
    await withPlace({}, async (folder) => {
      const env = addClaude(folder);
      const init = await ralph(folder, ['init'], env);
      expect(init.code, init.stderr).toBe(0);
      expect(init.stdout).toContain('ralph.yml, PROMPT.md');
      expect(init.stdout).toContain('permissions: default');
      const again = await ralph(folder, ['init'], env);
      expect(again.code).toBe(2);
      expect(again.stderr).toContain('--force');
      const dry = await ralph(folder, ['run', '--dry-run'], env);
      expect([dry.code, dry.stderr]).toEqual([0, '']);
      const form = await ralph(folder, ['run'], env);
      expect([form.code, form.stdout]).toEqual([2, '']);
      expect(form.stderr).toContain('Fill in PROMPT.md');
      expect(existsSync(join(folder, '.ralph/runs'))).toBe(false);
      writeFileSync(join(folder, 'PROMPT.md'), 'Mend the login.\n');
      const run = await ralph(folder, ['run'], env);
      expect(run.code, run.stdout + run.stderr).toBe(0);
      expect(run.stdout).toMatch(/Evidence +none: no gate checks the work/);
      expect((await readStatus(folder)).turns[0]?.command[0]).toBe('claude');
      rmSync(join(folder, 'ralph.yml'));
      expect((await ralph(folder, ['init', '-b', 'codex'], env)).stdout).toContain('ralph.yml');
      expect(readFileSync(join(folder, 'ralph.yml'), 'utf8')).toContain('backend: codex');
    });
  });

  test('needs no configuration', async () => {
    await withPlace({}, async (folder) => {
      const run = await ralph(folder, ['-p', 'do it'], addClaude(folder));
      expect(run.code, run.stdout + run.stderr).toBe(0);
      expect(run.stdout).toContain('$0.25');
    });
  });

  test('without any agent is told so by run and doctor', async () => {
    await withPlace({}, async (folder) => {
      const env = { PATH: '/usr/bin:/bin', HOME: folder, XDG_CACHE_HOME: folder };
      const run = await ralph(folder, ['run', '-p', 'do it'], env);
      expect(run.code).toBe(2);
      expect(run.stderr).toContain('ralph doctor');
      expect(existsSync(join(folder, '.ralph'))).toBe(false);
      const doctor = await ralph(folder, ['doctor'], env);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toContain('no agent CLI was found');
    });
  });

  test('sees in `ralph doctor` what is there', async () => {
    await withPlace({}, async (folder) => {
      const env = addClaude(folder);
      const { code, stdout } = await ralph(folder, ['doctor'], env);
      expect(code, stdout).toBe(0);
      expect(stdout).toMatch(/claude +claude +9\.9\.9/);
      expect(stdout).toMatch(/codex +codex: not found +- +- +-\n[\s\S]*amp +amp: not found +- +- +unverified\n/);
      const { v, backends } = JSON.parse((await ralph(folder, ['doctor', '--format', 'json'], env)).stdout) as {
        readonly v: number;
        readonly backends: readonly { readonly type: string; readonly path: string | null }[];
      };
      expect(v).toBe(1);
      expect(backends.filter((backend) => backend.path !== null).map((backend) => backend.type)).toEqual(['claude']);
      writeFileSync(join(folder, 'ralph.yml'), 'clii: {}\nevent_loop: { max_iterations: none }\n');
      const broken = await ralph(folder, ['doctor'], env);
      expect(broken.code).toBe(1);
      expect(broken.stdout).toContain('ralph validate');
    });
  });

  test('is told by `ralph demo fleet` what it lacks, and nothing is made', async () => {
    await withPlace({}, async (folder) => {
      const demo = await ralph(folder, ['demo', 'fleet'], { PATH: folder, TMPDIR: folder });
      expect([demo.code, demo.stdout]).toEqual([1, '']);
      expect(demo.stderr).toContain('apt-get install nats-server');
      expect(demo.stderr).not.toMatch(/^ +at /m);
      const watched = await ralph(folder, ['demo', 'fleet', '--web'], { PATH: folder, TMPDIR: folder });
      expect(watched).toMatchObject({ code: 2, stderr: expect.stringContaining('ralph watch') });
      expect(readdirSync(folder).filter((name) => name.startsWith('ralph-demo'))).toEqual([]);
    });
  });

  test('watches `ralph demo` mend a failing test, and types what it says at its end', { timeout: 60_000 }, async () => {
    await withPlace({}, async (folder) => {
      const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TMPDIR: folder };
      const { code, stdout, stderr } = await ralph(folder, ['demo'], env);
      expect(code, stdout + stderr).toBe(0);
      expect(stdout.indexOf('node --test fails')).toBeGreaterThan(-1);
      expect(stdout.indexOf('node --test passes')).toBeGreaterThan(stdout.indexOf('node --test fails'));
      expect(stdout).toContain('written beforehand');
      expect(stdout).toContain('write_file by its profile');
      expect(stdout).toMatch(/ralph(\.js)? run -p/);
      const [, look = ''] = /Look at it:\n +(cd .*)\n/.exec(stdout) ?? [];
      expect(execFileSync('/bin/sh', ['-c', look], { env, encoding: 'utf8' })).toContain('build.task');
      expect(stdout).toContain('Completed');
      const review = stdout.slice(stdout.indexOf('types `ralph review`'), stdout.indexOf('Look at it:'));
      expect(review).toMatch(/Completed after [\s\S]* Evidence [\s\S]* Reviews +reviewer[\s\S]* Next /);
    });
  });

  test('watches `ralph demo panel`: agents hear of each other, vote, and what won passes the tests', { timeout: 60_000 }, async () => {
    await withPlace({}, async (folder) => {
      const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TMPDIR: folder };
      const { code, stdout, stderr } = await ralph(folder, ['demo', 'panel'], env);
      expect(code, stdout + stderr).toBe(0);
      expect(stdout).toMatch(/Before {2}✗ node --test fails[\s\S]*After {3}✓ node --test passes/);
      for (const agent of ['quick', 'listener', 'thorough']) {
        expect(stdout).toMatch(new RegExp(`  ${agent} +works on an answer`));
        expect(stdout).toMatch(new RegExp(`  ${agent} +votes for listener: `));
      }
      expect(stdout).toMatch(/ {2}listener +was told of quick's answer/);
      expect(stdout).toContain('→ listener won with 3 of 3 votes');
      expect(stdout).toMatch(/build\.done to reviewer/);
      expect(stdout).toContain('Completed');
      const [, look = ''] = /Look at it:\n +(cd .*)\n/.exec(stdout) ?? [];
      expect(execFileSync('/bin/sh', ['-c', look], { env, encoding: 'utf8' })).toContain('Whole seconds come first');
    });
  });

  test('finds help with examples for every command', async () => {
    await withPlace({}, async (folder) => {
      const root = await ralph(folder, ['--help']);
      expect([root.code, root.stdout]).toEqual([0, expect.stringContaining('ralph help design|look|publish|keep|all')]);
      const all = await ralph(folder, ['help', 'all']);
      for (const command of COMMANDS) expect(all.stdout).toContain(`  ${command} `);
      const helps = await Promise.all(COMMANDS.map((command) => ralph(folder, [command, '--help'])));
      for (const [index, { code, stdout, stderr }] of helps.entries()) {
        expect([code, stderr], COMMANDS[index]).toEqual([0, '']);
        expect(stdout, COMMANDS[index]).toContain('Examples:');
      }
      expect((await ralph(folder, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      expect((await ralph(folder, ['help', 'run'])).stdout).toBe(helps[0]?.stdout);
    });
  });
});

describe('completions', () => {
  test('for bash are a script that bash takes, and complete commands, options and values', async () => {
    await withPlace({}, async (folder) => {
      const { code, stdout } = await ralph(folder, ['completions', 'bash']);
      expect(code).toBe(0);
      writeFileSync(join(folder, 'c.bash'), stdout);
      const complete = (...words: readonly string[]): string[] => {
        const script = `ralph() { node '${RALPH}' "$@"; }; source c.bash; f=$(complete -p ralph | sed 's/.*-F \\([^ ]*\\).*/\\1/'); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "$f" ralph "\${@: -1}" "\${@: -2:1}"; printf '%s\\n' "\${COMPREPLY[@]}"`;
        const result = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], { cwd: folder, encoding: 'utf8' });
        expect(result.stderr).toBe('');
        return result.stdout
          .split('\n')
          .map((word) => word.trim())
          .filter((word) => word !== '');
      };
      expect(complete('ralph', 're')).toEqual(['resume', 'review', 'report', 'reap']);
      expect(complete('ralph', 'run', '--max-')).toEqual(['--max-iterations', '--max-cost', '--max-runtime']);
      expect(complete('ralph', 'completions', 'z')).toEqual(['zsh']);
      expect(complete('ralph', 'run', '--format', '')).toEqual(['text', 'ndjson']);
      expect(complete('ralph', 'validate', '--format', 's')).toEqual(['sarif']);
      expect(complete('ralph', 'validate', '--format', '=', 's')).toEqual(['sarif']);
      expect(complete('ralph', 'run', '--backend', 'c')).toEqual(['claude', 'codex', 'copilot', 'cline']);
      expect(complete('ralph', '-b', 'nat')).toEqual(['native']);
      expect(complete('ralph', 'init', '--preset', 'deb')).toEqual(['debug']);
      expect(complete('ralph', 'tools', '--profile', 'cri')).toEqual(['critic']);
      expect(complete('ralph', 'worktrees', 'd')).toEqual(['diff']);
      expect(complete('ralph', 'presets', 'show', 'deb')).toEqual(['debug']);
      expect(complete('ralph', 'hats', 'show', '')).toEqual([]);
      writeFileSync(
        join(folder, 'ralph.yml'),
        'hats: {builder: {triggers: [task.start, "id"]}, back-end: {triggers: [x]}, 0: {triggers: [y]}, "$(touch ran)": {triggers: [z]}}\n',
      );
      expect(complete('ralph', 'hats', '')).toContain('show');
      expect(complete('ralph', 'hats', 'show', '')).toEqual(['builder', 'back-end', '0']);
      expect(complete('ralph', 'hats', 'show', 'bu')).toEqual(['builder']);
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    });
  });

  test('for zsh and fish name every command', async () => {
    await withPlace({}, async (folder) => {
      for (const shell of ['zsh', 'fish']) {
        const { code, stdout } = await ralph(folder, ['completions', shell]);
        expect(code).toBe(0);
        for (const command of COMMANDS) expect(stdout, shell).toContain(command);
      }
    });
  });
});

/** Commands whose examples start no agent and wait for nothing. */
const LOOKS = ['explain', 'presets', 'completions', 'config', 'validate', 'graph', 'hats', 'tools', 'trace', 'simulate', 'runs', 'clean'];

describe.concurrent('the examples of --help', () => {
  test('run as they are printed in a new folder, but for files, hats and runs that they only stand for', { timeout: 120_000 }, async () => {
    await withPlace({}, async (folder) => {
      writeFileSync(join(folder, 'ralph'), `#!/bin/sh\nexec ${process.execPath} ${RALPH} "$@"\n`, { mode: 0o755 });
      const env = plainEnvironment({ PATH: `${folder}:${process.env['PATH'] ?? ''}` });
      expect((await ralph(folder, ['init', '--preset', 'feature', '--task', 'x'])).code).toBe(0);
      const helps = await Promise.all(LOOKS.map((command) => ralph(folder, [command, '--help'])));
      const examples = helps.flatMap(({ stdout }) =>
        [...stdout.matchAll(/^ {2}(ralph .*?\S)(?: {2,}.*)?$/gm)].map((match) => match[1] ?? ''),
      );
      const still = examples.filter((line) => !/--watch|--follow|\bsource\b|ralph (?:run|init)\b/.test(line));
      expect(still.length).toBeGreaterThan(30);
      const wrong = still.flatMap((line) => {
        const { stderr } = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8', timeout: 20_000 });
        const isRight =
          !stderr.startsWith('ralph:') || /no configuration file|neither a hat nor|no run in this folder|it is not there/.test(stderr);
        return isRight ? [] : [`${line}: ${stderr}`];
      });
      expect(wrong).toEqual([]);
    });
  });
});

describe.concurrent('the end of a run', () => {
  test('is told to the notify command, with its facts, after a resume too; a command that fails is named', async () => {
    const notify =
      'printf "%s|%s|%s\\n" "$RALPH_RUN" "$RALPH_END_REASON" "$RALPH_EXIT_CODE" >> told.txt; [ "$RALPH_END_REASON" != completed ] || exit 3';
    await withPlace(toFiles(`notify: '${notify}'\n`, 'if [ "$(nth turn)" = 2 ]; then echo LOOP_COMPLETE; fi'), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'x', '--max-iterations', '1'])).code).toBe(2);
      const resumed = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect(resumed.code).toBe(0);
      const { runId } = await readStatus(folder);
      expect(readFileSync(join(folder, 'told.txt'), 'utf8')).toBe(`${runId}|max_iterations|2\n${runId}|completed|0\n`);
      expect(resumed.stderr).toContain('notify');
    });
  });

  test('as parked is told to the notify command, with cost, task, folder and what helps, and so is one that waits', async () => {
    const notify =
      'printf "%s|%s|%s|%s|%s|%s|%s\\n" "$RALPH_EVENT" "$RALPH_END_REASON" "$RALPH_EXIT_CODE" "$RALPH_ATTENTION" "$RALPH_COST_USD" "$RALPH_TASK" "$RALPH_FOLDER" >> told.txt';
    const body = `case "$(nth turn)" in
  1) echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
    echo '{"type":"result","subtype":"success","is_error":false,"result":"hm","session_id":"s","total_cost_usd":0.25}' ;;
  2) echo 'You have hit your usage limit' >&2; exit 1 ;;
  *) echo 'Invalid API key · Please run /login' >&2; exit 1 ;;
esac`;
    const files = toFiles('', body, { 'PROMPT.md': 'Mend the cart.\nAll of it.\n' });
    await withPlace({ ...files, 'ralph.yml': `cli: { backend: claude, command: ./agent.sh }\nnotify: '${notify}'\n` }, async (folder) => {
      const told = (): readonly string[] =>
        existsSync(join(folder, 'told.txt')) ? readFileSync(join(folder, 'told.txt'), 'utf8').trimEnd().split('\n') : [];
      const run = start(folder, ['run', '-q']);
      await until('the notification that it waits', () => told().length === 1);
      expect(told()).toEqual([`parked||||0.2500|Mend the cart.|${folder}`]);
      run.child.kill('SIGKILL');
      await run.done;
      expect((await ralph(folder, ['resume', '-q'])).code).toBe(2);
      expect(told()[1]).toBe(
        `ended|parked|2|sign in to claude: \`claude /login\`, or set ANTHROPIC_API_KEY|0.2500|Mend the cart.|${folder}`,
      );
    });
  });

  test('rings the bell of a terminal, and of nothing else', async () => {
    await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, ['run', '-p', 'x']);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain('\u0007');
      if (spawnSync('script', ['--version']).status !== 0) return;
      const command = `${process.execPath} ${RALPH} run -p x`;
      const terminal = execFileSync('script', ['-qec', command, '/dev/null'], {
        cwd: folder,
        env: plainEnvironment({ TERM: 'xterm' }),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      expect(terminal).toContain('\u0007');
      expect(terminal).toContain('Completed');
    });
  });
});
