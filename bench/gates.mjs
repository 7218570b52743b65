import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { cleanEnvironment, ms, row, summarise } from './measure.mjs';
import { withFolder } from './workspace.mjs';

const FILES = 2000;
const RUNS = 20;

/** What a gate costs: that of an unchanged tree against running `true` through the same runner, and against one `git status`. */
export async function benchGates() {
  return withBundle(new URL('gates.ts', import.meta.url), async (file) => {
    const { createGateRunner, createTreeReader } = await import(file);
    return withFolder({}, (cwd) => measure(cwd, createGateRunner, createTreeReader));
  });
}

async function measure(cwd, createGateRunner, createTreeReader) {
  makeRepository(cwd);
  const env = cleanEnvironment();
  const tree = createTreeReader({ cwd, env, stateDirs: ['.ralph'] });
  const settings = { cwd, env, tree, evidenceDir: join(cwd, '.ralph', 'evidence') };
  const ask = (runner, spec) =>
    timed(() =>
      runner.run([{ gate: 0, spec: { on: [], run: 'true', timeoutMs: 10_000, ...spec } }], new AbortController().signal, () => undefined),
    );
  const runner = createGateRunner(settings);
  const first = await ask(runner, {});
  const cached = [];
  const plain = [];
  const status = [];
  const bare = createGateRunner({ cwd, env });
  for (let run = 0; run < RUNS; run += 1) {
    cached.push(await ask(runner, {}));
    plain.push(await ask(bare, { cache: false }));
    status.push(await timed(async () => execFileSync('git', ['status', '--porcelain=v2', '-uall'], { cwd, env })));
  }
  const [a, b, c] = [summarise(cached), summarise(plain), summarise(status)];
  return [
    row(
      `gate that passed on the same ${FILES} files`,
      ms(a.median),
      `running \`true\` ${ms(b.median)}`,
      `${(a.median / b.median).toFixed(2)} x`,
      `median of ${RUNS}; one \`git status\` of these files ${ms(c.median)}; the first look at them, with \`true\`, ${ms(first)}`,
    ),
  ];
}

async function timed(task) {
  const startedAt = process.hrtime.bigint();
  await task();
  return Number(process.hrtime.bigint() - startedAt) / 1e6;
}

function makeRepository(cwd) {
  for (let folder = 0; folder < FILES / 100; folder += 1) {
    mkdirSync(join(cwd, `f${folder}`));
    for (let file = 0; file < 100; file += 1) writeFileSync(join(cwd, `f${folder}`, `${file}.txt`), `file ${folder} ${file}\n`.repeat(100));
  }
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.invalid', ...args], { cwd, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'files');
}
