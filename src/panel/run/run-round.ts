import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { OfferUpdate, PanelReply, RoundEnded, ShownAnswer } from '../../core/run/panel-state.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { endOf } from '../../core/text/shorten.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import type { HandedIn, PanelHand, RunningTurn, TurnRequest } from '../../ports/backend.ts';
import { createHand, GIVEN_UP, handInWords, type RoundOrder } from './create-hand.ts';
import { createLastWords } from './last-words.ts';
import type { AgentPlace } from './panel-files.ts';
import type { AgentSource, AgentSurroundings } from './panel-settings.ts';
import { noteRefusal, noteRoundEnd, noteSession, readDigest, readRefusal, readSession } from './round-memory.ts';
import { buildRoundPrompt, type RoundPrompt, renderNews } from './round-prompt.ts';

/** A round that is under way. */
export interface Round {
  readonly number: number;
  readonly ended: Promise<Ended>;
  readonly offer: (offer: OfferUpdate) => void;
  /** @param isNow false: what it waits for finishes first, where the agent works step by step */
  readonly end: (isNow: boolean) => void;
  readonly reply: (reply: PanelReply) => void;
  readonly stop: (graceMs: number) => void;
  readonly kill: () => void;
}

interface Ended extends Pick<RoundEnded, 'outcome' | 'usage' | 'finalText'> {
  readonly failure: TurnFailure | null;
  readonly toolCalls: number;
}

const END_GRACE_MS = 5000;
/** How long an agent that has handed in may go on: for its last words, and for what it says of its cost. */
const HAND_IN_GRACE_MS = 15_000;
/** What a worker has beyond the time of a stop: to hear of it, and to send what its agent made by then. */
const AWAY_GRACE_MS = 5000;
const MAX_FINAL = 2000;
/** More of a last message is not kept in memory. */
const MAX_SAID = 10_000_000;

const OUTCOMES = { succeeded: 'done', failed: 'failed', stopped: 'stopped' } as const;

/** Gives an agent a prompt, and tells what it hands in. Never throws: what goes wrong is the round's failure. */
export function startRound(round: RoundOrder): Round {
  return new RunningRound(round);
}

class RunningRound implements Round {
  readonly number: number;
  readonly ended: Promise<Ended>;
  readonly #round: RoundOrder;
  readonly #source: AgentSource;
  readonly #replies = new Map<string, (handed: HandedIn) => void>();
  /** It is being stopped: what was not told yet is told no more. */
  #isOver = false;
  #isGivenUp = false;
  /** It took longer than a round may. */
  #isLate = false;
  /** News that came before it was at work. */
  readonly #early: OfferUpdate[] = [];
  #running: RunningTurn | null = null;
  /** Takes back what was made for it. */
  #close: AgentSurroundings['close'];
  #ending: 'no' | 'finish' | 'stop' | 'kill' = 'no';
  /** By its programs, while they ran. */
  #handedIn: 'nothing' | 'refused' | 'accepted' = 'nothing';
  #endTimer: NodeJS.Timeout | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  /** Answers that it knows of. */
  #shown: readonly ShownAnswer[];

  constructor(round: RoundOrder) {
    const { order, settings } = round;
    this.number = order.round;
    this.#shown = order.shown;
    this.#round = round;
    this.#source = settings.agentAt(order.agent);
    this.ended = this.#run()
      .catch((error: unknown): Ended => ({ ...NOT_BEGUN, outcome: 'failed', failure: { class: 'spawn', message: toErrorMessage(error) } }))
      .finally(() => this.#clear());
  }

  async #run(): Promise<Ended> {
    const { move, order, settings } = this.#round;
    let refusal = '';
    const hand = createHand(this.#round, {
      ask: (call) => this.#awaitReply(call),
      isOver: () => this.#isOver,
      way: this.#source.way,
      onRefused: (text) => {
        refusal = text;
      },
    });
    const watched = this.#source.isNative ? hand : this.#watchHand(hand);
    const heard = createListener(this.#round);
    const { request, settle, close } = await prepare(this.#round, this.#source, watched, () => this.#shown);
    this.#close = close;
    if (this.#ending !== 'no') {
      await settle?.();
      return NOT_BEGUN;
    }
    const tellStart = (worker?: string): void =>
      move({ kind: 'round-started', agent: order.agent, round: order.round, ...(worker !== undefined && { worker }) });
    let stopClock = (): void => undefined;
    if (this.#source.isAway !== true) tellStart();
    const folder = dirname(request.promptFile);
    const running = this.#source.backend.start(request, (event) => {
      if (event.type === 'session' && this.#source.canResume) noteSession(folder, event.sessionId);
      if (event.type === 'started' && this.#source.isAway === true) {
        tellStart(event.worker);
        stopClock();
        stopClock = this.#startClock(running);
      }
      heard.take(event);
    });
    this.#running = running;
    for (const offer of this.#early.splice(0)) this.offer(offer);
    // Time in which no worker has it is none of its own.
    if (this.#source.isAway !== true) stopClock = this.#startClock(running);
    const result = await running.result.finally(() => stopClock());
    // What its programs wrote before they ended counts.
    await settle?.();
    clearTimeout(this.#endTimer);
    const { model, said } = heard.facts();
    if (!this.#source.isNative) noteRoundEnd(folder, said, result.status === 'failed');
    const name = settings.spec.agents[order.agent]?.id ?? '';
    const isSilent = this.#handedIn === 'nothing' && result.status === 'succeeded';
    if (!this.#source.isNative && isSilent) refusal = (await handInWords(this.#round, hand, { said, name, folder })) ?? refusal;
    noteRefusal(folder, refusal);
    const usage = result.usage.costUsd === null ? { ...result.usage, costUsd: this.#source.priceOf(result.usage, model) } : result.usage;
    const facts = { usage, toolCalls: result.toolCalls ?? 0, finalText: endOf(said, MAX_FINAL) };
    // One that was stopped because it had handed in has done what it was for.
    if (this.#handedIn === 'accepted' && result.status === 'stopped' && this.#ending === 'no')
      return { ...facts, outcome: 'done', failure: null };
    if (this.#isLate && result.status === 'stopped') return { ...facts, ...toLate(settings.spec) };
    return { ...facts, outcome: OUTCOMES[result.status], failure: result.failure };
  }

  /** Notes what an agent that is a program hands in while it works. What was accepted ends its round: a program that goes on is ended. */
  #watchHand(hand: PanelHand): PanelHand {
    const note = async (handing: Promise<HandedIn>): Promise<HandedIn> => {
      if (this.#handedIn === 'nothing') this.#handedIn = 'refused';
      const handed = await handing;
      if (!handed.isAccepted || this.#handedIn === 'accepted') return handed;
      this.#handedIn = 'accepted';
      this.#endTimer = setTimeout(() => this.#running?.stop(END_GRACE_MS), HAND_IN_GRACE_MS);
      return handed;
    };
    return {
      ...hand,
      answer: (content, topic) => note(hand.answer(content, topic)),
      vote: (target, reason) => note(hand.vote(target, reason)),
    };
  }

  async #clear(): Promise<void> {
    clearTimeout(this.#killTimer);
    const { files, order, observe } = this.#round;
    const found = (await this.#close?.()) ?? null;
    if (found !== null) observe({ type: 'warning', message: found });
    await files.endRound(order.agent).catch(() => undefined);
  }

  /** Tells the agent that its time is over, and stops it where that does not help; the clock ends with what it returns. */
  #startClock(running: RunningTurn): () => void {
    const { roundTimeoutMs, graceMs = 0 } = this.#round.settings.spec;
    if (roundTimeoutMs === undefined) return () => undefined;
    const stop = (): void => {
      this.#isLate = true;
      running.stop(END_GRACE_MS);
    };
    let timer = setTimeout(() => {
      running.tell?.({ id: 'time', text: 'Your time is over: hand in what you have, now.', by: '', isNews: true });
      timer = setTimeout(stop, toTimerMs(graceMs));
    }, toTimerMs(roundTimeoutMs));
    return () => clearTimeout(timer);
  }

  offer(order: OfferUpdate): void {
    if (this.#running === null) return void this.#early.push(order);
    const { agent, update, answers } = order;
    const { files } = this.#round;
    this.#shown = [...this.#shown.filter((known) => answers.every((answer) => answer.agent !== known.agent)), ...answers];
    const tell = (): void => {
      const text = renderNews(files.toVisible(agent, answers), this.#source.way);
      this.#running?.tell?.({ id: update, text, by: '', isNews: true });
    };
    // Without the work behind it, an answer is still news.
    void (this.#source.isAway === true ? Promise.resolve() : files.share(agent, answers)).then(tell, tell);
  }

  end(isNow: boolean): void {
    this.#ending = isNow ? 'stop' : 'finish';
    if (isNow) this.#running?.stop(END_GRACE_MS);
    else this.#running?.finish?.();
  }

  reply({ agent, call, isAccepted, text, revision }: PanelReply): void {
    if (revision !== undefined) this.#round.files.took(agent, revision, call);
    this.#replies.get(call)?.({ isAccepted, text });
    this.#replies.delete(call);
  }

  stop(graceMs: number): void {
    this.#ending = 'stop';
    this.#isOver = true;
    this.#running?.stop(graceMs);
    // Its worker may be silent, or what it made on its way for minutes.
    if (this.#source.isAway === true) this.#killTimer ??= setTimeout(() => this.kill(), graceMs + AWAY_GRACE_MS);
  }

  kill(): void {
    this.#ending = 'kill';
    this.#isOver = true;
    this.#giveUp();
    this.#running?.kill();
  }

  #awaitReply(call: string): Promise<HandedIn> {
    return new Promise((resolve) => (this.#isGivenUp ? resolve(GIVEN_UP) : this.#replies.set(call, resolve)));
  }

  /** Nothing is decided any more. */
  #giveUp(): void {
    this.#isGivenUp = true;
    for (const resolve of this.#replies.values()) resolve(GIVEN_UP);
    this.#replies.clear();
  }
}

const NOT_BEGUN: Ended = { outcome: 'stopped', failure: null, usage: UNKNOWN_USAGE, toolCalls: 0, finalText: '' };

function toLate({ roundTimeoutMs = 0, graceMs = 0 }: PanelSpec): Pick<Ended, 'outcome' | 'failure' | 'finalText'> {
  const message = `it handed in nothing within ${toDurationText(roundTimeoutMs)}, and ${toDurationText(graceMs)} of grace`;
  return { outcome: 'failed', failure: { class: 'timeout', message }, finalText: '' };
}

/** Longer ones would end at once. */
export function toTimerMs(ms: number): number {
  return Math.min(ms, 2 ** 31 - 1);
}

interface Prepared extends Pick<AgentSurroundings, 'settle' | 'close'> {
  readonly request: TurnRequest;
}

/** Its folder, what it is shown of the others, and its prompt. */
async function prepare(round: RoundOrder, source: AgentSource, hand: PanelHand, shown: () => readonly ShownAnswer[]): Promise<Prepared> {
  const { request, files, order } = round;
  const { agent } = order;
  const place = await files.open(agent);
  // Elsewhere it is shown where it works.
  if (source.isAway !== true) await files.share(agent, order.shown);
  const folder = join(place.turns, `${order.round}.1`);
  mkdirSync(folder, { recursive: true });
  const promptFile = join(folder, 'prompt.md');
  // Before the prompt is there: a sandbox shows only what is.
  writeFileSync(promptFile, '', { mode: 0o600 });
  const { settle, close, ...around } = await source.surroundings({
    cwd: place.cwd,
    token: place.token,
    name: `${order.round}.1`,
    promptFile,
    hand,
    shown: () => files.toWorks(agent, shown()),
  });
  const opened = { place, promptFile, around };
  const prompt = await writePrompt(round, source, hand, opened).catch(async (error: unknown) => {
    await settle?.();
    await close?.();
    throw error;
  });
  const { panel: _, people: __, interruptions: ___, isAddressed: ____, scope: _____, ...rest } = request;
  return {
    ...(settle === undefined ? {} : { settle }),
    ...(close === undefined ? {} : { close }),
    request: {
      ...rest,
      ...around,
      ...prompt,
      turn: { iteration: order.round, attempt: 1 },
      promptFile,
      logs: { ...request.logs, stdoutPath: join(folder, 'stdout.log'), stderrPath: join(folder, 'stderr.log') },
      hand,
    },
  };
}

interface OpenedPlace {
  readonly place: AgentPlace;
  readonly promptFile: string;
  readonly around: Pick<TurnRequest, 'scope'>;
}

/** The prompt of a round, and the conversation that goes on with it. */
async function writePrompt(
  { settings, request, files, order }: RoundOrder,
  source: AgentSource,
  hand: PanelHand,
  { place, promptFile, around }: OpenedPlace,
): Promise<Pick<TurnRequest, 'prompt' | 'session' | 'resumable'>> {
  const { agent } = order;
  // In a sandbox a program has a home of its own for each turn, and no conversation of another.
  const known = source.canResume && around.scope?.confine === undefined ? readSession(place.turns, order.round) : null;
  // Only the worker that gets the round can tell whether it was had there.
  const session = source.isAway === true ? null : known;
  const goesOn = source.isNative ? files.hasSession(agent, order.round - 1) : session !== null;
  const toPrompt = (isKnown: boolean, digest: string): RoundPrompt => ({
    task: isKnown ? '' : request.prompt,
    digest,
    instructions: settings.spec.agents[agent]?.instructions ?? '',
    round: order.task,
    answers: files.toVisible(agent, order.shown),
    voting: settings.spec.voting,
    way: source.way,
    isEnforced: order.isEnforced,
    refusal: order.isEnforced ? readRefusal(place.turns, order.round) : '',
    topics: hand.topics,
    ...(order.failedGates === undefined ? {} : { failedGates: order.failedGates }),
  });
  const prompt = buildRoundPrompt(toPrompt(goesOn, goesOn || source.isNative ? '' : settings.redact(await readDigest(place, order.round))));
  writeFileSync(promptFile, prompt, { mode: 0o600 });
  if (session !== null) return { prompt, session };
  return { prompt, ...(known !== null && { resumable: { session: known, prompt: buildRoundPrompt(toPrompt(true, '')) } }) };
}

/** Keeps the last message of an agent, and its model; tells what it was told, and passes on the rest. */
function createListener({ order, move, observe }: RoundOrder) {
  const words = createLastWords(MAX_SAID);
  let model: string | null = null;
  return {
    take: (event: BackendEvent): void => {
      words.take(event);
      if (event.type === 'session') model = event.model ?? model;
      if (event.type === 'injected')
        for (const update of event.ids) move({ kind: 'update-given', agent: order.agent, round: order.round, update });
      observe(event);
    },
    facts: () => ({ model, said: words.said() }),
  };
}
