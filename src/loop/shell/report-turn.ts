import type { Usage } from '../../core/backends/usage.ts';
import type { EventSignal, Signal } from '../../core/events/event.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { IterationEnded } from '../../core/run/inputs.ts';
import {
  NO_WORK,
  NOT_TAKEN_OVER,
  type TurnId,
  type TurnOutcome,
  type TurnReport,
  toTurnName,
  type WorkConflict,
} from '../../core/run/turn.ts';
import type { ScopeViolations } from '../../core/tools/scope-violations.ts';
import { isJsonObject, parseJson } from '../../core/values/json.ts';
import type { TurnResult } from '../../ports/backend.ts';
import type { InboxBatch } from '../../ports/inbox.ts';
import type { TakenOver } from '../../ports/work-copies.ts';
import { decide, type FoldedRun } from '../decide/decide.ts';
import { readCopyInbox, takeOverCopy, toDiscarded } from './copy-turn.ts';
import type { LoopPorts, LoopView, TurnContext } from './loop-ports.ts';
import { checkPayloads, readWholeInbox } from './read-inbox.ts';
import { redactInput } from './redact-input.ts';
import type { OpenedTurn } from './turn.ts';

/** Makes the one end input of a turn that worked in the folder itself: how it went, what it said through every channel, what it cost. */
export async function reportTurn(context: TurnContext, opened: OpenedTurn, result: TurnResult): Promise<IterationEnded> {
  const { ports, loop } = context;
  ports.turns.close(opened.order);
  const violations = await opened.close();
  const before = await opened.before();
  const after = await ports.workspace.keepAfter(toTurnName(opened.order));
  const inbox = readWholeInbox(ports.inbox, loop.state().inboxOffset);
  return toReport(context, opened, { result, inbox, violations, treeChanged: toChange(before, after) });
}

/** The same of one that worked in a copy, as far as it is known before what it made is in the folder. It is kept: whatever becomes of this process, the turn has ended. */
export async function reportFromCopy(context: TurnContext, opened: OpenedTurn, result: TurnResult): Promise<IterationEnded> {
  const { ports, loop } = context;
  const { order } = opened;
  ports.turns.close(order);
  const violations = await opened.close();
  const inbox = { ...readCopyInbox(ports, order.copy ?? ''), offset: loop.state().inboxOffset };
  const report = toReport(context, opened, { result, inbox, violations, treeChanged: null });
  keepReport(ports, report);
  return report;
}

/** Brings what it made into the folder. */
export async function bringReported({ ports, loop }: TurnContext, opened: OpenedTurn, report: IterationEnded): Promise<IterationEnded> {
  const { order, isReadOnly } = opened;
  const taken = await takeOverCopy(ports, order, isReadOnly);
  const before = (await opened.before()) ?? taken.before;
  const after = await ports.workspace.keepAfter(toTurnName(order));
  const at = ports.clock.now();
  return withTaken({ ...report, at, treeChanged: toChange(before, after), inboxOffset: loop.state().inboxOffset }, taken);
}

/** Keeps how a turn in a copy ended, until the journal has it. That it cannot be kept says nothing about the turn. */
export function keepReport({ turns, redaction }: Pick<LoopPorts, 'turns' | 'redaction'>, report: IterationEnded): void {
  if (report.outcome.status === 'interrupted') return;
  try {
    turns.keepEnd(report, JSON.stringify(redactInput(report, redaction)));
  } catch {
    // A process that goes on with the run finds that the turn was interrupted.
  }
}

/** How a turn in a copy had ended when the process died that was to bring in what it made; `null` where it had not. */
export function findReport(
  turns: Pick<LoopPorts['turns'], 'readEnd'>,
  turn: TurnId,
  { topology, state }: FoldedRun,
): IterationEnded | null {
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

/** The report of a turn whose copy was taken over. */
export function withTaken(report: IterationEnded, { conflict, discarded }: TakenOver): IterationEnded {
  const { status } = report.outcome;
  return {
    ...report,
    ...(status === 'succeeded' ? { outcome: toOutcome({ status, failure: null }, conflict) } : {}),
    ...(conflict === undefined ? {} : { conflict }),
    ...(discarded === undefined ? {} : { violations: toDiscarded(discarded) }),
  };
}

/** Whether the working tree differs; `null` where nobody looked. */
export function toChange(before: string | null, after: string | null): boolean | null {
  return before === null || after === null ? null : before !== after;
}

interface EndFacts {
  readonly result: TurnResult;
  readonly inbox: InboxBatch;
  readonly violations: ScopeViolations | null;
  readonly treeChanged: boolean | null;
}

function toReport({ ports, loop }: TurnContext, { order, recorder }: OpenedTurn, facts: EndFacts): IterationEnded {
  const { result, inbox, violations, treeChanged } = facts;
  const said = recorder.finish();
  const { eventSources } = loop.topology().spec;
  return {
    type: 'iteration-ended',
    at: ports.clock.now(),
    iteration: order.iteration,
    attempt: order.attempt,
    outcome: toOutcome(result, undefined),
    exitCode: result.exitCode,
    durationMs: Math.round(result.durationMs),
    producedOutput: result.producedOutput,
    usage: withPrice(ports, order, result.usage, said.model),
    sessionId: result.sessionId ?? said.sessionId,
    finalText: said.finalText,
    toolCalls: result.toolCalls,
    treeChanged,
    leftovers: result.leftovers,
    signals: checkPayloads(selectSignals(eventSources, inbox.signals, said.signals), ports.checkPayload),
    problems: [...(eventSources.includes('jsonl') ? inbox.problems : []), ...(eventSources.includes('text') ? said.problems : [])],
    inboxOffset: inbox.offset,
    ...(violations === null ? {} : { violations }),
    ...(said.signalCalls === 0 ? {} : { signalCalls: said.signalCalls }),
    ...(said.missed.length === 0 ? {} : { missed: said.missed }),
    ...(said.denials.length === 0 ? {} : { denials: said.denials }),
    ...(said.denied > said.denials.length ? { denied: said.denied } : {}),
    ...(said.hooks === null ? {} : { hooks: said.hooks }),
  };
}

/** How a turn ended for the loop: one whose work was not taken over has failed. */
export function toOutcome(result: Pick<TurnResult, 'status' | 'failure'>, conflict: WorkConflict | undefined): TurnOutcome {
  if (result.status === 'stopped') return { status: 'interrupted' };
  if (result.status === 'succeeded' && conflict !== undefined) {
    const cause = conflict.why ?? `${conflict.paths.join(', ')} changed in the folder meanwhile`;
    return {
      status: 'failed',
      failure: { class: 'agent', message: `${NOT_TAKEN_OVER}: ${cause}; it is kept in ${conflict.kept}` },
    };
  }
  if (result.status === 'succeeded') return { status: 'succeeded' };
  return { status: 'failed', failure: result.failure ?? { class: 'agent', message: 'the agent failed without saying why' } };
}

/** Where the agent told tokens but no cost, the price table does. */
function withPrice(ports: LoopPorts, order: IterationStart, usage: Usage, model: string | null): Usage {
  if (usage.costUsd !== null) return usage;
  return { ...usage, costUsd: ports.agents.priceOf(order, usage, model) };
}

/** The report of a turn that never got to do anything. */
export const INTERRUPTED: TurnReport = {
  outcome: { status: 'interrupted' },
  ...NO_WORK,
  signals: [],
  problems: [],
  finalText: '',
  treeChanged: null,
};

/** The end of a turn of which nothing can be told. */
export function toInterrupted(ports: LoopPorts, loop: LoopView, { iteration, attempt }: TurnId): IterationEnded {
  return { type: 'iteration-ended', at: ports.clock.now(), iteration, attempt, ...INTERRUPTED, inboxOffset: loop.state().inboxOffset };
}

/** The signals of a turn, of the channels that are on; the promise counts on any. */
function selectSignals(sources: readonly string[], written: readonly EventSignal[], text: readonly Signal[]): readonly Signal[] {
  const fromFile = sources.includes('jsonl') ? written : [];
  const fromText = sources.includes('text') ? text : text.filter((signal) => signal.kind === 'promise');
  return [...fromFile, ...fromText];
}
