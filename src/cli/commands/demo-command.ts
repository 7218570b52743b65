import { Argument } from 'commander';
import type * as App from '../../app/index.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import { addExamples } from '../args/help.ts';
import { addShowOptions, type ShowFlags, type ShowOptions, toShowOptions } from '../args/options.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppApi, AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { playFleetDemo } from '../live/fleet-demo.ts';
import { showStarted } from '../live/show-started.ts';
import { type DemoWords, tellBefore, toTestLine } from '../live/tell-demo.ts';
import { watchRun } from '../live/watch-run.ts';
import { printReview } from '../runs/print-report.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { serveRuns } from '../web/serve-runs.ts';
import { toWebPlace } from '../web/web-place.ts';

type SampleName = Parameters<AppApi['prepareDemo']>[1];

export const demoCommand: CliCommand = {
  declare: (command) => {
    command.addArgument(
      new Argument(
        '[sample]',
        'panel: three agents under one hat, which answer side by side and vote; fleet: the team on two workers, one of which is killed (needs nats-server)',
      ).choices(['panel', 'fleet']),
    );
    command
      .option('--watch', 'show it live, full-screen, at a pace that a person can follow')
      .option('--web', 'show it live in the browser: it begins when the page is opened');
    addShowOptions(command);
    addExamples(command, [
      ['ralph demo', 'planner, builder and reviewer fix a failing test; needs no key and no network'],
      ['ralph demo panel', 'three agents solve the same task at once, hear of each other’s answers and vote'],
      ['ralph demo fleet', 'a server, a run and two workers as separate processes; one worker is killed midway'],
      ['ralph demo --watch', 'the team, live and full-screen'],
      ['ralph demo --web', 'the team live in the browser'],
      ['ralph demo --format ndjson', 'the same for programs'],
    ]);
  },
  perform,
};

async function perform(context: AppContext, { args, options }: Pick<CommandCall, 'args' | 'options'>): Promise<number> {
  const show = toShowOptions(options as unknown as ShowFlags);
  const isTold = show.format === 'text' && !show.quiet;
  const app = await context.loadApp();
  if (args[0] === 'fleet') return playFleet(context, app, show, options);
  const name = args[0] === 'panel' ? 'panel' : 'team';
  if (options['web'] === true) return serveDemo(context, app, name);
  if (options['watch'] === true) return viewDemo(context, app, name);
  const demo = await app.prepareDemo(context.env, name);
  const words = WORDS[name];
  if (isTold) tellBefore(context.terminal, demo.folder, (await demo.test()).passed, words);
  const watched = await watchRun(context, { app, show, cwd: demo.folder, tellsNext: false, start: demo.start });
  if (watched === null) return 1;
  const after = isTold ? await tellEnd(context, app, { demo, runId: watched.handle.runId, words }) : await demo.test();
  if (watched.end.exitCode !== 0) return watched.end.exitCode;
  return after.passed ? 0 : 1;
}

async function playFleet(context: AppContext, app: AppApi, show: ShowOptions, options: CommandCall['options']): Promise<number> {
  if (options['web'] === true || options['watch'] === true)
    throw createUsageError(
      'The demo of a fleet is told line by line.',
      'Type: ralph demo fleet\nIts run can be watched meanwhile, in the folder that it names: ralph watch',
    );
  return playFleetDemo(context, app, show);
}

interface EndedDemo {
  readonly demo: App.Demo;
  readonly runId: string;
  readonly words: SampleWords;
}

async function tellEnd({ terminal, env }: AppContext, app: AppApi, { demo, runId, words }: EndedDemo): ReturnType<App.Demo['test']> {
  const after = await demo.test();
  tellAfter(terminal, after.passed);
  printReview(terminal, await app.reviewRun(demo.folder, runId, env), REVIEW_LINES);
  tellMore(terminal, demo, words);
  return after;
}

/** So many times longer its model takes in a view. */
const SLOWER = 6;

async function viewDemo(context: AppContext, app: AppApi, name: SampleName): Promise<number> {
  if (context.openFullScreen === null)
    throw createUsageError('This is no terminal that a view could have for itself.', 'Watch it line by line: ralph demo');
  const demo = await app.prepareDemo(context.env, name, SLOWER);
  const code = await showStarted({ ...context, cwd: demo.folder }, demo.startApart);
  tellMore(context.terminal, demo, WORDS[name]);
  return code;
}

/** The team begins once somebody looks, so that nothing of it is missed. */
async function serveDemo(context: AppContext, app: AppApi, name: SampleName): Promise<number> {
  const { terminal, env } = context;
  const demo = await app.prepareDemo(env, name, SLOWER);
  const place = { ...context, cwd: demo.folder };
  let runId: string | null = null;
  let code: number | null = 0;
  const begin = async (): Promise<string | null> => {
    const started = await demo.startApart(new AbortController().signal);
    if (started.kind === 'ended') {
      terminal.err(started.output);
      code = started.exitCode;
      return null;
    }
    terminal.err(`The team is at work in ${demo.folder}.\n`);
    void started.exited.then((exitCode) => {
      code = exitCode;
      terminal.err('The team has ended. Ctrl+C ends the page and tells what came of it.\n');
    });
    ({ runId } = started);
    return runId;
  };
  const onFirstLook = (): Promise<string | null> =>
    begin().catch((error: unknown) => {
      terminal.err(`${toErrorMessage(error)}\n`);
      return null;
    });
  terminal.err('The team begins when this page is opened:\n');
  await serveRuns(place, { place: toWebPlace({}), opensBrowser: false, onFirstLook });
  if (runId === null) return code ?? 1;
  if (!app.openRunReader(demo.folder, runId, env).isAlive) {
    const after = await tellEnd(context, app, { demo, runId, words: WORDS[name] });
    return code === 0 && !after.passed ? 1 : (code ?? 1);
  }
  terminal.out(`The team goes on. Come back to it: cd ${demo.folder} && ${demo.command} watch ${runId}\n`);
  return 0;
}

interface SampleWords extends DemoWords {
  /** What shows more of the run, behind `ralph`. */
  readonly looks: readonly string[];
}

const WORDS: Readonly<Record<SampleName, SampleWords>> = {
  team: {
    heading: 'A team of three works on a small repository with a failing test.',
    real: 'agent, tools, profiles, test command, run',
    looks: ['watch', 'events'],
  },
  panel: {
    heading: 'Three agents under one hat work on the same failing test, each in a folder of its own, and vote; a reviewer gets what won.',
    real: 'agents, tools, folders, votes, test command, run',
    looks: ['watch', 'panel show --answers', 'show --diff'],
  },
};

function tellAfter({ out, style }: Terminal, passed: boolean): void {
  out(
    [
      '',
      `  After   ${toTestLine(passed, style)}`,
      '',
      style('heading', 'Who comes back in the morning types `ralph review`:'),
      '',
      '',
    ].join('\n'),
  );
}

/** Of its review so many lines: the run is only seconds old. */
const REVIEW_LINES = 18;

function tellMore({ out }: Terminal, demo: App.Demo, { looks }: SampleWords): void {
  out(
    [
      '',
      'Look at it:',
      ...looks.map((look) => `  cd ${demo.folder} && ${demo.command} ${look}`),
      'With your own agent, in your own repository:',
      `  ${demo.command} doctor                        # which agents are there`,
      `  ${demo.command} run -p "Make the tests pass"  # the first one that is found works on it`,
      `  ${demo.command} init                          # a configuration to begin with; the demo’s team is in its ralph.yml`,
      '',
    ].join('\n'),
  );
}
