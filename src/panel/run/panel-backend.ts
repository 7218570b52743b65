import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { addUsage, UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import { createPathRewriter } from '../../core/panel/rewrite-paths.ts';
import { NO_WORK } from '../../core/run/inputs.ts';
import type { CheckAnswer, FinishPanel, OfferUpdate, PanelOrder, PanelOutcome, StartRound } from '../../core/run/panel-state.ts';
import { createPanel } from '../../core/run/panel-state.ts';
import { type TurnFailure, toTurnName } from '../../core/run/turn.ts';
import { startOf } from '../../core/text/shorten.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import type { Backend, PanelDesk, RunningTurn, TurnRequest, TurnResult } from '../../ports/backend.ts';
import { hasWork, PanelFiles, type TakeOver, toSomePaths } from './panel-files.ts';
import type { AnswerJudgement, PanelPayload, PanelSettings } from './panel-settings.ts';
import { type Round, startRound, toTimerMs } from './run-round.ts';

/** How much of what failing gates said is kept, and of the paths that cannot be taken over. */
const MAX_GATE_TEXT = 2000;
const MAX_CONFLICTS = 50;

/** Several agents as one backend: what each does next is decided by the loop, which is told all that happens among them. */
export function createPanelBackend(settings: PanelSettings): Backend {
  return {
    label: settings.label,
    start: (request, observe) => {
      const { panel } = request;
      if (panel === undefined) return failAtOnce('a panel needs the state that the loop keeps of it');
      try {
        return new RunningPanel(settings, request, panel, observe).running;
      } catch (error) {
        return failAtOnce(`the folders of the panel cannot be made: ${toErrorMessage(error)}`);
      }
    },
  };
}

function failAtOnce(message: string): RunningTurn {
  const result: TurnResult = { status: 'failed', failure: { class: 'spawn', message }, ...NO_WORK, logError: null };
  return { result: Promise.resolve(result), stop: () => undefined, kill: () => undefined };
}

class RunningPanel {
  readonly running: RunningTurn;
  readonly #settings: PanelSettings;
  readonly #request: TurnRequest;
  readonly #desk: PanelDesk;
  readonly #observe: (event: BackendEvent) => void;
  readonly #files: PanelFiles;
  readonly #rounds = new Map<number, Round>();
  readonly #numbers: readonly number[];
  readonly #isAnew: boolean;
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #usage: Usage | null = null;
  /** Of rounds that are under way, by agent. */
  readonly #spending = new Map<number, Usage>();
  /** Ends the gates that judge answers. */
  readonly #judging = new AbortController();
  readonly #judgements = new Set<Promise<void>>();
  /** Ends with the last of them: gates that bear no other beside them bear none of another answer either. */
  #lastJudgement: Promise<void> = Promise.resolve();
  #toolCalls = 0;
  #isStopped = false;
  /** The work of the winner is being taken over: that is not left half done. */
  #isFinishing = false;
  #settle: (result: TurnResult) => void = () => undefined;

  constructor(settings: PanelSettings, request: TurnRequest, desk: PanelDesk, observe: (event: BackendEvent) => void) {
    this.#settings = settings;
    this.#request = request;
    this.#desk = desk;
    this.#observe = observe;
    // Without the work behind it an answer is only words.
    this.#isAnew = desk.state.answers.length > 0 && !hasWork(settings.folder, desk.state.home);
    const state = this.#isAnew ? createPanel(settings.spec.agents.length) : desk.state;
    const home = state.home === '' ? toTurnName(request.turn) : state.home;
    this.#numbers = state.numbers.length === 0 ? settings.shuffle(settings.spec.agents.length) : state.numbers;
    this.#files = new PanelFiles({ ...settings, home, numbers: this.#numbers }, state.answers);
    const result = new Promise<TurnResult>((resolve) => {
      this.#settle = resolve;
    });
    this.running = { result, stop: (graceMs) => this.#stop(graceMs), kill: () => this.#kill(), obey: (order) => this.#obey(order) };
    // Not at once: the caller must have the turn before its first event.
    queueMicrotask(() => this.#open(home));
  }

  #open(home: string): void {
    this.#observe({ type: 'started', pid: null, processStart: null, argv: [this.#settings.label] });
    if (this.#isStopped) return void this.#end('stopped', null);
    if (this.#settings.isAway !== true) this.#startClock();
    const ids = this.#settings.spec.agents.map(({ id }) => id);
    this.#desk.move({ kind: 'opened', numbers: this.#numbers, home, ids, ...(this.#isAnew && { isAnew: true }) });
  }

  #startClock(): void {
    const { timeoutMs } = this.#settings.spec;
    const limitMs = this.#request.timeoutMs > 0 ? Math.min(timeoutMs, this.#request.timeoutMs) : timeoutMs;
    this.#timer ??= setTimeout(() => this.#desk.move({ kind: 'time-up' }), toTimerMs(limitMs));
  }

  #obey(order: PanelOrder): void {
    // What was decided of what is handed in already is heard also by whoever is being stopped.
    if (this.#isStopped && order.kind !== 'reply') return;
    const handler = ORDERS[order.kind] as (turn: RunningPanel, order: PanelOrder) => void;
    handler(this, order);
  }

  begin(order: StartRound): void {
    const { agent, round } = order;
    const started = startRound({
      ...{ settings: this.#settings, request: this.#request, files: this.#files, order, move: this.#desk.move },
      observe: (event) => this.#hear(agent, event),
    });
    this.#rounds.set(agent, started);
    void started.ended.then(({ outcome, failure, usage, toolCalls, finalText }) => {
      if (this.#rounds.get(agent) === started) this.#rounds.delete(agent);
      this.#spending.delete(agent);
      this.#usage = this.#usage === null ? usage : addUsage(this.#usage, usage);
      this.#toolCalls += toolCalls;
      if (this.#isStopped) return this.#endIfQuiet();
      this.#desk.move({ kind: 'round-ended', agent, round, outcome, usage, finalText, ...(failure === null ? {} : { failure }) });
    });
  }

  offer(order: OfferUpdate): void {
    this.#rounds.get(order.agent)?.offer(order);
  }

  endRound({ agent, round, isNow }: Extract<PanelOrder, { kind: 'end-round' }>): void {
    const running = this.#rounds.get(agent);
    if (running?.number === round) running.end(isNow);
  }

  reply(order: Extract<PanelOrder, { kind: 'reply' }>): void {
    this.#rounds.get(order.agent)?.reply(order);
  }

  /** Lets the gates judge an answer; the rules wait for it. */
  check(answer: CheckAnswer): void {
    const judgement = this.#lastJudgement
      .then(() => this.#judge(answer))
      .catch((error: unknown) => {
        this.#observe({ type: 'warning', message: `An answer cannot be judged: ${toErrorMessage(error)}` });
        return { isPassed: false, text: 'The gates could not be run on the work behind this answer.' };
      })
      .then((judged) => {
        this.#judgements.delete(judgement);
        if (this.#isStopped) this.#endIfQuiet();
        else if (!this.#judging.signal.aborted) this.#tellJudgement(answer, judged);
      });
    this.#judgements.add(judgement);
    this.#lastJudgement = judgement;
  }

  #tellJudgement(answer: CheckAnswer, { isPassed, text }: AnswerJudgement): void {
    const judgement = { isPassed, text: this.#files.toNumbers(startOf(text, MAX_GATE_TEXT)) };
    this.#files.judged(answer, judgement);
    this.#desk.move({ kind: 'answer-checked', agent: answer.agent, revision: answer.revision, ...judgement });
  }

  #judge(answer: CheckAnswer): Promise<AnswerJudgement> {
    const { judge, defaultTopic } = this.#settings;
    if (judge === undefined || this.#judging.signal.aborted) return Promise.resolve({ isPassed: true, text: '' });
    const topic = answer.topic ?? defaultTopic;
    const { signal } = this.#judging;
    return this.#files.tryOut(answer, async (cwd) => {
      const { isPassed, text } = await judge({ cwd, topic, signal });
      return { isPassed, text: createPathRewriter({ roots: [{ path: cwd, shown: '.' }] })(text) };
    });
  }

  async finish({ outcome, votes }: FinishPanel): Promise<void> {
    clearTimeout(this.#timer);
    this.#judging.abort();
    this.#isFinishing = true;
    await Promise.all(this.#judgements);
    if (outcome.kind === 'failed') return this.#end('failed', { class: 'agent', message: outcome.reason });
    const problem = await this.#hand(outcome, votes).catch((error: unknown) => toErrorMessage(error));
    if (problem !== null) return this.#end('failed', { class: 'agent', message: problem });
    // What counts is in the folder of the run, and every answer in its snapshot.
    await this.#files.clear().catch(() => undefined);
    return this.#end('succeeded', null);
  }

  /** Takes over the winner's work, and publishes; `null` where all went well. */
  async #hand(outcome: Extract<PanelOutcome, { kind: 'won' }>, votes: FinishPanel['votes']): Promise<string | null> {
    const { topics, defaultTopic, publish, findProblem } = this.#settings;
    const author = `agent${this.#numbers[outcome.winner.agent] ?? 0}`;
    const answer = this.#files.toFinal(outcome.winner.agent, outcome.content);
    const payload: PanelPayload = {
      answer,
      author,
      votes: votes.map(({ by, target, reason }) => ({ for: `agent${target}`, reason: this.#files.toFinal(by, reason) })),
    };
    const topic = outcome.topic !== null && topics.includes(outcome.topic) ? outcome.topic : defaultTopic;
    await this.#files.keep(payload);
    // Before anything is changed in the folder for it.
    const problem = topic === null ? null : findProblem(topic, payload);
    if (problem !== null) return problem;
    const applied = await this.#files.apply(outcome.winner, this.#desk.takingOver);
    if (applied.kind === 'failed') return applied.why;
    if (applied.kind === 'conflict') return this.#tellConflict(applied, payload);
    // No last words: people are told who won by name, and what agents wrote must not be read as the hat's own signals.
    return topic === null ? null : publish(this.#request, topic, payload);
  }

  /** Nothing was taken over: whoever the configuration names is to bring it together. */
  #tellConflict({ conflicts, kept }: Extract<TakeOver, { kind: 'conflict' }>, payload: PanelPayload): string | null {
    const { conflictTopic, publish } = this.#settings;
    const text = `the work of the panel cannot be taken over: ${toSomePaths(conflicts)} changed in the folder meanwhile; it is kept in ${kept}`;
    if (conflictTopic === null) return text;
    this.#observe({ type: 'warning', message: text });
    return publish(this.#request, conflictTopic, { ...payload, conflicts: conflicts.slice(0, MAX_CONFLICTS), work: kept });
  }

  /** Its agents speak to the panel, not to the run: their words are not the hat's, and only signs of life and of trouble are told, and what all have cost. */
  #hear(agent: number, event: BackendEvent): void {
    if (event.type === 'started' && this.#settings.isAway === true && !this.#isStopped && !this.#isFinishing) this.#startClock();
    if (event.type === 'usage') {
      this.#spending.set(agent, event.usage);
      const usage = [...this.#spending.values()].reduce((sum, part) => addUsage(sum, part), this.#usage ?? UNKNOWN_USAGE);
      return this.#observe({ type: 'usage', usage });
    }
    this.#observe(IS_TOLD[event.type] ? event : { type: 'alive' });
  }

  #stop(graceMs: number): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#judging.abort();
    for (const round of this.#rounds.values()) round.stop(graceMs);
    this.#endIfQuiet();
  }

  #kill(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#judging.abort();
    for (const round of this.#rounds.values()) round.kill();
    this.#endIfQuiet();
  }

  #endIfQuiet(): void {
    if (this.#rounds.size > 0 || this.#judgements.size > 0 || this.#isFinishing) return;
    void this.#end('stopped', null);
  }

  async #end(status: TurnResult['status'], failure: TurnFailure | null): Promise<void> {
    clearTimeout(this.#timer);
    await this.#files.close().catch(() => undefined);
    this.#settle({
      ...NO_WORK,
      status,
      failure,
      durationMs: Date.now() - this.#startedAt,
      usage: this.#usage ?? UNKNOWN_USAGE,
      toolCalls: this.#toolCalls,
      producedOutput: status === 'succeeded',
      logError: null,
      exitCode: status === 'succeeded' ? 0 : status === 'failed' ? 1 : null,
    });
  }
}

const IS_TOLD: Readonly<Record<BackendEvent['type'], boolean>> = {
  started: false,
  session: false,
  text: false,
  'message-end': false,
  thinking: false,
  alive: false,
  'tool-start': false,
  'tool-end': false,
  'tool-denied': true,
  'hook-ran': true,
  injected: false,
  usage: false,
  retry: false,
  warning: true,
};

const ORDERS: { readonly [Kind in PanelOrder['kind']]: (turn: RunningPanel, order: Extract<PanelOrder, { kind: Kind }>) => void } = {
  'start-round': (turn, order) => turn.begin(order),
  'offer-update': (turn, order) => turn.offer(order),
  'end-round': (turn, order) => turn.endRound(order),
  reply: (turn, order) => turn.reply(order),
  'check-answer': (turn, order) => turn.check(order),
  finish: (turn, order) => void turn.finish(order),
};
