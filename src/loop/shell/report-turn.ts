import type { Usage } from '../../core/backends/usage.ts';
import type { EventSignal, Signal } from '../../core/events/event.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { IterationEnded } from '../../core/run/inputs.ts';
import { toTurnName } from '../../core/run/turn.ts';

import type { ScopeViolations } from '../../core/tools/scope-violations.ts';
import type { TurnResult } from '../../ports/backend.ts';
import type { InboxBatch } from '../../ports/inbox.ts';
import { readCopyInbox, takeOverCopy } from './copy-turn.ts';
import type { LoopPorts, TurnContext } from './loop-ports.ts';
import { checkPayloads, readWholeInbox } from './read-inbox.ts';
import type { OpenedTurn } from './turn.ts';
import { keepReport, toChange, toOutcome, withTaken } from './turn-end.ts';

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

/** Where the agent told tokens but no cost, the price table does. */
function withPrice(ports: LoopPorts, order: IterationStart, usage: Usage, model: string | null): Usage {
  if (usage.costUsd !== null) return usage;
  return { ...usage, costUsd: ports.agents.priceOf(order, usage, model) };
}

/** The signals of a turn, of the channels that are on; the promise counts on any. */
function selectSignals(sources: readonly string[], written: readonly EventSignal[], text: readonly Signal[]): readonly Signal[] {
  const fromFile = sources.includes('jsonl') ? written : [];
  const fromText = sources.includes('text') ? text : text.filter((signal) => signal.kind === 'promise');
  return [...fromFile, ...fromText];
}
