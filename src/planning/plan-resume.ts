import { diffSettings } from '../config/compile/digest.ts';
import type { Settings } from '../config/settings.ts';
import { END_REASONS, type EndReason } from '../core/run/end-reasons.ts';
import type { RunLimits } from '../core/run/run-spec.ts';
import type { RunState } from '../core/run/state.ts';
import { isRalphError, RalphError } from '../core/values/errors.ts';
import { findRunId } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Layout } from '../runs/layout.ts';
import type { ResumeOptions } from '../runs/run-api.ts';
import { listChangedSecrets, type RunFile } from '../runs/run-file.ts';

import { planStart, type RunPlan } from './plan-run.ts';

/** An end that a resume cannot lift: the work is complete, or a limit is used up and was not raised. */
export function findFinalEnd(
  state: RunState,
  options: ResumeOptions,
): { readonly reason: EndReason; readonly exitCode: number; readonly text: string } | null {
  const { end } = state;
  if (end === null) return null;
  const raised = { ...state.limits, ...toRaisedLimits(state, options) };
  if (!isFinal(end.reason, state, raised)) return null;
  const { exitCode, text } = END_REASONS[end.reason];
  return { reason: end.reason, exitCode, text: `This run has ended: ${text} (${end.detail})` };
}

function isFinal(reason: EndReason, state: RunState, limits: RunLimits): boolean {
  switch (reason) {
    case 'completed':
      return true;
    case 'max_iterations':
      return limits.maxIterations <= state.counters.counted;
    case 'max_cost':
      return limits.maxCostUsd !== null && (state.usage.costUsd ?? 0) >= limits.maxCostUsd;
    // What more time is given, or was left, is found when the run goes on.
    case 'max_runtime':
    case 'stalled':
    case 'loop_detected':
    case 'consecutive_failures':
    case 'gate_refused':
    case 'config_invalid':
    case 'workspace_gone':
    case 'storage_failed':
    case 'parked':
    case 'interrupted':
    case 'terminated':
    case 'hangup':
      return false;
  }
}

export function toRaisedLimits(state: RunState, { maxIterations, maxCostUsd, maxRuntimeMs }: ResumeOptions): Partial<RunLimits> {
  const iterations =
    maxIterations === undefined
      ? {}
      : {
          maxIterations:
            'add' in maxIterations ? Math.max(state.limits.maxIterations, state.counters.counted) + maxIterations.add : maxIterations.set,
        };
  const runtime =
    maxRuntimeMs === undefined
      ? {}
      : {
          maxRuntimeMs: 'add' in maxRuntimeMs ? Math.max(state.limits.maxRuntimeMs, state.elapsedMs) + maxRuntimeMs.add : maxRuntimeMs.set,
        };
  return { ...iterations, ...runtime, ...(maxCostUsd === undefined ? {} : { maxCostUsd }) };
}

export interface ResumePlan {
  /** The file with the settings as they are now: what was kept of them is without secrets. */
  readonly next: RunFile;
  /** Whether they say something else than when the run was started. */
  readonly isChanged: boolean;
  readonly isolation: RunPlan['isolation'];
  readonly warnings: readonly string[];
}

export interface ResumeOrder {
  readonly options: ResumeOptions;
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
}

/**
 * Loads the configuration anew; what changed since is named and asked about.
 *
 * @throws RalphError `resume-changed`, and what `planStart` throws; of a file that is gone with the way back
 */
export async function planResume({ options, layout, paths, file }: ResumeOrder): Promise<ResumePlan> {
  const plan = await reload(options, layout, file).catch((error: unknown) => {
    throw toLostSource(error, () => toCommand(layout, paths.runId, options));
  });
  const { isolation } = plan;
  const warnings = [
    ...plan.warnings,
    ...listChangedSecrets(paths.settings, file, plan.settings).map(
      (name) => `The variable ${name} says something else than when the run was started.`,
    ),
  ];
  const next = { ...file, settings: withGateOfStart(plan.settings, file.settings) };
  const changed = diffSettings(file.settings, plan.settings);
  if (changed.length === 0)
    return { next: { ...next, settings: { ...plan.settings, spec: file.settings.spec } }, isChanged: false, isolation, warnings };
  const isAccepted = options.acceptChanges || (options.confirm !== undefined && (await options.confirm(changed)));
  if (isAccepted) return { next, isChanged: true, isolation, warnings };
  throw new RalphError({
    code: 'resume-changed',
    what: `Since the run was started this has changed: ${changed.join(', ')}.`,
    why: 'A run should continue under different rules only on purpose.',
    fix: `Go on with the changes: ${toCommand(layout, paths.runId, options)} --accept-changes\nor change them back, then: ${toCommand(layout, paths.runId, options)}`,
    exitCode: 2,
  });
}

const SOURCES = ['config-missing', 'config-unreadable', 'prompt-missing', 'prompt-unreadable'];

/** Of a file that the run was started with: no option of this command names another one. */
function toLostSource(error: unknown, nameCommand: () => string): unknown {
  if (!isRalphError(error) || !SOURCES.includes(error.code)) return error;
  const { code, message, exitCode } = error;
  const command = nameCommand();
  return new RalphError({
    code,
    what: `${message} The run was started with it.`,
    why: 'A run continues with the settings it was started with, read again from the same files.',
    fix: `Put it back, then: ${command}\nwith other words in it: ${command} --accept-changes`,
    exitCode,
  });
}

/** What Ralph found as the run began stands for the whole run: a file that an agent wrote since names no other command. What a person allows counts from now on. */
function withGateOfStart(now: Settings, start: Settings): Settings {
  if (now.seeksGate !== true || start.seeksGate !== true) return now;
  const { mayChangeTests } = now;
  const found = start.spec.gates.flatMap(({ mayChangeTests: _, ...gate }) =>
    gate.from === undefined ? [] : [{ ...gate, ...(mayChangeTests && { mayChangeTests }) }],
  );
  return { ...now, spec: { ...now.spec, gates: [...found, ...now.spec.gates.filter(({ from }) => from === undefined)] } };
}

/** As it was typed, with the run that it was typed for. */
function toCommand({ stateDir }: Layout, runId: string, { maxIterations, maxCostUsd, maxRuntimeMs }: ResumeOptions): string {
  const toLimit = (value: { readonly add: number } | { readonly set: number }, unit: number): string =>
    'add' in value ? `+${value.add / unit}` : String(value.set / unit);
  return [
    'ralph resume',
    ...(findRunId({ fs: nodeFileSystem, stateDir }, 'last') === runId ? [] : [runId]),
    ...(maxIterations === undefined ? [] : [`--max-iterations ${toLimit(maxIterations, 1)}`]),
    ...(maxCostUsd === undefined ? [] : [`--max-cost ${maxCostUsd}`]),
    ...(maxRuntimeMs === undefined ? [] : [`--max-runtime ${toLimit(maxRuntimeMs, 1000)}`]),
  ].join(' ');
}

function reload(options: ResumeOptions, layout: Layout, file: RunFile): Promise<RunPlan> {
  const { configFiles, flags, hatsOverlay, assignments = [] } = file.settings;
  const overlay = hatsOverlay === undefined ? {} : { hatsOverlay };
  const stdin = file.stdinPrompt === null ? {} : { stdinPrompt: file.stdinPrompt };
  const elsewhere = file.fleet === undefined ? {} : { isElsewhere: true, agentsOfStart: file.settings.backends };
  const request = { cwd: layout.root, configFiles, ...overlay, assignments, flags, env: options.env, goesOnIn: file.worktree };
  return planStart({ ...request, ...stdin, ...elsewhere });
}
