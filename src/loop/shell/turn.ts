import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { Usage } from '../../core/backends/usage.ts';
import type { EventSignal, MissedSignal, Signal, SignalProblem } from '../../core/events/event.ts';
import { EXTERNAL } from '../../core/events/reserved.ts';
import type { HookRecord } from '../../core/hooks/hook-moments.ts';
import { createHookTally } from '../../core/hooks/hook-record.ts';
import type { IterationStart } from '../../core/run/effects.ts';
import { type IterationEnded, type IterationSpawned, NO_WORK } from '../../core/run/inputs.ts';
import { type TurnFailure, toSwitchText, toTurnName } from '../../core/run/turn.ts';
import { isPromiseLine } from '../../core/signals/signal-lines.ts';
import { createTextSignalScanner } from '../../core/signals/text-signals.ts';
import { estimateTokens } from '../../core/text/estimate-tokens.ts';
import { endOf } from '../../core/text/shorten.ts';
import { MAX_KEPT_DENIALS, type ScopeViolations, type ToolDenial } from '../../core/tools/scope-violations.ts';
import { toErrorCode, toErrorMessage } from '../../core/values/errors.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import type { PanelDesk, RunningTurn, TurnRequest, TurnResult } from '../../ports/backend.ts';
import type { InboxBatch } from '../../ports/inbox.ts';
import type { TurnFolder } from '../../ports/turn-store.ts';
import { buildPrompt } from '../../prompts/build-prompt.ts';
import type { PromptTurn } from '../../prompts/prompt-context.ts';
import { lookAtTree, openCopy, readCopyInbox, type TreeBefore, takeOverCopy } from './copy-turn.ts';
import type { LoopPorts, Surroundings, TurnContext, TurnWatch } from './loop-ports.ts';
import { checkPayloads, readWholeInbox } from './read-inbox.ts';
import { createEventRedactor } from './redact-input.ts';
import { isSignalCall } from './signal-call.ts';
import { keepReport, toChange, toOutcome, withTaken } from './turn-end.ts';
import type { TurnPeople } from './turn-people.ts';

export interface OpenedTurn {
  readonly order: IterationStart;
  readonly running: RunningTurn;
  readonly recorder: TurnRecorder;
  /** The fingerprint of the working tree before the work of the turn; of one in a copy it is taken at its end. */
  readonly before: TreeBefore['before'];
  /** Its hat may not write: what it made in a copy is not taken over. */
  readonly isReadOnly: boolean;
  /** See `Surroundings.close`. */
  readonly close: NonNullable<Surroundings['close']>;
}

/**
 * Writes the prompt, then starts the agent.
 *
 * @param watches what follows the turn beside its recorder
 * @param people who can be asked; absent: nobody
 * @throws the system error when the turn's folder cannot be written
 */
export async function openTurn(
  context: TurnContext,
  order: IterationStart,
  watches: readonly TurnWatch[],
  people?: Pick<TurnPeople, 'people' | 'hold'>,
): Promise<OpenedTurn> {
  const { ports, settings, loop } = context;
  const topology = loop.topology();
  const { maxIterations } = loop.state().limits;
  const turn = { ...order, ...ports.agents.promptFactsOf?.(order), ...readScratchpad(ports), maxIterations };
  const prompt = buildPrompt(topology, turn, settings.prompt);
  const folder = ports.turns.open(order, prompt);
  const copied = await prepare(() => openCopy(ports, order));
  const tree = await lookAtTree(ports, order);
  const recorder = createTurnRecorder(topology.spec.promise, prompt);
  const backend = copied.ok ? await prepare(() => ports.agents.backendFor(order)) : copied;
  const around = copied.ok ? await prepare(() => ports.agents.surroundings(order)) : copied;
  const spawned = {
    backend: backend.ok ? backend.value.label : '',
    promptHash: folder.promptHash,
    promptTokens: estimateTokens(prompt),
  };
  const heard = createListener(context, order, spawned, [recorder, ...watches]);
  const start = (): RunningTurn => {
    if (!backend.ok) return failAtOnce(backend.refused);
    if (!around.ok) return failAtOnce(around.refused);
    return backend.value.start(toRequest(context, order, { prompt, folder, around: around.value, tree }, people), heard.take);
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
  const close = (around.ok ? around.value.close : undefined) ?? (async () => null);
  return { order, running, recorder: { ...recorder, finish }, before: tree.before, isReadOnly: turn.mayWrite === false, close };
}

/** The scratchpad as it is when the turn begins, without secrets. */
function readScratchpad({ readScratchpad: read, redaction }: LoopPorts): Pick<PromptTurn, 'scratchpad'> {
  const found = read?.() ?? null;
  return found === null ? {} : { scratchpad: { ...found, text: redaction?.text(found.text) ?? found.text } };
}

/** Prepares a part of the turn. A missing one, such as a program or a sandbox, fails the turn and not the run: another hat may not need it. */
async function prepare<Value>(get: () => Value | Promise<Value>): Promise<Result<Value, TurnFailure>> {
  try {
    return accept(await get());
  } catch (error) {
    return refuse({ class: 'spawn', message: toErrorMessage(error) });
  }
}

function toRequest(
  { ports: { backpressure, clock }, settings, loop }: TurnContext,
  order: IterationStart,
  asked: { readonly prompt: string; readonly folder: TurnFolder; readonly around: Surroundings; readonly tree: TreeBefore },
  people: Pick<TurnPeople, 'people' | 'hold'> | undefined,
): TurnRequest {
  const { cwd, env, marker, scope, isolation } = asked.around;
  const { promptFile, stdoutPath, stderrPath } = asked.folder;
  const { iteration, attempt, timeoutMs, idleTimeoutMs } = order;
  const interruptions = order.feedback.filter(({ kind }) => kind === 'withdrawn').length;
  return {
    turn: { iteration, attempt },
    prompt: asked.prompt,
    promptFile,
    cwd,
    env,
    marker,
    timeoutMs,
    idleTimeoutMs,
    logs: { stdoutPath, stderrPath, capBytes: settings.turnLogCapBytes },
    ...(backpressure === undefined ? {} : { backpressure }),
    ...(scope === undefined ? {} : { scope }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(interruptions === 0 ? {} : { interruptions }),
    ...(order.events.some(({ source }) => source === EXTERNAL) && { isAddressed: true as const }),
    ...(people === undefined ? {} : { people: people.people, hold: people.hold }),
    ...toPanel(order, asked.tree, (move) => loop.post({ type: 'panel-moved', at: clock.now(), iteration, attempt, move })),
  };
}

function toPanel({ panel }: IterationStart, { takingOver }: TreeBefore, move: PanelDesk['move']): Pick<TurnRequest, 'panel'> {
  return panel === undefined ? {} : { panel: { state: panel, move, takingOver } };
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

/** How much of the end of the last assistant message is kept, in characters. */
const FINAL_TEXT_LIMIT = 16_384;
/** A line without an end is scanned in pieces of this size, so that memory stays bounded. */
const LINE_LIMIT = 1_000_000;

/** What the assistant's own words amounted to. */
export interface RecordedText {
  readonly signals: readonly Signal[];
  readonly problems: readonly SignalProblem[];
  readonly finalText: string;
  /** Lines that look like a signal and are not, without those that only repeat the prompt. */
  readonly missed: readonly MissedSignal[];
  /** Uses of tools that only published an event or claimed the end. */
  readonly signalCalls: number;
  /** The first uses of tools that were denied. */
  readonly denials: readonly ToolDenial[];
  /** How many were denied. */
  readonly denied: number;
  /** What hooks did; `null` if none was asked. */
  readonly hooks: HookRecord | null;
  readonly model: string | null;
  readonly sessionId: string | null;
}

interface TurnRecorder {
  readonly take: (event: BackendEvent) => void;
  readonly finish: () => RecordedText;
}

/**
 * Listens to a turn's stream, at bounded memory: finds the signals in the assistant's text and keeps the last message.
 * A message that ended is the last one until another one says something.
 */
export function createTurnRecorder(promise: string, prompt = ''): TurnRecorder {
  const scanner = createTextSignalScanner(promise);
  const facts = { signalCalls: 0, denied: 0, model: null as string | null, sessionId: null as string | null };
  const denials: ToolDenial[] = [];
  const hooks = createHookTally();
  let open = '';
  let finalText = '';
  let isClosed = false;

  const takeText = (text: string): void => {
    if (isClosed) {
      scanner.nextMessage();
      finalText = '';
      isClosed = false;
    }
    finalText += text;
    // Cut now and then: cutting at every piece would copy the whole text for each line.
    if (finalText.length > FINAL_TEXT_LIMIT * 4) finalText = finalText.slice(-FINAL_TEXT_LIMIT);
    let start = 0;
    // Only the new text is searched for line ends: the open line may have come in many small pieces.
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      scanner.line(open + text.slice(start, end));
      open = '';
      start = end + 1;
    }
    open += text.slice(start);
    if (open.length > LINE_LIMIT) closeLine();
  };
  const closeLine = (): void => {
    if (open !== '') scanner.line(open);
    open = '';
  };

  return {
    take: (event) => {
      if (event.type === 'text') takeText(event.text);
      else if (event.type === 'message-end') {
        closeLine();
        isClosed = true;
      } else if (event.type === 'tool-start') facts.signalCalls += isSignalCall(event) ? 1 : 0;
      else if (event.type === 'tool-denied') takeDenial(event.denial, denials, facts);
      else if (event.type === 'hook-ran') hooks.take(event.hook);
      else if (event.type === 'session') Object.assign(facts, { model: event.model ?? facts.model, sessionId: event.sessionId });
    },
    finish: () => {
      closeLine();
      const { signals, problems, promised, missed } = scanner.finish();
      return {
        ...facts,
        denials,
        hooks: hooks.finish(),
        signals: promised ? [...signals, { kind: 'promise', channel: 'text' }] : signals,
        problems,
        missed: missed.filter(({ line }) => isPromiseLine(line, promise) || !hasLine(prompt, line)),
        finalText: endOf(finalText, FINAL_TEXT_LIMIT).trim(),
      };
    },
  };
}

/** Counts it, and keeps it if it is one of the first. */
function takeDenial(denial: ToolDenial, denials: ToolDenial[], facts: { denied: number }): void {
  facts.denied += 1;
  if (denials.length < MAX_KEPT_DENIALS) denials.push(denial);
}

/** True for a line of the prompt, or part of a long one: an agent that repeats its prompt publishes nothing by it. */
function hasLine(prompt: string, line: string): boolean {
  return prompt.includes(line) && prompt.split('\n').some((text) => text.trim() === line || (line.length >= 200 && text.includes(line)));
}

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

/** If the agent reported tokens but no cost, the price table gives the cost. */
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
