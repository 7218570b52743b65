import type * as App from '../../app/index.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { RalphError } from '../../core/values/errors.ts';
import { toCount, toPlainLine } from '../../views/text/plain-text.ts';
import type { ShowOptions } from '../args/options.ts';
import type { CliContext } from '../cli-context.ts';
import type { Style, Terminal } from '../terminal/terminal.ts';
import { untilEnded } from './signals.ts';
import { tellBefore, toTestLine } from './tell-demo.ts';

/** Plays the demo of a fleet and tells what happens in it, a line each. */
export async function playFleetDemo(context: CliContext, app: typeof App, show: ShowOptions): Promise<number> {
  const { terminal, now } = context;
  const demo = await app.prepareFleetDemo(context.env);
  const isTold = show.format === 'text' && !show.quiet;
  if (isTold) tellBefore(terminal, demo.folder, (await demo.test()).passed, WORDS);
  const from = now();
  const tell = (news: App.FleetNews): void => {
    if (isTold) terminal.out(toLine(now() - from, news, terminal.style));
  };
  const raw = (line: string): void => {
    if (show.format === 'ndjson') terminal.out(`${line}\n`);
  };
  const { result: end, stoppedBy } = await untilEnded(context, (stop, kill) => demo.play({ stop, kill }, { tell, raw }));
  if (end === null) {
    terminal.err('ralph: The demo was stopped, and with it all that it had started.\n');
    return stoppedBy ?? 1;
  }
  const tookMs = now() - from;
  const after = await demo.test();
  if (show.format === 'text')
    terminal.out(
      (isTold ? '\n' : '') + toSummary(end, { tookMs, lostAfterS: app.DEMO_LOST_AFTER_S, passed: after.passed }, terminal.style),
    );
  if (isTold) tellMore(terminal, demo);
  if (end.exitCode !== 0) {
    const words = end.errors.trim();
    throw new RalphError({
      code: 'demo-failed',
      what: 'The run of the demo did not complete.',
      ...(words === '' ? {} : { why: `It said last:\n${words}` }),
    });
  }
  return after.passed && end.killed !== null && end.killed.seenAfterMs !== null ? 0 : 1;
}

const WORDS = {
  heading: 'A team works on a small repository, its turns on two workers; one of them is killed in the middle.',
  real: 'server on this machine, processes, folders, tools, gate, run',
};

const TIME_WIDTH = 7;
const MOST_PAYLOAD = 70;

function toLine(atMs: number, news: App.FleetNews, style: Style): string {
  const time = style('faint', `${(atMs / 1000).toFixed(1)} s`.padStart(TIME_WIDTH));
  return `${time}  ${toText(news, style)}\n`;
}

function toText(news: App.FleetNews, style: Style): string {
  switch (news.kind) {
    case 'server-started':
      return `nats-server listens on 127.0.0.1:${news.port}; its files are in the demo’s own folder`;
    case 'worker-came':
      return `${news.worker} is there: ralph worker, process ${news.pid}, a folder of its own`;
    case 'run-began':
      return `the run begins: ralph run --fleet, process ${news.pid}`;
    case 'turn-taken':
      return style('heading', `turn ${toTakenText(news.turn)}, ${news.hat}: taken by ${news.worker}`);
    case 'worker-killed':
      return style(
        'bad',
        `${news.worker} is killed (SIGKILL, process ${news.pid}) while it works on turn ${news.turn}${toChangedText(news.changed)}`,
      );
    case 'turn-lost':
      return style(
        'warning',
        `${news.worker} is lost: ${toDurationText(news.afterMs)} after it was killed it is given up; turn ${news.turn} is offered again`,
      );
    case 'turn-failed':
      return style('warning', `turn ${news.turn} came to nothing: ${toPlainLine(news.why, 200)}`);
    case 'turn-done':
      return `  done by ${news.worker} in ${toDurationText(news.durationMs)}`;
    case 'published':
      return `  → ${toPublishedText(news)}`;
    case 'gate-answered':
      return news.passed
        ? style('good', `  gate ${news.gate}, where the run is: passed`)
        : style('bad', `  gate ${news.gate}, where the run is: failed (exit ${news.exitCode ?? '?'})`);
  }
}

function toTakenText(turn: string): string {
  const [iteration = turn, attempt] = turn.split('.');
  return attempt === undefined ? turn : `${iteration} begins again as ${turn}`;
}

function toChangedText(path: string | null): string {
  return path === null ? '' : `\n${' '.repeat(TIME_WIDTH)}    ${path} is changed in its folder already: that counts for nothing`;
}

/** What stands in an event of a gate is the gate's output, which the line before has told. */
function toPublishedText({ topic, payload, to }: Extract<App.FleetNews, { readonly kind: 'published' }>): string {
  const takers = to.length === 0 ? '' : ` to ${to.join(', ')}`;
  return `${topic}${takers}${payload === '' || topic.endsWith('.blocked') ? '' : `: ${toPlainLine(payload, MOST_PAYLOAD)}`}`;
}

interface DemoFacts {
  readonly tookMs: number;
  readonly lostAfterS: number;
  readonly passed: boolean;
}

function toSummary({ takers, killed, reason }: App.FleetDemoEnd, { tookMs, lostAfterS, passed }: DemoFacts, style: Style): string {
  const isComplete = reason === 'completed';
  const workers = [...new Set(takers.map(({ worker }) => worker))].sort();
  const lost = killed === null ? [] : takers.filter(({ turn, worker }) => turn === killed.turn && worker === killed.worker);
  return [
    style(
      isComplete ? 'good' : 'bad',
      `${isComplete ? 'Completed' : `Not completed (${reason ?? 'the run ended without a word'})`} after ${toCount(takers.length - lost.length, 'turn')} in ${toDurationText(tookMs)}.`,
    ),
    ...workers.map((name) => {
      const turns = takers.filter(({ worker }) => worker === name).map(({ turn }) => (turn === killed?.turn ? `${turn} (killed)` : turn));
      return `  ${name}      ${turns.length === 1 ? 'turn' : 'turns'} ${turns.join(', ')}`;
    }),
    `  Loss    ${toLossText(killed, lostAfterS)}`,
    `  After   ${toTestLine(passed, style)}`,
    '',
  ].join('\n');
}

function toLossText(killed: App.FleetDemoEnd['killed'], lostAfterS: number): string {
  if (killed === null) return 'none: no worker had the turn in which one was to be killed';
  if (killed.seenAfterMs === null) return `${killed.worker} was killed, and turn ${killed.turn} was not given up`;
  return `${killed.worker} was given up ${toDurationText(killed.seenAfterMs)} after it was killed: RALPH_FLEET_LOST_AFTER=${lostAfterS} here, 20 where nobody says it`;
}

function tellMore({ out }: Terminal, { folder, command }: App.FleetDemo): void {
  out(
    [
      '',
      'Look at it:',
      `  cd ${folder} && ${command} review`,
      `  cd ${folder} && ${command} watch`,
      'With machines of your own: docs/guide/fleet.md',
      `  ${command} worker --help`,
      '',
    ].join('\n'),
  );
}
