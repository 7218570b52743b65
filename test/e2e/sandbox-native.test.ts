/** The programs that tools of the native agent start: held by the sandbox of the operating system, as far as the hat may not write. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { findOsSandbox } from '../../src/sandbox/index.ts';
import { makeFolder, ralph } from './ralph.ts';

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);
const NEEDLE = 'k3y-of-the-model';
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What the project's own tests do when a model has had a hand in them. */
const TESTS = `echo evil > src/a.txt
mkdir -p coverage && echo 1 > coverage/c
echo evil > "$OUTSIDE/late.txt"
cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep ${NEEDLE} > coverage/key
(setsid sh -c 'sleep 1.2; echo evil > .agent/left' > /dev/null 2>&1 &)
echo "tests ran in $(basename "$PWD")"
`;

function createProject(profile: string, more: string): { readonly cwd: string; readonly outside: string } {
  const outside = mkdtempSync(join(tmpdir(), 'ralph-outside-'));
  const cwd = makeFolder({
    'ralph.yml': `event_loop: {max_iterations: 1, terminal_events: [review.done], checkpoint_interval: 0}
gates: []
cli: {backend: {type: native, provider: scripted, script: script.yml}}
hats:
  one: {triggers: [task.start, task.resume], publishes: [review.done, task.complete], profile: ${profile}${more}}
`,
    'script.yml': `turns:
  - steps:
      - calls: [{tool: run_tests}, {tool: git_status}]
      - expect: {results: tests ran in}
        calls: [{tool: emit_event, args: {topic: review.done}}]
      - text: That is all.
`,
    'PROMPT.md': 'Look at it.\n',
    'tests.sh': TESTS.replace('$OUTSIDE', outside),
    'src/a.txt': 'a\n',
    '.gitignore': '.agent/\n.ralph/\ncoverage/\n',
    'package.json': JSON.stringify({ scripts: { test: './tests.sh' } }),
  });
  folders.push(cwd, outside);
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@e', ...args], { cwd, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { cwd, outside };
}

/** Runs the one hat, and tells what its tests could do. */
async function runTests(profile: string, more = '') {
  const { cwd, outside } = createProject(profile, more);
  const { stdout, stderr } = await ralph(cwd, ['run'], { SOME_API_KEY: NEEDLE });
  const { stdout: shown } = await ralph(cwd, ['show', '1']);
  await delay(900);
  const read = (path: string): string => (existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), 'utf8') : 'none');
  return {
    said: stdout + stderr,
    shown: shown.replace(/\s+/g, ' '),
    source: read('src/a.txt'),
    coverage: read('coverage/c'),
    key: read('coverage/key'),
    left: read('.agent/left'),
    outside: existsSync(join(outside, 'late.txt')),
  };
}

describe.skipIf(SANDBOX.found === null)('tests that the native agent runs', () => {
  it('write nothing that stays for a hat that may not write, and see no key of Ralph', async () => {
    const found = await runTests('critic');
    expect(found).toMatchObject({ source: 'a\n', coverage: 'none', key: 'none', left: 'none', outside: false });
    expect(found.said).toContain('✓ succeeded');
    expect(found.said).not.toContain('may not write, and changed');
  });

  it('write the workspace for a hat that may, and see no key of Ralph', async () => {
    expect(await runTests('creator')).toMatchObject({ source: 'evil\n', coverage: '1\n', key: '', left: 'none', outside: true });
  });

  it('write in the workspace only where a sandbox is required for a hat that may write', async () => {
    const found = await runTests('creator', ', sandbox: required');
    expect(found).toMatchObject({ source: 'evil\n', coverage: '1\n', key: '', left: 'none', outside: false });
  });

  it.each([
    ['critic', '', /around what its tools start \(tests, git\): the workspace is read-only/],
    ['creator', '', /around what its tools start: it sees no process outside/],
    ['creator', ', sandbox: required', /around what its tools start \(tests, git\): writes in the workspace only/],
    ['critic', ', sandbox: off', /`sandbox: off`/],
  ])('are told of by `ralph doctor --sandbox`: profile %s%s', async (profile, more, text) => {
    const { cwd } = createProject(profile, more);
    expect((await ralph(cwd, ['doctor', '--sandbox'])).stdout.replace(/\s+/g, ' ')).toMatch(text);
  });

  it('are not held where there is to be no sandbox', async () => {
    expect(await runTests('critic', ', sandbox: off')).toMatchObject({ source: 'a\n', coverage: 'none', outside: true });
  });
});
