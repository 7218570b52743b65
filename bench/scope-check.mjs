import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { cleanEnvironment, ms, row, summarise } from './measure.mjs';
import { withFolder } from './workspace.mjs';

const FILES = 50_000;
const IGNORED = 2000;
const RUNS = 15;

/** What the look behind a turn of a hat that may not write costs, against one `git status` of the same files in the same run. */
export async function benchScopeCheck() {
  return withBundle(new URL('scope-check.ts', import.meta.url), async (file) => {
    const { createTreeWatch } = await import(file);
    return withFolder({}, (cwd) => measure(cwd, createTreeWatch));
  });
}

async function measure(cwd, createTreeWatch) {
  makeRepository(cwd);
  const env = cleanEnvironment();
  const watch = createTreeWatch({ cwd, env, stateDirs: ['.ralph', '.agent'], scratchDir: join(cwd, '.ralph', 'git'), reverts: false });
  const looks = [];
  const status = [];
  const nothing = async () => null;
  await (await watch.begin([])).end(nothing);
  for (let run = 0; run < RUNS; run += 1) {
    const look = await watch.begin([]);
    looks.push(await timed(() => look.end(nothing)));
    status.push(await timed(() => runStatus(cwd, env)));
  }
  const [a, b] = [summarise(looks), summarise(status)];
  return [
    row(
      `look behind a turn at ${FILES} files and ${IGNORED} ignored ones`,
      ms(a.median),
      `\`git status --porcelain=v2 -uall\` ${ms(b.median)}`,
      `${(a.median / b.median).toFixed(2)} x`,
      `median of ${RUNS}, in turn; fastest ${ms(a.min)} and ${ms(b.min)}`,
    ),
  ];
}

async function timed(task) {
  const startedAt = process.hrtime.bigint();
  await task();
  return Number(process.hrtime.bigint() - startedAt) / 1e6;
}

function runStatus(cwd, env) {
  return new Promise((resolve, reject) => {
    const args = ['status', '--porcelain=v2', '-uall'];
    const child = spawn('git', args, { cwd, env: { ...env, GIT_OPTIONAL_LOCKS: '0' }, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`git status ended with ${code}`))));
  });
}

function makeRepository(cwd) {
  for (let folder = 0; folder < FILES / 100; folder += 1) {
    mkdirSync(join(cwd, `src/${folder % 20}/${folder}`), { recursive: true });
    for (let file = 0; file < 100; file += 1) writeFileSync(join(cwd, `src/${folder % 20}/${folder}/${file}.txt`), `${folder} ${file}\n`);
  }
  for (let file = 0; file < IGNORED; file += 1) {
    mkdirSync(join(cwd, `node_modules/${file % 50}`), { recursive: true });
    writeFileSync(join(cwd, `node_modules/${file % 50}/${file}.js`), 'x\n');
  }
  writeFileSync(join(cwd, '.gitignore'), 'node_modules/\n');
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@b', '-c', 'gc.auto=0', ...args], { cwd, stdio: 'ignore' });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  // A few things are always under way.
  writeFileSync(join(cwd, 'src/0/0/0.txt'), 'changed\n');
  writeFileSync(join(cwd, 'notes.txt'), 'unknown\n');
}
