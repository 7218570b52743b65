import { type IterationEnded, type IterationStart, type Signal, type TurnReport, UNKNOWN_USAGE } from '../core/index.ts';
import type { Choice } from './choice.ts';
import type { Play } from './play.ts';
import type { PlayedTurn } from './played-run.ts';

/** What an agent did, as the loop is told and as it is written down. */
export interface TakenTurn extends Pick<PlayedTurn, 'said' | 'isDumb'> {
  readonly outcome: 'succeeded' | 'silent' | 'failed';
  readonly report: TurnReport;
}

/** An agent that obeys its contract and otherwise does what chance, or its script, says. */
export function takeTurn(play: Play, order: IterationStart): TakenTurn {
  const scripted = play.stage.script.get(order.hat);
  if (scripted === undefined) return takeByChance(play, order.hat);
  const step = play.steps.get(order.hat) ?? 0;
  play.steps.set(order.hat, step + 1);
  const { choices, weights } = scripted;
  return perform(play, weights === null ? (choices[step % choices.length] as Choice) : pickWeighted(play, choices, weights));
}

function takeByChance(play: Play, hat: string): TakenTurn {
  const { settings, choicesOf } = play.stage;
  const luck = play.random.next();
  const isFault = luck < settings.failure + settings.silent;
  if (isFault) play.faults += 1;
  if (luck < settings.failure) return perform(play, { kind: 'failure' });
  const choices = choicesOf(hat);
  const isDumb = choices.length === 0;
  return isDumb || isFault ? { ...perform(play, { kind: 'silent' }), isDumb } : perform(play, play.random.pick(choices));
}

function pickWeighted(play: Play, choices: readonly Choice[], weights: readonly number[]): Choice {
  let left = play.random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, choice] of choices.entries()) {
    left -= weights[index] ?? 0;
    if (left < 0) return choice;
  }
  return choices[weights.findLastIndex((weight) => weight > 0)] as Choice;
}

function perform(play: Play, choice: Choice): TakenTurn {
  switch (choice.kind) {
    case 'silent':
      return { outcome: 'silent', said: '', isDumb: false, report: { ...toReport(play), treeChanged: false } };
    case 'failure':
      return { outcome: 'failed', said: '', isDumb: false, report: toFailedReport(play) };
    case 'promise':
      return succeed(play, play.stage.topology.spec.promise, { kind: 'promise', channel: 'text' });
    case 'transition':
      return succeed(play, `HAT_TRANSITION:${choice.hat}`, { kind: 'transition', hat: choice.hat });
    case 'event': {
      const topic = choice.topics.length === 1 ? (choice.topics[0] as string) : play.random.pick(choice.topics);
      const { target } = choice;
      const event = { kind: 'event', channel: 'jsonl', topic, payload: toPayload(play) } as const;
      return target === undefined ? succeed(play, topic, event) : succeed(play, `${topic}@${target}`, { ...event, target });
    }
  }
}

function succeed(play: Play, said: string, signal: Signal): TakenTurn {
  const finalText = signal.kind === 'transition' ? toPayload(play) : '';
  return { outcome: 'succeeded', said, isDumb: false, report: { ...toReport(play), signals: [signal], finalText, treeChanged: true } };
}

/** Different each time, so that work that goes on is not taken for a loop. */
export function toPayload(play: Play): string {
  if (play.stage.settings.constantPayloads) return '';
  play.payloads += 1;
  return `simulated ${play.payloads}`;
}

function toReport(play: Play): TurnReport {
  const { turnCostUsd, turnMs } = play.stage.settings;
  return { ...REPORT, durationMs: turnMs, usage: { ...UNKNOWN_USAGE, costUsd: turnCostUsd } };
}

/** Half of the failures are time limits, as these go to another topic. */
function toFailedReport(play: Play): TurnReport {
  const failure =
    play.random.next() < 0.5
      ? ({ class: 'agent', message: 'a simulated failure' } as const)
      : ({ class: 'timeout', message: 'a simulated time limit' } as const);
  return { ...toReport(play), outcome: { status: 'failed', failure }, exitCode: 1 };
}

const REPORT: Omit<IterationEnded, 'type' | 'at' | 'iteration' | 'attempt' | 'inboxOffset'> = {
  outcome: { status: 'succeeded' },
  exitCode: 0,
  durationMs: 0,
  producedOutput: true,
  usage: UNKNOWN_USAGE,
  sessionId: null,
  finalText: '',
  toolCalls: 0,
  treeChanged: null,
  leftovers: 0,
  signals: [],
  problems: [],
};
