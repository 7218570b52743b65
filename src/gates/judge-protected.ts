import { writeFileSync } from 'node:fs';
import type { GateResult } from '../core/index.ts';
import type { GateBench, GateCase } from './gate-bench.ts';
import { toResult, toUnrun } from './judge-gate.ts';
import { redactOutput } from './redact-output.ts';
import { toExcerpt } from './to-excerpt.ts';

const keptBytes = 4 << 10;

/** The verdict of the gate on protected files: they are as they were when the run began. Never rejects. */
export async function judgeProtected(bench: GateBench, given: GateCase): Promise<GateResult> {
  const { run } = given.order.spec;
  if (given.signal.aborted) return toUnrun(given, run, 'not run: the run was stopped');
  const startedAt = Date.now();
  const tree = (await bench.look(given.look))?.hash ?? null;
  const shown = await (bench.settings.checkProtected?.() ?? Promise.resolve('')).catch(toProblem);
  const changes = redactOutput(bench.settings, shown);
  const passed = changes === '';
  const file = bench.store?.open() ?? null;
  try {
    if (file !== null) writeFileSync(file.logPath, changes);
  } catch {
    // The verdict says it as well.
  }
  // Not shortened in the middle: a difference has no end that sums up.
  const outputTail = Buffer.byteLength(changes) <= keptBytes ? changes : `${toStart(changes)}\n[…]`;
  const verdict = { passed, exitCode: passed ? 0 : 1, timedOut: false, outputTail, isCut: outputTail !== changes };
  const durationMs = Date.now() - startedAt;
  return toResult(bench, given, {
    command: run,
    verdict,
    file,
    startedAt,
    durationMs,
    attempts: [],
    treeBefore: tree,
    tree,
    isFresh: true,
  });
}

function toStart(text: string): string {
  const start = Buffer.from(text)
    .subarray(0, keptBytes - 100)
    .toString('utf8');
  return start.slice(0, Math.max(0, start.lastIndexOf('\n')));
}

function toProblem(error: unknown): string {
  return toExcerpt(
    `The protected files could not be looked at: ${error instanceof Error ? error.message : String(error)}`,
    false,
    '',
    keptBytes,
  ).text;
}
