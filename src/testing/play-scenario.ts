import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toErrorCode } from '../core/index.ts';
import { writeFiles } from './file-content.ts';
import { hasReached } from './read-records.ts';
import type { Moment, ResumeStep, RunStep, Scenario, Step } from './scenario.ts';
import type { Segment, SegmentEnd, SegmentOrder } from './segment.ts';
import { type Stage, writeConfig } from './stage.ts';
import { startHere } from './start-here.ts';
import { startProcess } from './start-process.ts';

/** One run as it was played; its facts are in the journal. */
export interface PlayedRun {
  readonly ends: SegmentEnd[];
  readonly rivals: string[];
  durationMs: number;
}

/** What happened on the stage. */
export interface Play {
  readonly runs: readonly PlayedRun[];
  readonly faults: readonly string[];
}

const TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** Plays a scenario to its end: starts its runs one after the other, and lets happen from outside what it says. */
export async function playScenario(scenario: Scenario, stage: Stage): Promise<Play> {
  const faults: string[] = [];
  const runs: PlayedRun[] = [];
  for (const act of toActs(scenario)) {
    if (act.order.kind === 'run') runs.push({ ends: [], rivals: [], durationMs: 0 });
    const run = runs[runs.length - 1] as PlayedRun;
    if (act.config !== undefined) writeConfig(stage.workspace, act.config);
    writeFiles(stage.workspace, act.files ?? {});
    await playAct(act, run, { scenario, stage, faults });
  }
  return { runs, faults };
}

/** One life of an orchestrator, with what happens to it. */
interface Act {
  readonly order: SegmentOrder;
  readonly config?: Scenario['config'];
  readonly files?: Scenario['files'];
  readonly moments: Step[];
}

function toActs(scenario: Scenario): readonly Act[] {
  const acts: Act[] = [{ order: { kind: 'run', prompt: scenario.prompt, worktree: scenario.worktree ?? null }, moments: [] }];
  for (const step of scenario.steps ?? []) {
    if (step.resume !== undefined) acts.push({ ...toChanges(step.resume), order: toResume(step.resume), moments: [] });
    else if (step.run !== undefined) acts.push({ ...toChanges(step.run), order: toRun(step.run, scenario), moments: [] });
    else acts[acts.length - 1]?.moments.push(step);
  }
  return acts;
}

function toChanges({ config, files }: ResumeStep | RunStep): Pick<Act, 'config' | 'files'> {
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

interface Theatre {
  readonly scenario: Scenario;
  readonly stage: Stage;
  readonly faults: string[];
}

async function playAct(act: Act, run: PlayedRun, { scenario, stage, faults }: Theatre): Promise<void> {
  const startedAt = performance.now();
  const mayBeKilled = act.moments.some((step) => step.kill !== undefined);
  const segment = mayBeKilled ? startProcess(stage, act.order) : startHere(stage, act.order);
  const timeoutMs = scenario.timeout_ms ?? TIMEOUT_MS;
  const timer = setTimeout(() => {
    faults.push(`the run did not end within ${timeoutMs} ms; it was killed`);
    segment.kill();
  }, timeoutMs);
  for (const step of act.moments) {
    const problem = await meet(step, segment, stage, run);
    if (problem !== null) faults.push(problem);
  }
  run.ends.push(await segment.ended);
  clearTimeout(timer);
  run.durationMs += performance.now() - startedAt;
}

/** Waits for the moment of a step, then lets it happen. Returns what is wrong when the moment never comes. */
async function meet(step: Step, segment: Segment, stage: Stage, run: PlayedRun): Promise<string | null> {
  const [name, moment] = Object.entries(step)[0] as [keyof Step, Moment];
  const isOver = segment.ended.then(() => true as const);
  if (!(await waitUntil(() => hasCome(moment, stage), isOver))) return `the moment of the ${name} never came: the run was over before`;
  await Promise.race([pause(moment.after_ms ?? 0), isOver]);
  if (name === 'rival') run.rivals.push(await startRival(stage));
  else if (name === 'kill') segment.kill();
  else segment.stop(name === 'stop' ? 'after-iteration' : (name as 'interrupt' | 'terminate' | 'hangup'));
  return null;
}

function hasCome({ turn, file }: Moment, stage: Stage): boolean {
  return (turn === undefined || hasReached(stage, turn)) && (file === undefined || existsSync(join(stage.workspace, file)));
}

async function waitUntil(isTrue: () => boolean, isOver: Promise<true>): Promise<boolean> {
  for (;;) {
    if (isTrue()) return true;
    const over = await Promise.race([isOver, pause(LOOK_EVERY_MS, false)]);
    if (over) return isTrue();
  }
}

/** Tries to start another run in the same folder; one that starts is killed at once. */
async function startRival(stage: Stage): Promise<string> {
  try {
    const rival = startHere(stage, { kind: 'run', prompt: 'another one', worktree: null });
    const end = await Promise.race([rival.ended, pause(1000, null)]);
    if (end === null) rival.kill();
    return (end ?? (await rival.ended)).error?.code ?? 'started';
  } catch (error) {
    return toErrorCode(error);
  }
}
