import type { Usage } from '../../core/backends/usage.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import type { IterationEnded, IterationSpawned } from '../../core/run/inputs.ts';
import { NO_WORK, type TurnFailure, type TurnOutcome, type TurnReport, toSwitchText, toTurnName } from '../../core/run/turn.ts';
import { toErrorCode } from '../../core/values/errors.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import type { RunningTurn, TurnRequest, TurnResult } from '../../ports/backend.ts';
import type { TurnFolder } from '../../ports/turn-store.ts';
import { buildPrompt, type PromptTurn } from '../../prompts/index.ts';
import type { LoopPorts, Surroundings, TurnContext, TurnWatch } from './loop-ports.ts';
import { checkPayloads, readWholeInbox } from './read-inbox.ts';
import { createEventRedactor } from './redact-input.ts';
import { createTurnRecorder, selectSignals, type TurnRecorder } from './turn-recorder.ts';

/** A turn whose agent is at work. */
export interface OpenedTurn {
  readonly order: IterationStart;
  readonly running: RunningTurn;
  readonly recorder: TurnRecorder;
  /** The fingerprint of the working tree before the turn. */
  readonly before: string | null;
  /** See `Surroundings.close`. */
  readonly close: NonNullable<Surroundings['close']>;
}

/**
 * Writes the prompt, then starts the agent.
 *
 * @param watches what follows the turn beside its recorder
 * @throws the system error when the turn's folder cannot be written
 */
export async function openTurn(context: TurnContext, order: IterationStart, watches: readonly TurnWatch[]): Promise<OpenedTurn> {
  const { ports, settings, loop } = context;
  const topology = loop.topology();
  const { maxIterations } = loop.state().limits;
  const turn = { ...order, ...ports.agents.promptFactsOf?.(order), ...readScratchpad(ports), maxIterations };
  const prompt = buildPrompt(topology, turn, settings.prompt);
  const folder = ports.turns.open(order, prompt);
  const before = await ports.workspace.keepBefore(toTurnName(order));
  const recorder = createTurnRecorder(topology.spec.promise, prompt);
  const backend = await prepare(() => ports.agents.backendFor(order));
  const around = await prepare(() => ports.agents.surroundings(order));
  const spawned = {
    backend: backend.ok ? backend.value.label : '',
    promptHash: folder.promptHash,
    promptTokens: Math.ceil(prompt.length / 4),
  };
  const heard = createListener(context, order, spawned, [recorder, ...watches]);
  const start = (): RunningTurn => {
    if (!backend.ok) return failAtOnce(backend.refused);
    if (!around.ok) return failAtOnce(around.refused);
    return backend.value.start(toRequest(context, order, { prompt, folder, around: around.value }), heard.take);
  };
  const running = start();
  for (const watch of watches) {
    watch.begin?.(running);
    void running.result.then(watch.close);
  }
  const finish: TurnRecorder['finish'] = () => {
    heard.end();
    return recorder.finish();
  };
  const close = around.ok ? around.value.close : undefined;
  return { order, running, recorder: { ...recorder, finish }, before, close: close ?? (async () => null) };
}

/** The scratchpad as it is when the turn begins, without secrets. */
function readScratchpad({ readScratchpad: read, redaction }: LoopPorts): Pick<PromptTurn, 'scratchpad'> {
  const found = read?.() ?? null;
  return found === null ? {} : { scratchpad: { ...found, text: redaction?.text(found.text) ?? found.text } };
}

/** Prepares a part of the turn. One that cannot be had, such as a program or a sandbox, fails the turn and not the run: another hat may have a better one. */
async function prepare<Value>(get: () => Value | Promise<Value>): Promise<Result<Value, TurnFailure>> {
  try {
    return accept(await get());
  } catch (error) {
    return refuse({ class: 'spawn', message: error instanceof Error ? error.message : toErrorCode(error) });
  }
}

function toRequest(
  { ports: { backpressure }, settings }: TurnContext,
  order: IterationStart,
  asked: { readonly prompt: string; readonly folder: TurnFolder; readonly around: Surroundings },
): TurnRequest {
  const { cwd, env, marker, scope, isolation } = asked.around;
  const { promptFile, stdoutPath, stderrPath } = asked.folder;
  const { iteration, attempt, timeoutMs, idleTimeoutMs } = order;
  const logs = { stdoutPath, stderrPath, capBytes: settings.turnLogCapBytes };
  const request = { turn: { iteration, attempt }, prompt: asked.prompt, promptFile, cwd, env, marker, timeoutMs, idleTimeoutMs, logs };
  const interruptions = order.feedback.filter(({ kind }) => kind === 'withdrawn').length;
  return {
    ...request,
    ...(backpressure === undefined ? {} : { backpressure }),
    ...(scope === undefined ? {} : { scope }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(interruptions === 0 ? {} : { interruptions }),
  };
}

function failAtOnce(failure: TurnFailure): RunningTurn {
  const result: TurnResult = { status: 'failed', failure, ...NO_WORK, logError: null };
  return { result: Promise.resolve(result), stop: () => undefined, kill: () => undefined };
}

/** Hands what an agent does to the listeners, the turn's text and the observers, and its start to the journal. */
function createListener(
  { ports, loop }: TurnContext,
  order: IterationStart,
  spawned: Pick<IterationSpawned, 'backend' | 'promptHash' | 'promptTokens'>,
  listeners: readonly Pick<TurnWatch, 'take'>[],
): ReturnType<typeof createEventRedactor> {
  const { iteration, attempt, hat } = order;
  let isLost = false;
  let isLineOpen = false;
  const keep = (text: string): void => {
    isLineOpen = !text.endsWith('\n');
    if (isLost) return;
    try {
      ports.turns.appendText(order, text);
    } catch (error) {
      // Told once: an agent that talks on must not fill the journal with it.
      isLost = true;
      loop.post({
        type: 'environment-failed',
        at: ports.clock.now(),
        what: 'storage',
        message: `the turn's text cannot be written (${toErrorCode(error)})`,
      });
    }
  };
  return createEventRedactor(ports.redaction, (event) => {
    if (event.type === 'started') {
      const { pid, processStart, argv } = event;
      const tools = event.tools ?? ports.agents.toolsOf?.(order) ?? null;
      loop.post({
        type: 'iteration-spawned',
        at: ports.clock.now(),
        iteration,
        attempt,
        pid,
        processStart,
        argv,
        ...spawned,
        ...(tools === null ? {} : { tools, ...(hat === loop.state().lastHat ? {} : { log: toSwitchText(hat, tools) }) }),
      });
    }
    for (const listener of listeners) listener.take(event);
    if (event.type === 'text') keep(event.text);
    if (event.type === 'message-end' && isLineOpen) keep('\n');
    ports.observe({ kind: 'live', iteration, attempt, hat, event });
  });
}

/** Makes the one end input of a turn: how it went, what it said through every channel, what it cost. */
export async function reportTurn({ ports, loop }: TurnContext, opened: OpenedTurn, result: TurnResult): Promise<IterationEnded> {
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
    usage: withPrice(ports, order, result.usage, said.model),
    sessionId: result.sessionId ?? said.sessionId,
    finalText: said.finalText,
    toolCalls: result.toolCalls,
    treeChanged: before === null || after === null ? null : before !== after,
    leftovers: result.leftovers,
    signals: checkPayloads(selectSignals(eventSources, inbox.signals, said.signals), ports.checkPayload),
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
