import {
  type BackendEvent,
  type IterationStart,
  NO_WORK,
  type TurnFailure,
  type TurnReport,
  toErrorCode,
  toSwitchText,
  toTurnName,
} from '../../core/index.ts';
import type { Backend, RunningTurn, TurnFolder, TurnRequest, TurnResult } from '../../ports/index.ts';
import { buildPrompt, type PromptTurn } from '../../prompts/index.ts';
import { createCostGuard } from './cost-guard.ts';
import { createLingeringWatch, type LingeringWatch } from './lingering-watch.ts';
import type { LoopPorts, LoopSettings, Surroundings } from './loop-ports.ts';
import type { LoopView } from './loop-view.ts';
import { createEventRedactor } from './redact-input.ts';
import { createTurnRecorder, type TurnRecorder } from './turn-recorder.ts';

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

/** False, and the run is told, when the workspace is gone. */
export function isRunnable(ports: LoopPorts, loop: LoopView, order: IterationStart): boolean {
  if (ports.workspace.exists()) return true;
  const at = ports.clock.now();
  loop.post({ type: 'environment-failed', at, what: 'workspace', message: 'the folder of the run does not exist any more' });
  loop.post({
    type: 'iteration-ended',
    at,
    iteration: order.iteration,
    attempt: order.attempt,
    ...INTERRUPTED,
    inboxOffset: loop.state().inboxOffset,
  });
  return false;
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

/** Writes the prompt, then starts the agent. Throws the system error when the turn's folder cannot be written. */
export async function openTurn(ports: LoopPorts, settings: LoopSettings, loop: LoopView, order: IterationStart): Promise<OpenedTurn> {
  const topology = loop.topology();
  const { maxIterations } = loop.state().limits;
  const turn = { ...order, ...ports.wardrobe.promptFactsOf?.(order), ...readScratchpad(ports), maxIterations };
  const prompt = buildPrompt(topology, turn, settings.prompt);
  const folder = ports.turns.open(order, prompt);
  const before = await ports.workspace.keepBefore(toTurnName(order));
  const recorder = createTurnRecorder(topology.spec.promise, prompt);
  const lingering = createLingeringWatch(ports, loop, order);
  const listen = createListener({
    ports,
    loop,
    order,
    recorder,
    promptHash: folder.promptHash,
    promptTokens: Math.ceil(prompt.length / 4),
    lingering,
  });
  const backend = findBackend(ports, order);
  const around = await findSurroundings(ports, order);
  const close = 'failure' in around ? null : (around.close ?? null);
  const heard = listen('failure' in backend ? '' : backend.label);
  const running =
    'failure' in backend
      ? failAtOnce(backend.failure)
      : 'failure' in around
        ? failAtOnce(around.failure)
        : backend.start(toRequest(settings, order, { prompt, folder, around, backpressure: ports.backpressure }), heard.take);
  const finish: TurnRecorder['finish'] = () => {
    heard.end();
    return recorder.finish();
  };
  lingering.begin(running);
  void running.result.then(lingering.close);
  return { order, running, recorder: { ...recorder, finish }, before, close: close ?? (async () => null) };
}

/** As it is when the turn begins, without secrets. */
function readScratchpad({ readScratchpad: read, redaction }: LoopPorts): Pick<PromptTurn, 'scratchpad'> {
  const found = read?.() ?? null;
  return found === null ? {} : { scratchpad: { ...found, text: redaction?.text(found.text) ?? found.text } };
}

/** What cannot be prepared, such as a sandbox that is required and not there, is a failed turn. */
async function findSurroundings(ports: LoopPorts, order: IterationStart): Promise<Surroundings | { readonly failure: TurnFailure }> {
  try {
    return await ports.wardrobe.surroundings(order);
  } catch (error) {
    return { failure: { class: 'spawn', message: error instanceof Error ? error.message : toErrorCode(error) } };
  }
}

function toRequest(
  settings: LoopSettings,
  order: IterationStart,
  asked: {
    readonly prompt: string;
    readonly folder: TurnFolder;
    readonly around: Surroundings;
    readonly backpressure: LoopPorts['backpressure'];
  },
): TurnRequest {
  const { cwd, env, marker, scope, isolation } = asked.around;
  const { promptFile, stdoutPath, stderrPath } = asked.folder;
  const { iteration, attempt, timeoutMs, idleTimeoutMs } = order;
  const logs = { stdoutPath, stderrPath, capBytes: settings.turnLogCapBytes };
  const request = { turn: { iteration, attempt }, prompt: asked.prompt, promptFile, cwd, env, marker, timeoutMs, idleTimeoutMs, logs };
  const interruptions = order.feedback.filter(({ kind }) => kind === 'withdrawn').length;
  return {
    ...request,
    ...(asked.backpressure === undefined ? {} : { backpressure: asked.backpressure }),
    ...(scope === undefined ? {} : { scope }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(interruptions === 0 ? {} : { interruptions }),
  };
}

/** A backend that cannot be had is a failed turn, not the end of the run: another hat may have a better one. */
function findBackend(ports: LoopPorts, order: IterationStart): Backend | { readonly failure: TurnFailure } {
  try {
    return ports.wardrobe.backendFor(order);
  } catch (error) {
    return { failure: { class: 'spawn', message: error instanceof Error ? error.message : toErrorCode(error) } };
  }
}

function failAtOnce(failure: TurnFailure): RunningTurn {
  const result: TurnResult = {
    status: 'failed',
    failure,
    ...NO_WORK,
    logError: null,
  };
  return { result: Promise.resolve(result), stop: () => undefined, kill: () => undefined };
}

interface Listening {
  readonly ports: LoopPorts;
  readonly loop: LoopView;
  readonly order: IterationStart;
  readonly recorder: TurnRecorder;
  readonly promptHash: string;
  readonly promptTokens: number;
  readonly lingering: LingeringWatch;
}

/** Hands what an agent does to the recorder, the turn's text, the observers; and its start to the journal. */
function createListener(listening: Listening): (backend: string) => ReturnType<typeof createEventRedactor> {
  const { ports, loop, order, recorder, promptHash, promptTokens } = listening;
  const { iteration, attempt, hat } = order;
  const guardCost = createCostGuard(ports, loop, order);
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
  const hear = (backend: string, event: BackendEvent): void => {
    if (event.type === 'started') {
      const { pid, processStart, argv } = event;
      const tools = event.tools ?? ports.wardrobe.toolsOf?.(order) ?? null;
      loop.post({
        type: 'iteration-spawned',
        at: ports.clock.now(),
        iteration,
        attempt,
        pid,
        processStart,
        backend,
        argv,
        promptHash,
        promptTokens,
        ...(tools === null ? {} : { tools, ...(hat === loop.state().lastHat ? {} : { log: toSwitchText(hat, tools) }) }),
      });
    }
    recorder.take(event);
    guardCost(event);
    listening.lingering.take(event);
    if (event.type === 'text') keep(event.text);
    if (event.type === 'message-end' && isLineOpen) keep('\n');
    ports.observe({ kind: 'live', iteration, attempt, hat, event });
  };
  return (backend) => createEventRedactor(ports.redaction, (event) => hear(backend, event));
}
