import { toDurationText } from '../core/index.ts';
import { toPlainLine } from './plain-line.ts';
import type { GateView, RunView } from './run-view.ts';

/** `exit 0`, `exit 1`, `ran out of time`, `could not be started`. */
export function toGateEndText(gate: Pick<GateView, 'exitCode' | 'timedOut'>): string {
  if (gate.timedOut) return 'ran out of time';
  return gate.exitCode === null ? 'ended without an exit code' : `exit ${gate.exitCode}`;
}

/** What the gates showed, one line for each command: its last result, and how it went before. */
export function toEvidence(view: RunView): readonly string[] {
  const results = view.turns.flatMap((turn) => turn.gates);
  const commands = [...new Set(results.map((result) => result.command))];
  return commands.map((command) =>
    describeGate(
      command,
      results.filter((result) => result.command === command),
    ),
  );
}

function describeGate(command: string, results: readonly GateView[]): string {
  const last = results.at(-1);
  if (last === undefined) return '';
  const failed = results.filter((result) => !result.passed).length;
  const before = results.length === 1 ? '' : `; ${results.length} runs, ${failed === 0 ? 'none' : failed} failed`;
  const verdict = last.passed ? 'passed' : 'FAILED';
  return `${verdict}  ${toPlainLine(command, 80)} (${toGateEndText(last)}, ${toDurationText(last.durationMs)}, iteration ${last.iteration}${before})`;
}

/** What was refused, one line for each kind, the frequent ones first. */
export function toRefusals(view: RunView): readonly string[] {
  const counts = new Map<string, number>();
  for (const { hat, topic, why } of view.turns.flatMap((turn) => turn.refused)) {
    const text = toRefusalText({ hat, topic, why });
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
}

/** A refusal in words. */
export function toRefusalText({ hat, topic, why }: { readonly hat: string; readonly topic: string; readonly why: string }): string {
  switch (why) {
    case 'scope':
      return `${hat} may not publish ${topic}`;
    case 'may-not-end':
      return `${hat} may not end the run (${topic})`;
    case 'failed-turn':
      return `${topic} of ${hat} came from a turn that failed`;
    case 'withdrawn':
      return `${topic} of ${hat} was written by an interrupted turn`;
    case 'required-events':
      return `${topic} of ${hat} came before events that are required`;
    case 'unknown-hat':
      return `${hat} called a hat that does not exist (${topic})`;
    case 'channel-off':
      return `${topic} of ${hat} came through a channel that is off`;
    default:
      return `${topic} of ${hat} (${why})`;
  }
}
