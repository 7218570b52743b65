import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { Tell } from '../../core/events/event.ts';
import type { IterationStart, QuestionClose } from '../../core/run/effects.ts';
import type { Asked } from '../../core/run/inputs.ts';
import { areAskable, QUESTION_LIMITS } from '../../core/run/question-limits.ts';
import type { TurnId } from '../../core/run/turn.ts';
import { toErrorCode } from '../../core/values/errors.ts';
import { toTextHash } from '../../core/values/hash.ts';
import type { RunningTurn } from '../../ports/backend.ts';
import type { People, PersonAnswer, PersonQuestion } from '../../ports/people.ts';
import type { ClockHold } from '../../ports/program.ts';
import type { AskBox, ProgramQuestion } from '../../ports/steering.ts';
import type { TurnContext, TurnWatch } from './loop-ports.ts';

export interface TurnPeople extends TurnWatch {
  readonly people: People;
  readonly hold: ClockHold;
  /** Gives its agent what a person tells it, now or as soon as it is there; nothing where it cannot be told. */
  readonly tell: (tell: Tell) => void;
  /** Lets whoever waits for the answer go on. */
  readonly settle: (close: QuestionClose) => void;
  /** The turn is over: nobody waits any more. */
  readonly end: () => void;
}

/** How much may be asked at the same time. */
const MAX_OPEN = 20;
/** How much one turn may ask: every question is in the journal. */
const MAX_ASKED = 500;

/** Connects one turn with people: its agent is told, and asks. */
export function createTurnPeople(context: TurnContext, order: IterationStart): TurnPeople {
  const { ports, loop } = context;
  const { iteration, attempt } = order;
  const asking = createAsking(context, order);
  const offered = new Map<string, Tell>();
  let running: RunningTurn | null = null;

  const hand = ({ id, text, sender }: Tell): void => running?.tell?.({ id, text, by: sender.user });
  const takeEvent = (event: BackendEvent): void => {
    if (event.type !== 'injected') return;
    const ids = event.ids.filter((id) => offered.delete(id));
    if (ids.length === 0) return;
    loop.post({ type: 'tell-given', at: ports.clock.now(), iteration, attempt, ids, call: event.call, isKept: event.isKept === true });
  };
  return {
    ...asking,
    tell: (tell) => {
      offered.set(tell.id, tell);
      hand(tell);
    },
    take: takeEvent,
    begin: (turn) => {
      running = turn;
      for (const tell of offered.values()) hand(tell);
    },
  };
}

/** The half in which a turn asks. */
function createAsking(
  context: TurnContext,
  { iteration, attempt, hat, copy }: IterationStart,
): Pick<TurnPeople, 'people' | 'hold' | 'settle' | 'end'> {
  const { ports, settings, loop } = context;
  const waiting = new Map<string, Waiting>();
  const hold = createHold();
  let isOver = false;
  let asked = 0;

  const toInput = (question: PersonQuestion): Asked => {
    const at = ports.clock.now();
    return {
      ...{ type: 'asked', at, iteration, attempt, key: question.key, purpose: question.kind },
      ...{ text: question.text.slice(0, QUESTION_LIMITS.text), choices: question.choices, default: question.default },
      dueAt: at + Math.min(question.deadlineMs ?? settings.asking.deadlineMs, QUESTION_LIMITS.deadlineMs),
    };
  };
  const ask = (question: PersonQuestion): Promise<PersonAnswer> => {
    // What was asked before a crash has its answer, or waits for it, whoever is there now.
    const isKnown = loop
      .state()
      .questions.some((entry) => entry.hat === hat && entry.key === question.key && !isOfTurn(entry, { iteration, attempt }));
    const policy = isKnown ? null : decideAtOnce(context, question);
    if (policy !== null || isOver) return Promise.resolve(policy ?? { choice: question.default, by: 'withdrawn' });
    const known = waiting.get(question.key);
    if (known === undefined && (waiting.size >= MAX_OPEN || asked >= MAX_ASKED))
      return Promise.resolve({ choice: question.default, by: 'policy' });
    return new Promise((resolve) => {
      if (known !== undefined) return void known.takers.push(resolve);
      asked += 1;
      waiting.set(question.key, { takers: [resolve], default: question.default });
      hold.update(waiting.size);
      loop.post(toInput(question));
    });
  };
  const release = (key: string, answer: PersonAnswer): void => {
    const entry = waiting.get(key);
    waiting.delete(key);
    hold.update(waiting.size);
    for (const resolve of entry?.takers ?? []) resolve(answer);
  };
  const asks = copy === undefined ? ports.asks : ports.copies?.asksOf(copy);
  const unwatch = asks?.watch(createProgramAsker(context, asks, ask)) ?? (() => undefined);
  return {
    people: { ask },
    hold,
    settle: ({ key, choice, by }) => release(key, { choice, by }),
    end: () => {
      isOver = true;
      unwatch();
      for (const [key, { default: choice }] of waiting) release(key, { choice, by: 'withdrawn' });
    },
  };
}

function isOfTurn(question: TurnId, turn: TurnId): boolean {
  return question.iteration === turn.iteration && question.attempt === turn.attempt;
}

interface Waiting {
  readonly takers: ((answer: PersonAnswer) => void)[];
  readonly default: string;
}

/** What is decided without a person; `null` where one is waited for. */
function decideAtOnce({ ports, settings: { asking } }: TurnContext, question: PersonQuestion): PersonAnswer | null {
  const isGood = question.choices.length >= 2 && question.choices.includes(question.default);
  if (!isGood || !asking.isOn) return { choice: question.default, by: 'policy' };
  const isDecided = question.kind === 'permission' && question.isPatient !== true && ports.isAttended?.() !== true;
  return isDecided ? { choice: question.default, by: 'policy' } : null;
}

/**
 * Asks for programs. What one asks a second time, after it had its answer, is another question; whoever asks it in the turn that takes up an interrupted one
 * counts from the beginning, so the same questions meet the same answers.
 */
function createProgramAsker({ ports, loop }: TurnContext, asks: AskBox, ask: People['ask']): (question: ProgramQuestion) => void {
  const answered = new Map<string, number>();
  return ({ ask: id, text, choices, default: fallback, deadlineMs }) => {
    if (!areAskable(choices) || !choices.includes(fallback)) return;
    const same = toTextHash(JSON.stringify([text, choices]));
    const key = `${same}.${answered.get(same) ?? 0}`;
    const order: PersonQuestion = { key, kind: 'question', text, choices, default: fallback };
    void ask(deadlineMs === undefined ? order : { ...order, deadlineMs }).then((answer) => {
      if (key === `${same}.${answered.get(same) ?? 0}`) answered.set(same, (answered.get(same) ?? 0) + 1);
      if (answer.by === 'withdrawn') return;
      try {
        asks.answer(id, answer);
      } catch (error) {
        const message = `the answer to a question could not be written (${toErrorCode(error)})`;
        loop.post({ type: 'environment-failed', at: ports.clock.now(), what: 'storage', message });
      }
    });
  };
}

/** Stops the clocks of a turn while it waits for people. */
function createHold(): ClockHold & { readonly update: (open: number) => void } {
  let since: number | null = null;
  let heldMs = 0;
  return {
    isHeld: () => since !== null,
    heldMs: () => heldMs + (since === null ? 0 : performance.now() - since),
    update: (open) => {
      if (open > 0) since ??= performance.now();
      else if (since !== null) {
        heldMs += performance.now() - since;
        since = null;
      }
    },
  };
}
