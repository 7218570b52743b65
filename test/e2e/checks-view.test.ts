/** The view of the workspace in which the checks of a critic write: named by doctor, held, and gone with the process that made it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder, plainEnvironment, RALPH } from './ralph.ts';
import { until } from './run-facts.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What the project's tests do: they write, say how many overlays they see, and stay where they are told to. */
const TESTS = `echo evil > src/a.txt; mkdir -p dist
echo "overlays: $(grep -c ' - overlay .*upperdir=[^ ]*private' /proc/self/mountinfo)"
[ ! -e hang ] || sleep 60
`;

function createProject(uid: number | undefined, more = ''): string {
  const folder = makeFolder({
    'ralph.yml': `event_loop: {max_iterations: 1, terminal_events: [review.done], checkpoint_interval: 0}
gates: []
cli: {backend: {type: native, provider: scripted, script: script.yml}}
hats:
  one: {triggers: [task.start, task.resume], publishes: [review.done, task.complete], profile: critic}
${more}`,
    'script.yml':
      'turns:\n  - steps:\n      - calls: [{tool: run_tests}]\n      - calls: [{tool: emit_event, args: {topic: review.done}}]\n',
    'PROMPT.md': 'Look at it.\n',
    'tests.sh': TESTS,
    'src/a.txt': 'a\n',
    'package.json': JSON.stringify({ scripts: { test: 'sh ./tests.sh' } }),
  });
  folders.push(folder);
  if (uid !== undefined)
    for (const path of [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))])
      chownSync(path, uid, uid);
  return folder;
}

interface Started {
  readonly child: ChildProcess;
  /** Its output, with white space as single blanks. */
  readonly done: Promise<string>;
}

function start(uid: number | undefined, cwd: string, ...args: readonly string[]): Started {
  const user = uid === undefined ? {} : { uid, gid: uid };
  const env = plainEnvironment({ HOME: join(cwd, 'home'), XDG_STATE_HOME: join(cwd, 'home') });
  const child = spawn(process.execPath, [RALPH, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...user });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  return { child, done: new Promise((resolve) => child.once('close', () => resolve(said.replace(/\s+/g, ' ')))) };
}

/** Nobody on most systems: without rights, and with namespaces only where anybody may have them. */
const UNPRIVILEGED = 65_534;
const mayBeOther =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [RALPH, '--version'], { cwd: tmpdir(), uid: UNPRIVILEGED, gid: UNPRIVILEGED }).status === 0;
const WHY_SKIPPED = 'only root can become somebody else, and this one must be able to read Ralph';

/** What the first turn of a run had of its own, if that is still there. */
function findPrivate(folder: string): string | undefined {
  const runs = join(folder, '.ralph', 'runs');
  const found = existsSync(runs) ? readdirSync(runs).map((run) => join(runs, run, 'private', '1.1')) : [];
  return found.find((path) => existsSync(path));
}

describe.each([
  ['this user', undefined],
  ['a user without rights', UNPRIVILEGED],
])('the view of the workspace, for %s,', (_, uid) => {
  it('is the one that `ralph doctor --sandbox` names, and keeps the workspace as it is', async ({ skip }) => {
    skip(uid !== undefined && !mayBeOther, WHY_SKIPPED);
    const folder = createProject(uid);
    const told = /view ✓ tests, builds and lint write in (an overlay|a copy that shares|a plain copy)/.exec(
      await start(uid, folder, 'doctor', '--sandbox').done,
    )?.[1];
    expect(told).toBeDefined();
    expect(readdirSync(folder)).not.toContain('.ralph');
    expect(await start(uid, folder, 'run', '--no-tui').done).toContain('✓ succeeded');
    const session = join(folder, '.ralph', 'runs', readdirSync(join(folder, '.ralph', 'runs'))[0] ?? '', 'turns', '1.1', 'session.jsonl');
    const seen = /overlays: (\d+)/.exec(readFileSync(session, 'utf8'))?.[1];
    expect(Number(seen) > 0).toBe(told === 'an overlay');
    expect(readFileSync(join(folder, 'src', 'a.txt'), 'utf8')).toBe('a\n');
    expect(existsSync(join(folder, 'dist'))).toBe(false);
    expect(findPrivate(folder)).toBeUndefined();
  });

  it('is gone when Ralph is killed while a check writes in it, and its folder with the next command', async ({ skip }) => {
    skip(uid !== undefined && !mayBeOther, WHY_SKIPPED);
    const folder = createProject(uid);
    writeFileSync(join(folder, 'hang'), '');
    const { child, done } = start(uid, folder, 'run', '--no-tui');
    await until('the check runs', () => findPrivate(folder) !== undefined && hasProcess(folder));
    child.kill('SIGKILL');
    await done;
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
    expect(readFileSync(join(folder, 'src', 'a.txt'), 'utf8')).toBe('a\n');
    rmSync(join(folder, 'hang'));
    expect(await start(uid, folder, 'resume', '--no-tui').done).toContain('✓ succeeded');
    expect(hasProcess(folder)).toBe(false);
    expect(findPrivate(folder)).toBeUndefined();
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });
});

describe('`ralph doctor --sandbox`', () => {
  it('says nothing of checks for a hat that may write, and that there is a copy where nothing is isolated', async () => {
    const free = createProject(undefined, 'isolation: off\n');
    expect(await start(undefined, free, 'doctor', '--sandbox').done).toMatch(/view ✓ .* in a (?:plain copy|copy that shares)/);
    const writing = createProject(undefined);
    const config = join(writing, 'ralph.yml');
    writeFileSync(config, readFileSync(config, 'utf8').replace('profile: critic', 'profile: creator'));
    expect(await start(undefined, writing, 'doctor', '--sandbox').done).not.toMatch(/view [✓-]/);
  });
});

/** Whether a check of that project is under way. */
function hasProcess(folder: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep\x0060') && isIn(pid, folder);
    } catch {
      return false;
    }
  });
}

/** By what its parent was told: in a view the working folder has another name. */
function isIn(pid: string, folder: string): boolean {
  return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
}
