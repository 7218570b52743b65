import { TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import { toPercent } from '../../simulate/create-report.ts';
import type {
  SimulatedPanel,
  SimulatedPanelOutcome,
  SimulatedRun,
  SimulatedTurn,
  SimulationReport,
} from '../../simulate/simulation-types.ts';
import type { Coordination } from '../../topology/routing/compile-topology.ts';
import { wrapText } from '../../views/text/fact-rows.ts';
import { toCount, toNumberText, toPlainLine } from '../../views/text/plain-text.ts';
import { printProse, printTable } from '../terminal/print.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';

/** Below this share the verdict is no good one. */
const GOOD = 0.99;
/** Of a larger team those are shown that stand first in the file. */
const MOST_HATS = 60;

/** The report for people: the verdict, the ends, the hats, what to look at. */
export function printSimulation(terminal: Terminal, report: SimulationReport): void {
  const { runs, completed, canComplete, ends, hats, hints, failed } = report;
  const style = !canComplete ? 'bad' : completed.share < GOOD ? 'warning' : 'good';
  const mark = { bad: '✗', warning: '!', good: '✓' }[style];
  const verdict = terminal.isTty ? wrapText(toVerdict(report), terminal.columns() - 2) : [toVerdict(report)];
  verdict.forEach((line, index) => {
    printLine(terminal, `${index === 0 ? terminal.style(style, mark) : ' '} ${terminal.style('heading', line)}`);
  });
  if (runs === 0) return;
  printLine(terminal, '');
  printTable(
    terminal,
    ['end', 'runs', 'share'],
    ends.map(({ reason, runs: count, share }) => [reason, toNumberText(count), toPercent(share)]),
  );
  printLine(terminal, '');
  printTable(
    terminal,
    ['hat', 'turns a run', 'in runs', 'may end'],
    hats.slice(0, MOST_HATS).map(({ hat, turns, share, mayEnd }) => [hat, turns.toFixed(1), toPercent(share), mayEnd ? 'yes' : '-']),
  );
  if (hats.length > MOST_HATS) printLine(terminal, `and ${toCount(hats.length - MOST_HATS, 'more hat')}`);
  printPanels(terminal, report);
  if (hints.length > 0) printLine(terminal, '');
  for (const hint of hints) printProse(terminal, `${terminal.style('warning', '→')} ${hint}`);
  printLine(terminal, '');
  if (failed.length > 0)
    printProse(
      terminal,
      `Runs that did not complete: ${failed.join(', ')}${runs - completed.runs > failed.length ? ', …' : ''}. To see one: the same command with --trace ${failed[0]}.`,
    );
  printProse(terminal, toConditions(report), (line) => terminal.style('faint', line));
}

function printPanels(terminal: Terminal, { panels }: SimulationReport): void {
  if (panels.length === 0) return;
  printLine(terminal, '');
  printTable(
    terminal,
    ['panel', 'agents', 'prompts a turn', 'answers', 'votes', 'how it ends'],
    panels
      .slice(0, MOST_HATS)
      .map(({ hat, agents, rounds, answers, votes, outcomes }) => [
        hat,
        String(agents),
        ...[rounds, answers, votes].map((count) => count.toFixed(1)),
        outcomes.map(({ outcome, share }) => `${toPercent(share)} ${PANEL_OUTCOMES[outcome]}`).join(', '),
      ]),
  );
}

const PANEL_OUTCOMES: Readonly<Record<SimulatedPanelOutcome, string>> = {
  votes: 'by votes',
  ralph: 'tie, decided by Ralph',
  tie: 'tie',
  first: 'first answer',
  gates: 'only one that passed the gates',
  only: 'only answer',
  failed: 'failed',
  interrupted: 'interrupted',
};

function toVerdict({ runs, settings, completed, canComplete, iterations }: SimulationReport): string {
  const asked = runs < settings.runs ? ` (interrupted; ${toNumberText(settings.runs)} were asked for)` : '';
  if (runs === 0) return `No run was simulated${asked}.`;
  if (completed.runs > 0 && !canComplete)
    return `Runs complete only by accident: ${toPercent(completed.share)} of ${toNumberText(runs)}, and none without a fault of an agent${asked}.`;
  if (iterations === null) return `None of ${toCount(runs, 'simulated run')} completes${asked}.`;
  const share = completed.runs === runs ? `All ${toNumberText(runs)}` : `${toPercent(completed.share)} of ${toNumberText(runs)}`;
  const { median, p95, max } = iterations;
  return `${share} simulated runs complete${asked}: half of them within ${toCount(median, 'iteration')}, 95 % within ${p95}, the longest after ${max}.`;
}

/** The conditions of the simulation, so that it can be repeated. */
function toConditions({ settings, maxIterations, panels }: SimulationReport): string {
  const { seed, silent, failure, gateFailure } = settings;
  const of = panels.length === 0 ? 'the turns' : 'the turns, and of the prompts of panels,';
  const rates = `${toPercent(silent)} of ${of} write nothing, ${toPercent(failure)} fail, ${toPercent(gateFailure)} of gates refuse`;
  return `Seed ${seed}; ${rates}; at most ${toCount(maxIterations.played, 'iteration')}.`;
}

/** One run, a line a turn and one for what followed from it. */
export function printTrace(terminal: Terminal, { run, turns, reason, detail, iterations }: SimulatedRun, coordination: Coordination): void {
  printLine(terminal, terminal.style('heading', `Run ${run}`));
  for (const turn of turns) for (const line of toTurnLines(terminal, turn, coordination)) printLine(terminal, line);
  const style = reason === 'completed' ? 'good' : 'bad';
  printLine(terminal, `${terminal.style(style, reason)} after ${toCount(iterations, 'iteration')}: ${toPlainLine(detail, 300)}`);
}

function toTurnLines({ style }: Terminal, turn: SimulatedTurn, coordination: Coordination): readonly string[] {
  const given = turn.given.map(({ topic, source }) => `${topic} of ${source}`).join(', ');
  const published = turn.published.map(({ topic, source, to, how }) => {
    const by = source === turn.hat ? '' : ` (${source})`;
    if (topic === TOPIC_COMPLETE && how === 'terminal') return `${topic}${by} → ends the run`;
    return `${topic}${by} → ${to.length > 0 ? to.join(', ') : 'nobody'}${how === 'safety-net' && coordination === 'hats' ? ', as no hat takes it' : ''}`;
  });
  const refused = turn.refused.map(({ topic, why }) => `${topic} refused: ${why}`);
  const head = `${String(turn.iteration).padStart(4)}  ${style('name', turn.hat)}  ${style('faint', `given ${given}`)}  ${toDeed(turn)}`;
  return [
    head,
    ...(turn.panel === undefined ? [] : [`        ${toPanelText(turn.panel)}`]),
    ...[...published, ...refused].map((line) => `        ${line}`),
  ];
}

function toPanelText({ rounds, answers, votes, winner, outcome, isTimeUp }: SimulatedPanel): string {
  const late = isTimeUp ? ', and its time was over' : '';
  const counts = `panel: ${toCount(rounds, 'prompt')}, ${toCount(answers, 'answer')}, ${toCount(votes, 'vote')}${late}`;
  return winner === null ? `${counts}; ${PANEL_OUTCOMES[outcome]}` : `${counts}; ${winner} wins (${PANEL_OUTCOMES[outcome]})`;
}

function toDeed({ outcome, said }: SimulatedTurn): string {
  if (outcome === 'succeeded') return `says ${said}`;
  return { silent: 'writes nothing', failed: 'fails', interrupted: 'is interrupted' }[outcome];
}
