import {
  type CheckpointFinished,
  type GatesFinished,
  type Handlers,
  handle,
  type Input,
  type IterationSpawned,
  pickTellingLines,
  type StopRequested,
} from '../../core/index.ts';
import { cleanText, type TurnView, toGateEndText, toNumberText, toOutcomeText, toPlainLine } from '../../views/index.ts';
import type { Look } from './look.ts';

/** Lines of a failed gate's output that are shown. */
const TAIL_LINES = 8;

/**
 * What a person reads of an input.
 *
 * @param turn the turn that started last, as it stands after the input
 */
export function toInputLines(input: Input, turn: TurnView | null, look: Look): readonly string[] {
  return handle(HANDLERS, input, look, turn);
}

const nothing = (): readonly string[] => [];

const HANDLERS: Handlers<Input, [look: Look, turn: TurnView | null], readonly string[]> = {
  'run-started': nothing,
  'run-resumed': nothing,
  'iteration-spawned': (look, _turn, input) => (look.verbose ? toSpawnLines(input, look) : []),
  'usage-reported': nothing,
  'iteration-ended': (look, turn) => (turn === null ? [] : toTurnEndLines(turn, look)),
  'events-received': nothing,
  // Closes a line that is open (`text-printer.ts`).
  'gates-finished': nothing,
  'timer-fired': nothing,
  'checkpoint-finished': (look, _turn, input) => toCheckpointLines(input, look),
  'stop-requested': (look, _turn, input) => [look.style('warning', `  ${toStopText(input)}`)],
  'environment-failed': (look, _turn, { message }) => [look.style('bad', `  ✗ ${toPlainLine(message, 300)}`)],
};

function toSpawnLines(input: IterationSpawned, look: Look): readonly string[] {
  const command = toPlainLine(input.argv.join(' '), 300);
  return [look.style('faint', `  prompt of about ${toNumberText(input.promptTokens)} tokens; ${command}`)];
}

function toTurnEndLines(turn: TurnView, look: Look): readonly string[] {
  const tools =
    turn.toolCalls === null || turn.toolCalls === 0 ? '' : `, ${turn.toolCalls} tool ${turn.toolCalls === 1 ? 'call' : 'calls'}`;
  const left = turn.leftovers === 0 ? '' : `, ended ${turn.leftovers} ${turn.leftovers === 1 ? 'process' : 'processes'} that it left`;
  const text = `${toOutcomeText(turn)}${tools}${left}`;
  if (turn.status === 'succeeded') return [look.style('faint', `  ✓ ${text}`)];
  return [look.style(turn.status === 'failed' ? 'bad' : 'warning', `  ✗ ${text}`)];
}

function toCheckpointLines({ iteration, commit, note }: CheckpointFinished, look: Look): readonly string[] {
  if (commit !== null) return [`  ${look.style('good', '✓')} checkpoint ${commit.slice(0, 10)} (after iteration ${iteration})`];
  return note === '' || !look.verbose ? [] : [look.style('faint', `  · no checkpoint: ${toPlainLine(note, 200)}`)];
}

/** As who presses the keys is named in a wish to stop. */
export const CTRL_C = 'Ctrl+C';

/** What happens now that somebody wants the run to stop. */
export function toStopText({ how, by }: Pick<StopRequested, 'how' | 'by'>): string {
  const who = toPlainLine(by, 40);
  if (how === 'kill') return `${who}: the agent is killed at once.`;
  if (how === 'after-iteration') return `${who}: the run ends after this turn.`;
  const more = by === CTRL_C ? ' Ctrl+C again kills it at once.' : '';
  return `${who}: stopping; the agent has 10 seconds to clean up.${more}`;
}

/** The verdict of one gate: `passed (exit 0, 1.2 s)`. */
export function toGateVerdict(result: GatesFinished['results'][number], look: Look): string {
  const facts = `(${toGateEndText(result)})`;
  if (result.skipped === true) return `${look.style('faint', 'skipped')} ${facts}`;
  return `${result.passed ? look.style('good', 'passed') : look.style('bad', 'failed')} ${facts}`;
}

/** What a failed gate's output says about why; nothing for one that passed. */
export function toGateTail(result: GatesFinished['results'][number], look: Look): readonly string[] {
  if (result.passed) return [];
  return pickTellingLines(cleanText(result.outputTail), TAIL_LINES).map((line) => look.style('faint', `    | ${line.slice(0, 160)}`));
}
