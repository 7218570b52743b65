/** Run in a process of its own: prints what asking hooks adds to a call of a tool, for 0, 1 and 10 hooks of each kind. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HookHandler, HookSpec } from '../src/core/hooks/hook-spec.ts';
import { createToolHooks } from '../src/hooks/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-hooks-'));
const module = join(folder, 'hook.mjs');
writeFileSync(module, 'export const check = () => ({ decision: "allow" });\n');
writeFileSync(join(folder, 'bench_hook.py'), 'def check(event):\n    return {"decision": "allow"}\n');
const sha256 = createHash('sha256').update(readFileSync(module)).digest('hex');

const KINDS: Readonly<Record<string, { readonly handler: HookHandler; readonly isKeptAlive?: true; readonly calls: number }>> = {
  'function of a module': { handler: { kind: 'module', file: { path: module, sha256 }, exported: 'check' }, calls: 2000 },
  'program that stays': { handler: { kind: 'shell', line: 'while read -r _; do echo "{}"; done' }, isKeptAlive: true, calls: 500 },
  'function of Python': { handler: { kind: 'python', path: 'bench_hook.check', folders: [folder] }, calls: 500 },
  'program for each call': { handler: { kind: 'shell', line: 'cat > /dev/null; echo "{}"' }, calls: 30 },
};
const RUNS = 5;

async function measure(count: number, kind: keyof typeof KINDS): Promise<number> {
  const { handler, isKeptAlive, calls } = KINDS[kind] ?? { handler: { kind: 'shell', line: '' }, calls: 0 };
  const spec = { event: 'PreToolUse', matcher: 'write_*', handler, timeoutMs: 30_000, isFailClosed: true, place: '' } as const;
  const specs = Array.from(
    { length: count },
    (_, index): HookSpec => ({
      ...spec,
      name: `h${index}`,
      ...(isKeptAlive === undefined ? {} : { isKeptAlive }),
    }),
  );
  const scene = {
    run: 'r',
    turn: '1.1',
    hat: 'h',
    agentId: 'h',
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    signal: new AbortController().signal,
    marker: 'bench',
  };
  const hooks = createToolHooks(specs, scene, { now: Date.now, steady: () => performance.now() });
  const call = { id: 'c', tool: 'write_file', input: { path: 'a.txt', content: 'x'.repeat(200) } };
  let best = Number.POSITIVE_INFINITY;
  try {
    if ((await hooks.before(call)).decision !== 'allow') throw new Error(`the hook of ${kind} cannot be asked`);
    for (let run = 0; run < RUNS; run += 1) {
      const startedAt = performance.now();
      for (let time = 0; time < calls; time += 1) await hooks.before(call);
      best = Math.min(best, (performance.now() - startedAt) / calls);
    }
  } finally {
    await hooks.close();
  }
  return best;
}

const rows: object[] = [];
for (const kind of Object.keys(KINDS))
  rows.push({ kind, none: await measure(0, kind), one: await measure(1, kind), ten: await measure(10, kind) });
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify(rows));
