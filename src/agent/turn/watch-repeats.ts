import type { ToolAnswer, ToolCallPart } from '../../ports/model.ts';

/** The agent is told after so many rounds that were the same, and the turn is ended after so many. */
const TOLD_AFTER = 3;
const ENDED_AFTER = 5;
/** How many answers a circle may have: the same call again, two that alternate, three in turn. */
const LONGEST_CIRCLE = 3;
const DURATION = /\b\d+(?:\.\d+)?\s?(?:ms|s|min|m)\b/g;

/** How often an agent has gone the same circle. */
export interface Repeats {
  readonly action: 'none' | 'tell' | 'end';
  readonly times: number;
  /** Names of the tools in the circle, each once. */
  readonly tools: readonly string[];
}

/** Notes the calls of each answer with their results, and finds out when they only repeat. */
export interface RepeatWatch {
  readonly note: (calls: readonly ToolCallPart[], results: readonly ToolAnswer[]) => Repeats;
}

interface ToolRound {
  readonly key: string;
  readonly tools: readonly string[];
}

/** A watch that has seen nothing yet. Calls are the same where names, arguments and results are; how long a command took does not count. */
export function createRepeatWatch(): RepeatWatch {
  let rounds: readonly ToolRound[] = [];
  return {
    note: (calls, results) => {
      const key = JSON.stringify([
        calls.map(({ name, args }) => [name, args]),
        results.map(({ text, isError }) => [text.replace(DURATION, ''), isError]),
      ]);
      rounds = [...rounds, { key, tools: calls.map(({ name }) => name) }].slice(-LONGEST_CIRCLE * ENDED_AFTER);
      for (let length = 1; length <= LONGEST_CIRCLE; length += 1) {
        const times = countCircles(rounds, length);
        if (times < TOLD_AFTER || rounds.length < length * TOLD_AFTER) continue;
        const tools = [...new Set(rounds.slice(-length).flatMap((round) => round.tools))];
        return { action: decideAction(rounds, length, times), times, tools };
      }
      return { action: 'none', times: 1, tools: [] };
    },
  };
}

/** The agent is told once for each time that the circle closes. */
function decideAction(rounds: readonly ToolRound[], length: number, times: number): Repeats['action'] {
  if (times >= ENDED_AFTER) return 'end';
  const isClosed = countCircles(rounds.slice(0, -1), length) < times;
  return isClosed ? 'tell' : 'none';
}

/** How many times in a row the newest rounds of this length are the same. */
function countCircles(rounds: readonly ToolRound[], length: number): number {
  let same = 0;
  for (let index = rounds.length - 1; index >= length; index -= 1) {
    if (rounds[index]?.key !== rounds[index - length]?.key) break;
    same += 1;
  }
  return Math.floor(same / length) + 1;
}
