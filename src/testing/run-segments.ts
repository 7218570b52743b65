import { setTimeout as pause } from 'node:timers/promises';
import { toErrorCode } from '../core/values/errors.ts';
import type { Moment, ResumeStep, RunStep, Scenario, Step } from './scenario.ts';
import { hasReached, isFileThere, type ScenarioFolders } from './scenario-folders.ts';
import { type ScenarioRun, type Segment, type SegmentOrder, startApart, startHere } from './segment.ts';

/** What happened while a scenario ran. */
interface SegmentsResult {
  readonly runs: readonly ScenarioRun[];
  readonly faults: readonly string[];
}

const TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** Starts the runs of a scenario one after the other, and lets happen from outside what it says. */
export async function runSegments(scenario: Scenario, folders: ScenarioFolders): Promise<SegmentsResult> {
  const faults: string[] = [];
  const runs: ScenarioRun[] = [];
  for (const planned of planSegments(scenario)) {
    if (planned.order.kind === 'run') runs.push({ ends: [], rivals: [], durationMs: 0 });
    const run = runs[runs.length - 1] as ScenarioRun;
    if (planned.config !== undefined) folders.writeConfig(planned.config);
    folders.writeFiles(planned.files ?? {});
    faults.push(...(await runSegment(planned, run, folders, scenario.timeout_ms ?? TIMEOUT_MS)));
  }
  return { runs, faults };
}

/** What the orchestrator is told, what is changed before, and what happens to it meanwhile. */
interface PlannedSegment {
  readonly order: SegmentOrder;
  readonly config?: Scenario['config'];
  readonly files?: Scenario['files'];
  readonly steps: Step[];
}

function planSegments(scenario: Scenario): readonly PlannedSegment[] {
  const segments: PlannedSegment[] = [{ order: { kind: 'run', prompt: scenario.prompt, worktree: scenario.worktree ?? null }, steps: [] }];
  for (const step of scenario.steps ?? []) {
    if (step.resume !== undefined) segments.push({ ...toChanges(step.resume), order: toResume(step.resume), steps: [] });
    else if (step.run !== undefined) segments.push({ ...toChanges(step.run), order: toRun(step.run, scenario), steps: [] });
    else segments[segments.length - 1]?.steps.push(step);
  }
  return segments;
}

function toChanges({ config, files }: ResumeStep | RunStep): Pick<PlannedSegment, 'config' | 'files'> {
  return { ...(config === undefined ? {} : { config }), ...(files === undefined ? {} : { files }) };
}

function toResume({
  max_iterations: maxIterations,
  max_cost_usd: maxCostUsd,
  accept_changes: acceptChanges = false,
}: ResumeStep): SegmentOrder {
  return { kind: 'resume', maxIterations, maxCostUsd, acceptChanges };
}

function toRun({ prompt, worktree }: RunStep, scenario: Scenario): SegmentOrder {
  return { kind: 'run', prompt: prompt ?? scenario.prompt, worktree: worktree ?? null };
}

/** The result says what went wrong. */
async function runSegment(
  planned: PlannedSegment,
  run: ScenarioRun,
  folders: ScenarioFolders,
  timeoutMs: number,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const startedAt = performance.now();
  const mayBeKilled = planned.steps.some((step) => step.kill !== undefined);
  const segment = mayBeKilled ? startApart(folders, planned.order) : startHere(folders, planned.order);
  const timer = setTimeout(() => {
    faults.push(`the run did not end within ${timeoutMs} ms; it was killed`);
    segment.kill();
  }, timeoutMs);
  for (const step of planned.steps) {
    const problem = await performStep(step, segment, folders, run);
    if (problem !== null) faults.push(problem);
  }
  run.ends.push(await segment.ended);
  clearTimeout(timer);
  run.durationMs += performance.now() - startedAt;
  return faults;
}

/** Waits for the moment of a step, then lets it happen. Returns what is wrong when the moment never comes. */
async function performStep(step: Step, segment: Segment, folders: ScenarioFolders, run: ScenarioRun): Promise<string | null> {
  const [name, moment] = Object.entries(step)[0] as [keyof Step, Moment];
  const isOver = segment.ended.then(() => true as const);
  if (!(await waitUntil(() => hasCome(moment, folders), isOver))) return `the moment of the ${name} never came: the run was over before`;
  await Promise.race([pause(moment.after_ms ?? 0), isOver]);
  if (name === 'rival') run.rivals.push(await startRival(folders));
  else if (name === 'kill') segment.kill();
  else segment.stop(name === 'stop' ? 'after-iteration' : (name as 'interrupt' | 'terminate' | 'hangup'));
  return null;
}

function hasCome({ turn, file }: Moment, folders: ScenarioFolders): boolean {
  return (turn === undefined || hasReached(folders, turn)) && (file === undefined || isFileThere(folders, file));
}

async function waitUntil(isTrue: () => boolean, isOver: Promise<true>): Promise<boolean> {
  for (;;) {
    if (isTrue()) return true;
    const over = await Promise.race([isOver, pause(LOOK_EVERY_MS, false)]);
    if (over) return isTrue();
  }
}

/** Tries to start another run in the same folder; one that starts is killed at once. */
async function startRival(folders: ScenarioFolders): Promise<string> {
  try {
    const rival = startHere(folders, { kind: 'run', prompt: 'another one', worktree: null });
    const end = await Promise.race([rival.ended, pause(1000, null)]);
    if (end === null) rival.kill();
    return (end ?? (await rival.ended)).error?.code ?? 'started';
  } catch (error) {
    return toErrorCode(error);
  }
}
