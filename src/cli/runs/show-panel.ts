import { toTurnName } from '../../core/run/turn.ts';
import { RalphError } from '../../core/values/errors.ts';
import type { PanelView } from '../../views/fold/panel-view.ts';
import type { TurnView } from '../../views/fold/run-view.ts';
import { toAgentCells, toAgentName, toPanelStateText, toPanelSteps } from '../../views/report/panel-text.ts';
import { createTextCleaner, toCount } from '../../views/text/plain-text.ts';
import type { TurnChoice } from '../args/parse-values.ts';
import { toLaneWidth, toOutcomeLines } from '../live/panel-lines.ts';
import { toLocalClock } from '../terminal/local-time.ts';
import { printProse, printTable } from '../terminal/print.ts';
import { printLine } from '../terminal/terminal.ts';
import { requireShownTurn, type ShownRun } from './show-run.ts';

/** A turn whose hat several agents wear. */
export interface FoundPanel {
  readonly turn: TurnView;
  readonly panel: PanelView;
}

/** The panel of a turn, or the newest of the run. */
export function findPanel(run: ShownRun, choice: TurnChoice | null): FoundPanel {
  const turn = choice === null ? run.view.turns.findLast(({ panel }) => panel !== null) : requireShownTurn(run, choice);
  if (turn !== undefined && turn.panel !== null) return { turn, panel: turn.panel };
  const { runId } = run.reader;
  throw new RalphError({
    code: 'panel-none',
    what: turn === undefined ? `Run ${runId} has had no panel.` : `Turn ${toTurnName(turn)} of run ${runId} had no panel.`,
    why: turn === undefined ? 'In none of its turns did several agents wear one hat.' : `Its hat, ${turn.hat}, was worn by one agent.`,
    fix: `See what the run did: ralph show ${runId}`,
    exitCode: 1,
  });
}

interface WholeAnswers {
  /** By the number of the input in the journal. */
  readonly contents: ReadonlyMap<number, string>;
  /** The panel's; `null` where it has none. */
  readonly outcome: string | null;
}

function readAnswers({ reader }: ShownRun, { turn, panel }: FoundPanel): WholeAnswers {
  const wanted = new Set(panel.answers.map(({ seq }) => seq));
  const contents = new Map<number, string>();
  let outcome: string | null = null;
  reader.replay((record) => {
    if (record.kind === 'input' && record.input.type === 'panel-moved') {
      const { move } = record.input;
      if (move.kind === 'answer-given' && wanted.has(record.seq)) contents.set(record.seq, move.content);
    }
    if (record.kind !== 'effect' || record.effect.type !== 'panel-ordered') return;
    const { iteration, attempt, order } = record.effect;
    const isHere = iteration === turn.iteration && attempt === turn.attempt;
    if (isHere && order.kind === 'finish' && order.outcome.kind === 'won') outcome = order.outcome.content;
  });
  return { contents, outcome };
}

/** A panel for programs: its view, and whole answers. */
export function toPanelRecord(run: ShownRun, found: FoundPanel): object {
  const { turn, panel } = found;
  const { contents, outcome } = readAnswers(run, found);
  return {
    v: 1,
    runId: run.reader.runId,
    iteration: turn.iteration,
    attempt: turn.attempt,
    hat: turn.hat,
    panel,
    answers: panel.answers.map(({ agent, revision, topic, seq }) => ({
      agent: panel.agents[agent]?.id ?? null,
      revision,
      topic,
      content: contents.get(seq) ?? null,
    })),
    answer: outcome,
  };
}

/** A panel for people: who is in it, what was answered, who voted for whom, and everything in its order. */
export function printPanel(run: ShownRun, found: FoundPanel, isWhole: boolean): void {
  const { reader, terminal } = run;
  const { turn, panel } = found;
  const state = panel.outcome === null ? ` (${toPanelStateText(panel)})` : '';
  const title = `Run ${reader.runId}, turn ${toTurnName(turn)}: the panel of ${turn.hat}${state}`;
  printProse(terminal, title, (line) => terminal.style('heading', line));
  const rows = panel.agents.map((agent) => toAgentCells(agent));
  printTable(terminal, ['agent', 'known as', 'backend', 'state', 'rounds', 'tokens in / out', 'cost'], rows);
  const section = (name: string, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    printLine(terminal, '');
    printLine(terminal, terminal.style('faint', name));
    for (const line of lines) printProse(terminal, `  ${line}`);
  };
  const name = (place: number): string => toAgentName(panel, place);
  const whole = isWhole ? readAnswers(run, found) : null;
  section('Answers', toAnswerLines(run, panel, whole?.contents ?? null));
  section(
    'Votes',
    panel.votes.map(
      ({ agent, target, reason, counts }) =>
        `${name(agent)} → ${name(target)}${counts ? '' : ' (does not count)'}${reason === '' ? '' : `: ${reason}`}`,
    ),
  );
  section(
    'Told while at work',
    panel.updates.map(
      ({ at, agent, round, answers }) =>
        `${toLocalClock(at)}  ${name(agent)} (round ${round}): ${answers.map((answer) => `answer ${answer.revision} of ${name(answer.agent)}`).join(', ')}`,
    ),
  );
  const width = toLaneWidth(panel);
  section(
    'Timeline',
    toPanelSteps(panel).flatMap(({ at, agent, text }) => {
      const [first = '', ...more] = text.split('\n');
      return [`${toLocalClock(at)}  ${agent.padEnd(width)}  ${first}`, ...more.map((line) => `${' '.repeat(width + 12)}${line}`)];
    }),
  );
  if (panel.outcome !== null) printLine(terminal, '');
  for (const line of toOutcomeLines(panel, terminal)) printLine(terminal, line);
  if (whole?.outcome != null && panel.strategy === 'synthesize') section('One answer from all', toContentLines(run, whole.outcome));
  if (!isWhole && panel.answers.length > 0) printProse(terminal, '\nEvery word of the answers: --answers');
}

function toAnswerLines(run: ShownRun, panel: PanelView, contents: ReadonlyMap<number, string> | null): readonly string[] {
  return panel.answers.flatMap(({ agent, revision, length, topic, seq, excerpt }) => {
    const what = topic === null ? '' : `, for ${topic}`;
    const content = contents?.get(seq);
    const lines = content === undefined ? [excerpt] : toContentLines(run, content);
    return [
      `${toAgentName(panel, agent)}, answer ${revision} (${toCount(length, 'character')}${what}):`,
      ...lines.map((line) => `  ${line}`),
    ];
  });
}

/** As it is for a program, without control characters for a terminal. */
function toContentLines({ reader, terminal }: ShownRun, content: string): readonly string[] {
  const shown = reader.redact(content);
  return (terminal.isTty ? createTextCleaner().take(shown) : shown).split('\n');
}
