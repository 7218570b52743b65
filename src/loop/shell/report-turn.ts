import { type IterationEnded, type TurnOutcome, toTurnName, type Usage } from '../../core/index.ts';
import type { TurnResult } from '../../ports/index.ts';
import { judgePayloads } from './judge-payloads.ts';
import type { LoopPorts } from './loop-ports.ts';
import type { LoopView } from './loop-view.ts';
import type { OpenedTurn } from './open-turn.ts';
import { readWholeInbox } from './read-whole-inbox.ts';
import { selectSignals } from './turn-recorder.ts';

/** Puts together the one end of a turn: how it went, what it said through every channel, what it cost. */
export async function reportTurn(ports: LoopPorts, loop: LoopView, opened: OpenedTurn, result: TurnResult): Promise<IterationEnded> {
  const { order, recorder, before } = opened;
  ports.turns.close(order);
  const violations = await opened.close();
  const after = await ports.workspace.keepAfter(toTurnName(order));
  const said = recorder.finish();
  const { eventSources } = loop.topology().spec;
  const inbox = readWholeInbox(ports.inbox, loop.state().inboxOffset);
  return {
    type: 'iteration-ended',
    at: ports.clock.now(),
    iteration: order.iteration,
    attempt: order.attempt,
    outcome: toOutcome(result),
    exitCode: result.exitCode,
    durationMs: Math.round(result.durationMs),
    producedOutput: result.producedOutput,
    usage: withPrice(ports, opened, result.usage, said.model),
    sessionId: result.sessionId ?? said.sessionId,
    finalText: said.finalText,
    toolCalls: result.toolCalls,
    treeChanged: before === null || after === null ? null : before !== after,
    leftovers: result.leftovers,
    signals: judgePayloads(selectSignals(eventSources, inbox.signals, said.signals), ports.checkPayload),
    problems: [...(eventSources.includes('jsonl') ? inbox.problems : []), ...(eventSources.includes('text') ? said.problems : [])],
    inboxOffset: inbox.offset,
    ...(violations === null ? {} : { violations }),
    ...(said.signalCalls === 0 ? {} : { signalCalls: said.signalCalls }),
    ...(said.missed.length === 0 ? {} : { missed: said.missed }),
    ...(said.denials.length === 0 ? {} : { denials: said.denials }),
    ...(said.denied > said.denials.length ? { denied: said.denied } : {}),
  };
}

function toOutcome(result: TurnResult): TurnOutcome {
  if (result.status === 'stopped') return { status: 'interrupted' };
  if (result.status === 'succeeded') return { status: 'succeeded' };
  return { status: 'failed', failure: result.failure ?? { class: 'agent', message: 'the agent failed without saying why' } };
}

/** Where the agent told tokens but no cost, the price table does. */
function withPrice(ports: LoopPorts, opened: OpenedTurn, usage: Usage, model: string | null): Usage {
  if (usage.costUsd !== null) return usage;
  return { ...usage, costUsd: ports.wardrobe.priceOf(opened.order, usage, model) };
}
