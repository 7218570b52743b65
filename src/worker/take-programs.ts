import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { toWorkerMarker } from '../app/assemble-run.ts';
import type { HookOutcome, HookSpec } from '../core/hooks/hook-spec.ts';
import { toPlacedHandler } from '../core/hooks/sent-handler.ts';
import { isJsonObject, type Json, mapTexts, parseJson } from '../core/values/json.ts';
import { type HookTask, type HookWords, parseHookTask } from '../fleet/hook-messages.ts';
import { type GateTask, type GateWords, parseGateTask } from '../fleet/messages.ts';
import type { Job } from '../fleet/take-work.ts';
import { readEnds, readWhole } from '../fleet-runs/read-plain.ts';
import { MAX_LOG_BYTES } from '../gates/evidence-store.ts';
import { createResidentPrograms } from '../hooks/resident-programs.ts';
import { runHandler } from '../hooks/run-handler.ts';
import type { AwayGateShown, AwayGateTry } from '../ports/gate-runner.ts';
import { toGateMarker } from '../runs/markers.ts';
import type { OrderTaker, WorkerPlace } from './worker-place.ts';

/** A gate or a hook that a worker is to run. */
export type ProgramTask = GateTask | HookTask;

/** Reads it; `null` for the order of a turn. */
export function parseProgramTask(task: Json): ProgramTask | null {
  return parseGateTask(task) ?? parseHookTask(task);
}

/** Runs it as a run on this machine would. What it writes stays until the next order, and goes nowhere. How it ended. */
export async function takeProgram(taker: OrderTaker, place: WorkerPlace, job: Job, task: ProgramTask): Promise<string> {
  const status = task.kind === 'gate' ? await takeGate(taker, place, job, task) : await takeHook(taker, place, job, task);
  if (status === null || job.fenced.aborted) return 'given up';
  await place.tree.leave();
  return status;
}

/** Says that it could not be run, and why. */
export async function reportUnrun(job: Job, { kind, offer }: ProgramTask, trouble: string): Promise<string> {
  const words: GateWords | HookWords =
    kind === 'gate' ? { kind, offer, shown: null, log: null, trouble } : { kind, offer, outcome: null, trouble };
  await job.report(words);
  return `not run: ${trouble}`;
}

/** `null`: nobody wants to know any more. */
async function takeGate(
  { fleet }: OrderTaker,
  { run, file, evidence: folder }: WorkerPlace,
  job: Job,
  { gate, spec, offer, cwd }: GateTask,
): Promise<string | null> {
  const [result] = await run.ports.gates.run([{ gate, spec }], job.fenced, () => undefined);
  if (result === undefined || job.fenced.aborted) return null;
  const toHome = (text: string): string => text.replaceAll(file.workspace, () => cwd);
  const { passed, exitCode, timedOut, durationMs, failedTests, ranTests, isOutputCut, evidence } = result;
  const shown: AwayGateShown = {
    ...{ passed, exitCode, timedOut, durationMs, outputTail: toHome(result.outputTail), isCut: evidence?.isCut === true },
    ...(failedTests !== undefined && { failedTests }),
    ...(ranTests !== undefined && { ranTests }),
    ...(isOutputCut !== undefined && { isOutputCut }),
    attempts: readTries(join(folder, `${evidence?.number}.json`)) ?? [{ exitCode, timedOut, durationMs }],
  };
  const path = join(folder, `${evidence?.number}.log`);
  // The run keeps no more of it, and a gate may put anything in its place.
  const bytes = readEnds(path, MAX_LOG_BYTES)?.head ?? null;
  const isNamed = bytes?.includes(file.workspace) === true;
  const log = bytes === null ? null : await fleet.blobs.put(isNamed ? Buffer.from(toHome(bytes.toString('utf8'))) : bytes);
  const words: GateWords = { kind: 'gate', offer, shown, log, trouble: '' };
  await job.report(words);
  rmSync(folder, { recursive: true, force: true });
  return passed ? 'passed' : 'failed';
}

/** A record has some lines for each try. */
const MAX_RECORD_BYTES = 1 << 20;

/** Of the record that the gate runner wrote just now; `null` where it could not. */
function readTries(path: string): readonly AwayGateTry[] | null {
  const bytes = readWhole(path, MAX_RECORD_BYTES);
  const record = parseJson(bytes?.toString('utf8') ?? '');
  // A gate may put anything in its place.
  return isJsonObject(record) && Array.isArray(record['attempts']) ? (record['attempts'] as unknown as readonly AwayGateTry[]) : null;
}

/** `null`: nobody wants to know any more. */
async function takeHook(
  { mark, env }: OrderTaker,
  { run, file: { workspace } }: WorkerPlace,
  job: Job,
  { offer, cwd, name, event, timeoutMs, handler, told }: HookTask,
): Promise<string | null> {
  const asked = { name, event, matcher: '*', timeoutMs, isFailClosed: false, place: '' };
  const spec: HookSpec = { ...asked, handler: toPlacedHandler(handler, workspace) };
  const marker = toWorkerMarker(mark, `${toGateMarker(job.run)}.hooks`);
  const residents = createResidentPrograms();
  const outcome = await runHandler(spec, { ...told, cwd: workspace }, { cwd: workspace, env, signal: job.fenced, marker, residents });
  if (job.fenced.aborted) return null;
  // What is secret on a worker is known there alone.
  const toHome = (text: string): string => (run.ports.redaction?.text(text) ?? text).replaceAll(workspace, () => cwd);
  const home = mapTexts(outcome as unknown as Json, toHome) as unknown as HookOutcome;
  const words: HookWords = { kind: 'hook', offer, outcome: home, trouble: '' };
  await job.report(words);
  return outcome.kind;
}
