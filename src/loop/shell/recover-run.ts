import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { Input, IterationEnded, ReadPlaces, TellGiven, TurnReport } from '../../core/run/inputs.ts';
import type { RunLimits, RunSpec } from '../../core/run/run-spec.ts';
import type { Activation } from '../../core/run/state.ts';
import { type TurnId, toTurnName } from '../../core/run/turn.ts';

import { isJsonObject, parseJson } from '../../core/values/json.ts';
import type { TakenOver } from '../../ports/work-copies.ts';
import { decide, type FoldedRun } from '../decide/decide.ts';
import { readCopyInbox, takeOverCopy } from './copy-turn.ts';
import type { LoopPorts, TurnAgents } from './loop-ports.ts';
import { readOutside, readWholeInbox } from './read-inbox.ts';
import { INTERRUPTED, toChange, toDiscarded, withTaken } from './turn-end.ts';

/** What a person changed since the run ended. */
export interface ResumeChanges {
  readonly spec?: RunSpec;
  readonly limits?: Partial<RunLimits>;
}

export interface LeftTurns {
  /** Turns that workers still have, or have reported of: they go on. Absent: none. */
  readonly attached?: readonly TurnId[];
  /** It was in another folder, whose files its journal is about: how far those of this one had been read before. Absent: it was in this one. */
  readonly moved?: Pick<ReadPlaces, 'outsideOffset'> | null;
}

/**
 * The inputs with which a run goes on: each turn that a dead process left open ends as interrupted, after everything of it that is
 * still alive was ended, so that two agents never work at once; what it had already written is withdrawn, not lost. The resume comes
 * before these ends: after them, the dead time would count as running time, and a stop that the dead process was at would be carried out.
 */
export async function recoverRun(
  ports: Pick<LoopPorts, 'inbox' | 'outside' | 'checkPayload' | 'clock' | 'reap' | 'copies'> & {
    readonly turns?: Pick<LoopPorts['turns'], 'readEnd'>;
    readonly workspace?: Pick<LoopPorts['workspace'], 'keepBefore' | 'keepAfter'>;
    readonly agents?: Pick<TurnAgents, 'lookBack' | 'spentBy' | 'toldBy' | 'promptFactsOf'>;
  },
  folded: FoldedRun,
  { attached = [], moved: left = null, ...changes }: ResumeChanges & LeftTurns,
): Promise<readonly Input[]> {
  const ends: (TellGiven | IterationEnded)[] = [];
  // What stands in this folder's file was read before, or is of nobody who is at work by now.
  const moved = left === null ? null : { ...left, inboxOffset: ports.inbox.end() };
  const { outsideOffset } = moved ?? folded.state;
  let { inboxOffset } = moved ?? folded.state;
  for (const activation of inOrder(ports, folded)) {
    if (attached.some((turn) => toTurnName(turn) === toTurnName(activation))) continue;
    await ports.reap(activation);
    const ended = await endCopy(ports, activation, folded);
    if (ended !== null) {
      ends.push({ ...ended, at: ports.clock.now(), inboxOffset });
      continue;
    }
    // In a copy nobody looked at the folder.
    const violations = activation.copy === undefined ? ((await ports.agents?.lookBack?.(activation)) ?? null) : null;
    const usage = (await ports.agents?.spentBy?.(activation)) ?? UNKNOWN_USAGE;
    const { copy } = activation;
    const written = copy === undefined ? readWholeInbox(ports.inbox, inboxOffset) : { ...readCopyInbox(ports, copy), offset: inboxOffset };
    const { signals, problems } = written;
    inboxOffset = written.offset;
    const taken = copy === undefined ? await noteUntouched(ports, activation) : toFacts(await bringIn(ports, activation));
    const { iteration, attempt } = activation;
    const watched = violations === null ? {} : { violations };
    const at = ports.clock.now();
    const told = await ports.agents?.toldBy?.(activation);
    // Its conversation has them, though the journal does not say so yet.
    if (told !== undefined && told.ids.length > 0) ends.push({ type: 'tell-given', at, iteration, attempt, ...told, isKept: true });
    ends.push({
      type: 'iteration-ended',
      at,
      iteration,
      attempt,
      ...INTERRUPTED,
      usage,
      signals,
      problems,
      inboxOffset,
      ...watched,
      ...taken,
    });
  }
  // What exceeds one read is read before the next turn.
  const [external] = readOutside(ports, outsideOffset);
  const heard = { ...(moved !== null && { moved }), ...(external !== undefined && { external }) };
  return [{ type: 'run-resumed', at: ports.clock.now(), ...changes, ...heard }, ...ends];
}

/** What is done comes in before what was cut off, which would stand in its way. Of a hat with several turns at once it comes in by the order of their events. */
function inOrder(ports: Parameters<typeof recoverRun>[0], folded: FoldedRun): readonly Activation[] {
  const { activations } = folded.state;
  const hasEnded = (activation: Activation): boolean => findEnd(ports, activation, folded) !== null;
  const toPlace = ({ place, iteration }: Activation): number => place ?? iteration;
  const placed = activations.every(({ place }) => place === undefined)
    ? activations
    : activations.toSorted((one, other) => toPlace(one) - toPlace(other));
  return [...placed.filter(hasEnded), ...placed.filter((activation) => !hasEnded(activation))];
}

/** How a turn in a copy had ended whose work was to come in behind that of others. `null` where it had not. */
function findEnd({ turns }: Parameters<typeof recoverRun>[0], activation: Activation, folded: FoldedRun): IterationEnded | null {
  return activation.copy === undefined || turns === undefined ? null : findReport(turns, activation, folded);
}

/** How a turn in a copy had ended when the process died that was to bring in what it made; `null` where it had not. */
function findReport(turns: Pick<LoopPorts['turns'], 'readEnd'>, turn: TurnId, { topology, state }: FoldedRun): IterationEnded | null {
  const text = turns.readEnd(turn);
  const value = text === null ? undefined : parseJson(text);
  if (!isJsonObject(value) || value['type'] !== 'iteration-ended') return null;
  const report = value as unknown as IterationEnded;
  if (report.iteration !== turn.iteration || report.attempt !== turn.attempt) return null;
  try {
    // It was written by a process that may have died over it.
    decide(topology, state, report);
    return report.outcome.status === 'interrupted' ? null : report;
  } catch {
    return null;
  }
}

/** A panel that had not ended had changed nothing in the folder. */
async function noteUntouched({ workspace }: Parameters<typeof recoverRun>[0], activation: Activation): Promise<Record<never, never>> {
  const { panel } = activation;
  if (panel === undefined || panel.phase === 'ended') return {};
  await workspace?.keepBefore(toTurnName(activation));
  await workspace?.keepAfter(toTurnName(activation));
  return {};
}

/** As `findEnd`; its work comes in now. */
async function endCopy(ports: Parameters<typeof recoverRun>[0], activation: Activation, folded: FoldedRun): Promise<IterationEnded | null> {
  const report = findEnd(ports, activation, folded);
  if (report === null) return null;
  const { before, after, ...taken } = await bringIn(ports, activation);
  return withTaken({ ...report, treeChanged: toChange(before, after) }, taken);
}

/** What the turn had made in its copy stands in the folder, as if it had worked there. */
async function bringIn(
  ports: Parameters<typeof recoverRun>[0],
  activation: Activation,
): Promise<TakenOver & Record<'before' | 'after', string | null>> {
  const isReadOnly = ports.agents?.promptFactsOf?.(activation).mayWrite === false;
  const taken = await takeOverCopy(ports, activation, isReadOnly);
  return { ...taken, after: (await ports.workspace?.keepAfter(toTurnName(activation))) ?? null };
}

function toFacts({ conflict, discarded }: TakenOver): Pick<TurnReport, 'conflict' | 'violations'> {
  return { ...(conflict !== undefined && { conflict }), ...(discarded !== undefined && { violations: toDiscarded(discarded) }) };
}
