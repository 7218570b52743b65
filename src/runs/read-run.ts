import { join } from 'node:path';
import type { SecretValue } from '../core/text/secrets.ts';
import type { Environment } from '../core/values/environment.ts';
import { tryOr } from '../core/values/result.ts';
import { hideRunInRound } from '../emit/panel-round.ts';
import { findRun, requireBegun } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { createRedaction } from '../process/redact.ts';
import { findKnownSecrets } from '../safety/known-secrets.ts';
import type { GitWorkspace } from '../workspace/checkpoint/create-workspace.ts';
import { findLayout } from './find-layout.ts';
import type { Layout } from './layout.ts';
import { listTurnNames } from './list-turns.ts';
import { readLiveFile } from './live-file.ts';
import { findLivingRun } from './living-runs.ts';
import { listLeft } from './processes.ts';
import { findDamage, follow, readRecords, replay } from './read-records.ts';
import type { RunReader } from './run-api.ts';
import { readFacts } from './run-facts.ts';
import { isCopy, type RunFile, readRunFile } from './run-file.ts';
import { findHolder, findSignalPid, isUnseen } from './run-lock.ts';
import { openRunFolder } from './run-workspace.ts';
import { toShownInput } from './shown-input.ts';
import { toLabelsOf } from './turn-labels.ts';

/**
 * Opens a run for reading, whether it is under way or over.
 *
 * @param run an id or the beginning of one; absent: the one that is under way in this folder, else the newest
 * @throws RalphError `no-runs`, `run-unknown`, `run-ambiguous`, `journal-lost`, `panel-inside`; its `replay` and `follow`: `run-not-begun`
 */
export function openRunReader(cwd: string, run: string | undefined, env: Environment): RunReader {
  const layout = findLayout(cwd);
  const living = run === undefined ? findLivingRun(layout, cwd) : null;
  const runId = findRun({ fs: nodeFileSystem, stateDir: layout.stateDir }, living ?? run ?? 'last');
  hideRunInRound(runId, env);
  return openRunReaderIn(layout, runId, env);
}

/** Opens a run whose whole id is known. */
export function openRunReaderIn(layout: Layout, runId: string, env: Environment): RunReader {
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const paths = toRunPaths(layout.stateDir, runId);
  const holder = findHolder(layout, runId);
  const begun = (): RunPaths => {
    requireBegun(state, runId, holder !== null);
    return paths;
  };
  const open = (file: RunFile): GitWorkspace => openRunFolder({ layout, paths, env }, file);
  const openFolder = (): GitWorkspace => open(readRunFile(paths.settings));
  let redaction: { text(plain: string): string } | undefined;
  const redact = (text: string): string => {
    redaction ??= createRedaction(env, listKnownSecrets(paths, env)) ?? { text: (plain: string) => plain };
    return redaction.text(text);
  };
  return {
    runId,
    runFolder: paths.folder,
    isAlive: holder !== null,
    isUnseen: holder !== null && isUnseen(holder),
    isCopy: isCopy(paths),
    signalPid: holder === null ? null : findSignalPid(layout, holder),
    workspace: () => readRunFile(paths.settings).workspace,
    fleet: () => tryOr(() => readRunFile(paths.settings).fleet ?? null, null),
    labelsOf: (turn) => tryOr(() => toLabelsOf(readRunFile(paths.settings).settings, turn), []),
    live: () => readLiveFile(paths.folder),
    replay: (visit) => replay(begun(), visit).state,
    records: () => readRecords(paths, 0),
    shownRecords: () => readRecords(paths, 0, (input) => toShownInput(input, redact)),
    follow: (visit, signal) => follow(begun(), visit, signal),
    turnFile: (name, file) => join(paths.turns, name, file),
    redact,
    damage: () => (holder === null ? findDamage(paths) : null),
    left: () => (holder === null ? listLeft(paths.runId) : []),
    turns: () => listTurnNames(paths),
    facts: (view) => readFacts({ paths, env, view, turns: listTurnNames(paths), open }),
    diff: async (name) => (isCopy(paths) ? null : name === null ? openFolder().diffRun(listTurnNames(paths)) : openFolder().diff(name)),
    stat: async (name) => (isCopy(paths) ? null : name === null ? openFolder().statRun(listTurnNames(paths)) : openFolder().stat(name)),
  };
}

/** Those that the configuration names; none where it is lost. */
function listKnownSecrets({ settings }: RunPaths, env: Environment): readonly SecretValue[] {
  return tryOr(() => findKnownSecrets(readRunFile(settings).settings, env), []);
}
