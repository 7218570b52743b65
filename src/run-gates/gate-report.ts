import { existsSync } from 'node:fs';
import type { Settings } from '../config/settings.ts';
import { type GateResult, toResultName } from '../core/gates/gate-result.ts';
import { type GateBaseline, type GateSpec, isRequiredGate, toGateName } from '../core/gates/gate-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import { isRalphError } from '../core/values/errors.ts';
import { toScope } from '../gates/gate-scope.ts';
import { toIdleGlobWarnings } from '../gates/idle-globs.ts';
import { findRun } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readJournal } from '../journal/read-journal.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import type { TreeState } from '../ports/tree-reader.ts';
import { findLayout } from '../runs/find-layout.ts';
import { readRunFile } from '../runs/run-file.ts';
import { withoutKeys } from '../safety/known-secrets.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { createTreeReader } from '../workspace/snapshot/create-tree-reader.ts';

/** One gate as `ralph gates` tells of it. */
export interface GateRow {
  /** 1, 2, 3, …: its place in the file. */
  readonly number: number;
  readonly name: string;
  /** The command; `null` for a check that the project's files say nothing about, and for protected files. */
  readonly command: string | null;
  readonly check: GateSpec['check'] | null;
  readonly on: readonly string[];
  readonly required: boolean;
  readonly hats: readonly string[] | null;
  readonly onlyIf: readonly string[] | null;
  readonly protect: readonly string[] | null;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly serial: boolean;
  readonly cache: boolean;
  /** The file of the project that names the command, where Ralph found it himself; else `null`. */
  readonly from: string | null;
  /** What it must be at the end, compared with before the first turn; `null`: it is not run then. */
  readonly baseline: GateBaseline | null;
  /** Labels that a worker of a fleet must have to run it; `null`: it runs where the run is. */
  readonly runsOn: readonly string[] | null;
  readonly evidence: GateEvidenceRow | null;
}

/** What the newest run showed of it last. */
export interface GateEvidenceRow {
  /** The number of its record in the run's `evidence/`; `null` where none was written. */
  readonly number: number | null;
  /** Epoch milliseconds at which the verdict was taken up. */
  readonly at: number;
  readonly passed: boolean;
  readonly skipped: boolean;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly attempts: number;
  /** True if the files that it is about are still the same; `null` where that cannot be told. */
  readonly isFresh: boolean | null;
  /** The worker of a fleet that ran it; `null`: it ran where the run was. */
  readonly worker: string | null;
}

export interface GateReport {
  readonly runId: string | null;
  readonly gates: readonly GateRow[];
  /** What is wrong with the globs of gates, one sentence each. */
  readonly warnings: readonly string[];
}

/** Tells of the gates of a configuration, with what the newest run of the folder showed. Nothing is run. */
export async function listGates(settings: Settings, cwd: string, env: Environment): Promise<GateReport> {
  const seen = readNewestRun(cwd);
  const state = seen === null || !existsSync(seen.workspace) ? null : await readTree(settings, seen.workspace, env);
  const gates: GateRow[] = [];
  for (const [index, gate] of settings.spec.gates.entries())
    gates.push(toRow(gate, index, seen && (await toEvidence(gate, index, { seen, state }))));
  return { runId: seen?.runId ?? null, gates, warnings: await toIdleGlobWarnings(settings.spec.gates, cwd) };
}

interface SeenRun {
  readonly runId: string;
  readonly workspace: string;
  readonly results: readonly (GateResult & { readonly at: number })[];
}

/** `null` where there is no run yet, or none that can be read. */
function readNewestRun(cwd: string): SeenRun | null {
  try {
    const { stateDir } = findLayout(cwd);
    const runId = findRun({ fs: nodeFileSystem, stateDir }, 'last');
    const paths = toRunPaths(stateDir, runId);
    const results: (GateResult & { readonly at: number })[] = [];
    readJournal({ fs: nodeFileSystem, path: paths.journal }, ({ input }) => {
      if (input.type === 'gates-finished') results.push(...input.results.map((result) => ({ ...result, at: input.at })));
    });
    return { runId, workspace: readRunFile(paths.settings).workspace, results };
  } catch (error) {
    if (isRalphError(error)) return null;
    throw error;
  }
}

function readTree(settings: Settings, cwd: string, env: Environment): Promise<TreeState | null> {
  return createTreeReader({ cwd, env: withoutKeys(settings, env), stateDirs: toStateDirs(settings) }).read();
}

interface Seen {
  readonly seen: SeenRun;
  readonly state: TreeState | null;
}

/** Two gates may run the same command: that at the same place is meant, where the file is still as it was. */
async function toEvidence(gate: GateSpec, index: number, { seen, state }: Seen): Promise<GateEvidenceRow | null> {
  const named = seen.results.filter((result) => toResultName(result) === toGateName(gate));
  const last = named.findLast((result) => result.gate === index) ?? named.at(-1);
  if (last === undefined) return null;
  const { evidence, skipped = false } = last;
  const now = evidence?.tree == null ? null : await toScope(state, gate);
  return {
    number: evidence?.number ?? null,
    at: last.at,
    passed: last.passed,
    skipped,
    exitCode: last.exitCode,
    timedOut: last.timedOut,
    durationMs: last.durationMs,
    attempts: evidence?.attempts ?? (skipped ? 0 : 1),
    isFresh: now === null ? null : now === evidence?.tree,
    worker: evidence?.worker ?? null,
  };
}

function toRow(gate: GateSpec, index: number, evidence: GateEvidenceRow | null): GateRow {
  const isUnknown = gate.protect !== undefined || (gate.check !== undefined && gate.run === gate.check);
  return {
    number: index + 1,
    name: toGateName(gate),
    command: isUnknown ? null : gate.run,
    check: gate.check ?? null,
    on: gate.on,
    required: isRequiredGate(gate),
    hats: gate.hats ?? null,
    onlyIf: gate.onlyIf ?? null,
    protect: gate.protect ?? null,
    timeoutMs: gate.timeoutMs,
    retries: gate.retries ?? 0,
    serial: gate.serial ?? false,
    cache: gate.cache ?? true,
    from: gate.from ?? null,
    baseline: gate.baseline ?? null,
    runsOn: gate.runsOn ?? null,
    evidence,
  };
}
