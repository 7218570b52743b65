import { Argument } from 'commander';
import type { AppApi } from '../app-api.ts';
import { addExamples } from '../args/help.ts';
import { addShowOptions, type ShowFlags, toShowOptions } from '../args/options.ts';
import type { CliCommand, CliContext, CommandCall } from '../cli-context.ts';
import { watchRun } from '../live/watch-run.ts';
import { printReview } from '../runs/print-report.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Demo = Awaited<ReturnType<AppApi['prepareDemo']>>;

/** `ralph demo`. */
export const demoCommand: CliCommand = {
  declare: (command) => {
    command.addArgument(
      new Argument('[sample]', 'panel: three agents under one hat, which answer side by side and vote').choices(['panel']),
    );
    addShowOptions(command);
    addExamples(command, [
      ['ralph demo', 'planner, builder and reviewer fix a failing test; needs no key and no network'],
      ['ralph demo panel', 'three agents solve the same task at once, hear of each other and vote'],
      ['ralph demo --format ndjson', 'the same for programs'],
    ]);
  },
  perform,
};

async function perform(context: CliContext, { args, options }: Pick<CommandCall, 'args' | 'options'>): Promise<number> {
  const show = toShowOptions(options as unknown as ShowFlags);
  const isTold = show.format === 'text' && !show.quiet;
  const name = args[0] === 'panel' ? 'panel' : 'team';
  const app = await context.loadApp();
  const demo = await app.prepareDemo(context.env, name);
  const words = WORDS[name];
  if (isTold) await tellBefore(context.terminal, demo, words);
  const watched = await watchRun(context, { app, show, cwd: demo.folder, tellsNext: false, start: demo.start });
  if (watched === null) return 1;
  const after = await demo.test();
  if (isTold) {
    tellAfter(context.terminal, after.passed);
    const review = await app.reviewRun(demo.folder, watched.handle.runId, context.env);
    printReview(context.terminal, review, REVIEW_LINES);
    tellMore(context.terminal, demo, words);
  }
  if (watched.end.exitCode !== 0) return watched.end.exitCode;
  return after.passed ? 0 : 1;
}

interface Words {
  readonly heading: string;
  readonly real: string;
  /** What shows more of the run, behind `ralph`. */
  readonly looks: readonly string[];
}

const WORDS: Readonly<Record<Parameters<AppApi['prepareDemo']>[1], Words>> = {
  team: {
    heading: 'A team of three works on a small repository with a failing test.',
    real: 'agent, tools, profiles, test command, run',
    looks: ['events'],
  },
  panel: {
    heading: 'Three agents under one hat work on the same failing test, each in a folder of its own, and vote; a reviewer gets what won.',
    real: 'agents, tools, folders, votes, test command, run',
    looks: ['panel show --answers', 'show --diff'],
  },
};

async function tellBefore({ out, style }: Terminal, demo: Demo, { heading, real }: Words): Promise<void> {
  const before = await demo.test();
  out(
    [
      style('heading', heading),
      `What the model says was written beforehand: no key, no network, nothing to pay. The rest is real: ${real}.`,
      '',
      `  Folder  ${demo.folder}`,
      `  Before  ${toVerdict(before.passed, style)}`,
      '',
      '',
    ].join('\n'),
  );
}

function tellAfter({ out, style }: Terminal, passed: boolean): void {
  out(
    ['', `  After   ${toVerdict(passed, style)}`, '', style('heading', 'Who comes back in the morning types `ralph review`:'), '', ''].join(
      '\n',
    ),
  );
}

/** Of its review so many lines: the run is only seconds old. */
const REVIEW_LINES = 18;

function tellMore({ out }: Terminal, demo: Demo, { looks }: Words): void {
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

function toVerdict(passed: boolean, style: Terminal['style']): string {
  return passed ? style('good', '✓ node --test passes') : style('bad', '✗ node --test fails');
}
