import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const RALPH = fileURLToPath(new URL('../../bin/ralph.js', import.meta.url));
const SERVER = `ralph-faces-${process.pid}`;
const WHY_NOT = findWhyNot();

const CONFIG = `cli: {backend: custom, command: ./agent.sh}
event_loop: {checkpoint_interval: 0}
gates:
  - {name: tests, on: [build.done], run: "test -f mended || { echo 'FAIL src/login.ts: 3 is not 4'; exit 1; }"}
hats:
  planner:
    triggers: [task.start, task.resume, build.blocked, review.rejected]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done]
  reviewer:
    triggers: [build.done]
    publishes: [review.rejected, LOOP_COMPLETE]
`;

/** Each turn waits for a file of its name, so that the tests say how far a run is. The second builder asks. */
const AGENT = `#!/bin/sh
echo "I am $RALPH_HAT."
echo x >> turns
N=$(wc -l < turns | tr -d ' ')
while [ ! -e "go-$N" ]; do sleep 0.05; done
case "$RALPH_HAT" in
planner) "$RALPH_BIN" emit build.task "step $N";;
builder) if [ "$N" -gt 2 ]; then touch mended; "$RALPH_BIN" ask "Deploy to staging?" --choices yes,no --default no --deadline 60s > answer; fi; "$RALPH_BIN" emit build.done "done";;
reviewer) "$RALPH_BIN" emit LOOP_COMPLETE "done";;
esac
`;

function findWhyNot(): string | null {
  if (spawnSync('tmux', ['-V']).status !== 0) return 'there is no tmux';
  return existsSync(fileURLToPath(new URL('../../dist/command.cjs', import.meta.url)))
    ? null
    : 'there is no build: npm run build -- --no-types';
}

let folder = '';
const environment = { ...process.env, CI: '', ACCESSIBLE: '', NO_COLOR: '', XDG_STATE_HOME: join(tmpdir(), 'ralph-faces-state') };

function tmux(...words: readonly string[]): string {
  return execFileSync('tmux', ['-L', SERVER, ...words], { encoding: 'utf8', env: environment });
}

/** Starts a command in a terminal of its own, in the place of one of that name that a first try left; it shows the exit code afterwards. */
function open(name: string, words: string, { columns = 110, rows = 30 } = {}): void {
  const command = `cd '${folder}'; '${process.execPath}' '${RALPH}' ${words}; echo "exit code $?"; exec sleep 1000`;
  spawnSync('tmux', ['-L', SERVER, 'kill-session', '-t', name], { env: environment });
  tmux('new-session', '-d', '-s', name, '-x', String(columns), '-y', String(rows), command);
}

const screen = (name: string): string => tmux('capture-pane', '-p', '-t', name);
const press = (name: string, ...keys: readonly string[]): string => tmux('send-keys', '-t', name, ...keys);
const go = (turn: number): void => writeFileSync(join(folder, `go-${turn}`), '');

async function until(name: string, words: string, withinMs = 15_000): Promise<string> {
  const end = Date.now() + withinMs;
  let seen = '';
  while (Date.now() < end) {
    seen = screen(name);
    if (seen.includes(words)) return seen;
    await pause(50);
  }
  throw new Error(`${JSON.stringify(words)} did not come; the screen was:\n${seen}`);
}

/** The process of the command in a terminal. */
function findView(name: string): number {
  const shell = tmux('list-panes', '-t', name, '-F', '#{pane_pid}').trim();
  return Number(readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ')[0]);
}

const readRuns = (): readonly string[] => readdirSync(join(folder, '.ralph', 'runs')).sort();
const readStatus = () =>
  JSON.parse(execFileSync(process.execPath, [RALPH, 'status', '--format', 'json'], { cwd: folder, encoding: 'utf8', env: environment }));

beforeAll(() => {
  if (WHY_NOT !== null) return;
  folder = mkdtempSync(join(tmpdir(), 'ralph-faces-'));
  writeFileSync(join(folder, 'ralph.yml'), CONFIG);
  writeFileSync(join(folder, 'agent.sh'), AGENT);
  chmodSync(join(folder, 'agent.sh'), 0o755);
});

afterAll(() => {
  if (WHY_NOT !== null) return;
  spawnSync(process.execPath, [RALPH, 'stop', '--now'], { cwd: folder, env: environment });
  spawnSync('tmux', ['-L', SERVER, 'kill-server']);
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(WHY_NOT !== null)(`the terminal view in tmux${WHY_NOT === null ? '' : ` (skipped: ${WHY_NOT})`}`, () => {
  test('ralph run shows its run, which goes on when the view is killed', async () => {
    open('run', "run -p 'Fix the login'");
    await until('run', 'goes on when you leave');
    await until('run', 'planner works');
    process.kill(findView('run'), 'SIGKILL');
    await until('run', 'exit code 137');
    expect(readStatus().end).toBe(null);
    go(1);
  });

  test('ralph watch attaches to it, and follows the size of the terminal', async () => {
    open('watch', 'watch');
    await until('watch', 'builder works');
    await until('watch', 'RUNNING');
    tmux('resize-window', '-t', 'watch', '-x', '60', '-y', '15');
    await pause(300);
    const small = await until('watch', '6 Evidence');
    expect(small.split('\n').every((line) => [...line].length <= 60)).toBe(true);
    tmux('resize-window', '-t', 'watch', '-x', '160', '-y', '45');
    await until('watch', '4 Events 2');
  });

  test('it comes back whole after it was stopped from outside', async () => {
    const view = findView('watch');
    process.kill(view, 'SIGSTOP');
    await pause(300);
    press('watch', 'x');
    process.kill(view, 'SIGCONT');
    press('watch', '?');
    await until('watch', 'Keys');
    press('watch', 'Escape');
    await until('watch', 'Flow');
  });

  test.each([
    ['SIGQUIT', 131],
    ['SIGTERM', 143],
  ] as const)('killed by %s it gives the terminal back as it was', async (signal, code) => {
    open('killed', 'watch');
    await until('killed', 'builder works');
    const state = (): string => tmux('display-message', '-p', '-t', 'killed', '#{alternate_on} #{cursor_flag}').trim();
    expect(state()).toBe('1 0');
    process.kill(findView('killed'), signal);
    await until('killed', `exit code ${code}`);
    expect(state()).toBe('0 1');
    const terminal = tmux('display-message', '-p', '-t', 'killed', '#{pane_tty}').trim();
    expect(execFileSync('stty', ['-F', terminal, '-a'], { encoding: 'utf8' })).toMatch(/ icanon .* echo /s);
    tmux('kill-session', '-t', 'killed');
  });

  test('it says which gate is red and why', async () => {
    go(2);
    await until('watch', 'GATE RED');
    await until('watch', 'FAIL src/login.ts: 3 is not 4');
  });

  test('it looks back as ralph status --at does, and steers nothing meanwhile', async () => {
    press('watch', '<');
    const past = await until('watch', 'PAST input');
    const seq = /PAST input (\d+) of/.exec(past)?.[1] ?? '';
    const at = JSON.parse(
      execFileSync(process.execPath, [RALPH, 'status', '--at', seq, '--format', 'json'], {
        cwd: folder,
        encoding: 'utf8',
        env: environment,
      }),
    );
    expect(past.includes('GATE RED')).toBe(at.attention.state === 'gate_red');
    press('watch', 's');
    await until('watch', 'This is the past');
    press('watch', 'L');
    await until('watch', 'LIVE input');
  });

  test('it tells an agent something, and says what became of it', async () => {
    press('watch', ':');
    press('watch', '-l', 'use the mock clock');
    press('watch', 'Enter');
    await until('watch', 'In the journal as #');
    go(3);
    await until('watch', 'builder works');
    press('watch', '[');
    await until('watch', 'use the mock clock');
    press('watch', ']');
  });

  test('it stays quick and small while an agent floods its output', async () => {
    const [run = ''] = readRuns();
    const turns = join(folder, '.ralph', 'runs', run, 'turns');
    const turn = readdirSync(turns).sort().at(-1) ?? '';
    const pid = findView('watch');
    const ticks = (): number => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return Number(fields[11]) + Number(fields[12]);
    };
    const before = ticks();
    const start = Date.now();
    for (let block = 0; Date.now() - start < 4000; block += 1) {
      const lines = Array.from({ length: 1500 }, (_, line) => `block ${block} line ${line} ${Math.random()} and some more words`);
      appendFileSync(join(turns, turn, 'text.md'), `${lines.join('\n')}\n`);
      await pause(10);
    }
    const share = (ticks() - before) / ((Date.now() - start) / 1000);
    const megabytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
    console.log(`  flood: ${share.toFixed(0)} % of a core, ${megabytes.toFixed(0)} MB`);
    appendFileSync(join(turns, turn, 'text.md'), '\nthe end of the flood\n');
    await until('watch', 'the end of the flood', 2000);
    // Generous: the machine is not alone.
    expect([share < 30, megabytes < 150], `${share} % of a core, ${megabytes} MB`).toEqual([true, true]);
  });

  test('it answers a question, and leaves the report behind when it is left', async () => {
    go(4);
    await until('watch', 'press a, then');
    press('watch', 'a');
    press('watch', '-l', 'yes');
    press('watch', 'Enter');
    await until('watch', 'q1 is answered: yes.');
    await until('watch', 'reviewer works');
    expect(readFileSync(join(folder, 'answer'), 'utf8')).toBe('yes\n');
    press('watch', 'q');
    const left = await until('watch', 'exit code 0');
    expect(left).toMatch(/Fix the login/);
  });

  test('a terminal that is closed leaves the run going; it ends by itself', async () => {
    open('closed', 'watch');
    await until('closed', 'reviewer works');
    tmux('kill-session', '-t', 'closed');
    await pause(500);
    expect(readStatus().end).toBe(null);
    go(5);
    open('last', 'watch --read-only');
    await until('last', 'COMPLETED');
    press('last', ':');
    await until('last', 'only reads');
    press('last', 'q');
    await until('last', 'exit code 0');
    expect(readStatus().end.reason).toBe('completed');
  });

  test('ctrl+c asks, and the second one stops the run with its exit code', async () => {
    open('stopped', "run -p 'Fix it again' -c isolation=off");
    await until('stopped', 'works');
    press('stopped', 'C-c');
    await until('stopped', 'What now?');
    press('stopped', 'C-c');
    const left = await until('stopped', 'exit code 130');
    // What lines say at the beginning is said at the end.
    expect(left).toContain('WARN: Not isolated');
    expect(readStatus().end.reason).toBe('interrupted');
  });
});
