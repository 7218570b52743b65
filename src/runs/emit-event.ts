import { join } from 'node:path';
import { EXTERNAL } from '../core/events/reserved.ts';
import type { RunState } from '../core/run/state.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { toContractPath } from '../emit/contract-file.ts';
import { type EventWords, emitInto } from '../emit/emit-event.ts';
import { toNoEvent } from '../emit/panel-round.ts';
import { findRun, requireBegun } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readJournal } from '../journal/read-journal.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { createJournalFold, type FoldedRun } from '../loop/decide/decide.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { hasTurns, isTerminalTopic, safetyNetOf, takersOf } from '../topology/routing/queries.ts';
import { findLayout } from './find-layout.ts';
import type { Layout } from './layout.ts';
import { findLivingRun } from './living-runs.ts';
import { bringsToken, isInsideRun, isOwnRun, requirePerson } from './people.ts';
import type { OutsideEvent } from './run-api.ts';
import { readRunFile } from './run-file.ts';
import { findHolder } from './run-lock.ts';

/**
 * Appends an event that comes from a person, to the run that is under way, else to the newest one.
 *
 * @param run a certain run: its id or the beginning of it
 * @throws RalphError `no-runs`, `run-unknown`, `run-ambiguous`, `run-not-begun`, `emit-run-over`, `person-refused`, `panel-inside`, and what {@link emitInto} throws
 */
export function emitFromOutside(cwd: string, words: EventWords, env: Environment, run?: string): OutsideEvent {
  const layout = findLayout(cwd);
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const runId = run === undefined ? (findLivingRun(layout, cwd) ?? findRun(state, 'last')) : findRun(state, run);
  return emitTo(layout, toRunPaths(layout.stateDir, runId), words, env);
}

/** The same to a run whose place is known. */
export function emitTo(layout: Layout, paths: RunPaths, words: EventWords, env: Environment): OutsideEvent {
  const isAlive = findHolder(layout, paths.runId) !== null;
  const contractFile = toContractPath(paths.folder);
  const hat = isOwnRun(paths) || bringsToken(paths, env) ? null : findActiveHat(layout, paths);
  if (hat !== null) {
    const { workspace, settings } = readRunFile(paths.settings);
    const cut = emitInto(words, { eventsFile: join(workspace, settings.prompts.eventsFile), hat, contractFile, root: workspace });
    return { runId: paths.runId, isRunAlive: true, delivery: `It counts as ${hat}'s, whose turn runs.`, cut };
  }
  const sender = requirePerson(layout, paths, env);
  requireBegun({ fs: nodeFileSystem, stateDir: layout.stateDir }, paths.runId, isAlive);
  const before = readFold(paths);
  refuseComplete(paths, before.state);
  const cut = emitInto(words, { eventsFile: toOutsideFile(paths), hat: EXTERNAL, contractFile, sender });
  // The run may have ended meanwhile, with its last look behind it.
  const { topology, state: now } = readFold(paths);
  if (now.end?.reason === 'completed') refuseComplete(paths, now);
  return { runId: paths.runId, isRunAlive: isAlive, delivery: toDelivery(topology, now, words, isAlive), cut };
}

/** `planner gets it in its next turn, after the turn that runs now (builder).` */
function toDelivery(topology: Topology, state: RunState, { topic, target }: EventWords, isAlive: boolean): string {
  const net = safetyNetOf(topology);
  const named = target === undefined ? takersOf(topology, topic) : [hasTurns(topology, target) ? target : net];
  if (named.length === 0 && isTerminalTopic(topology, topic)) return 'No hat takes it: it goes on record.';
  const takers = named.length > 0 ? named.join(' and ') : net;
  const whose = named.length > 1 ? 'get it in their next turns' : 'gets it in its next turn';
  const working = state.activations.map(({ hat }) => hat);
  const [turns, run] = working.length > 1 ? ['turns', 'run'] : ['turn', 'runs'];
  const when = !isAlive
    ? ', when the run is resumed'
    : working.length === 0
      ? ''
      : `, after the ${turns} that ${run} now (${working.join(', ')})`;
  return `${takers} ${whose}${when}.`;
}

/**
 * The hat in whose turn this is called although its environment was cleared: an agent does not get the rights of a person by forgetting who it is.
 * `null` for a person.
 *
 * @throws RalphError `panel-inside` for an agent of a panel
 */
function findActiveHat(layout: Layout, paths: RunPaths): string | null {
  const holder = findHolder(layout, paths.runId)?.owner ?? null;
  if (holder === null || !isInsideRun(holder.pid)) return null;
  const [active] = readFold(paths).state.activations;
  if (active?.panel !== undefined && active.panel !== null) throw toNoEvent();
  return active?.hat ?? null;
}

/** The run as its journal tells it. */
export function readFold(paths: RunPaths): FoldedRun {
  const fold = createJournalFold();
  readJournal({ fs: nodeFileSystem, path: paths.journal }, (entry) => void fold.take(entry));
  return fold.run();
}

/** A run that is complete is never resumed, so nobody would ever read the event. */
function refuseComplete(paths: RunPaths, state: RunState): void {
  if (state.end?.reason !== 'completed') return;
  throw new RalphError({
    code: 'emit-run-over',
    what: `Run ${paths.runId} is complete; nobody gets the event.`,
    why: 'Events of earlier runs are never read by a later run.',
    fix: 'Start a run first: ralph run',
  });
}

/** The file in which people publish to a run: the orchestrator's own, so that nothing in it is taken for an agent's. */
export function toOutsideFile(paths: RunPaths): string {
  return join(paths.folder, 'outside.jsonl');
}
