import { toPlainLine } from '../../views/text/index.ts';
import type { AppApi } from '../app-api.ts';
import { findFleetAddress } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand, CliContext } from '../cli-context.ts';
import { printTable } from '../terminal/print.ts';
import { printJson } from '../terminal/terminal.ts';

/** `ralph fleet`. */
export const fleetCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(
        '[what]',
        'workers: those that are there; runs: those that the fleet keeps, and who has them; drain: ends a worker when it has no turn',
        'workers',
      )
      .argument('[worker]', 'of drain: its name')
      .option('--nats <url>', 'the address of the fleet; default: RALPH_FLEET');
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph fleet --nats nats://10.0.0.5:4222', 'the workers that are there, and what they work on'],
      ['ralph fleet drain laptop-3f2a1c', 'let that worker take no more turns, and end when those under way have ended'],
      ['ralph fleet runs', 'the runs of the fleet of RALPH_FLEET: on which machine each goes on, and which have ended'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const show = toShow(args[0] ?? 'workers', args[1]);
    const url = findFleetAddress(options['nats'], context.env);
    const app = await context.loadApp();
    const fleet = await app.connectFleet({ url, name: 'ralph fleet' });
    try {
      return await show(fleet, context, options['format'] === 'json');
    } finally {
      await fleet.close();
    }
  },
};

type Fleet = Awaited<ReturnType<AppApi['connectFleet']>>;
/** Its exit code. */
type Show = (fleet: Fleet, context: CliContext, isJson: boolean) => Promise<number>;

function toShow(what: string, worker: string | undefined): Show {
  if (what === 'drain') {
    if (worker !== undefined) return (fleet, { terminal }) => drain(fleet, terminal, worker);
    throw createUsageError('Which worker?', 'Its name is in the first column of: ralph fleet');
  }
  if (what === 'workers') return showWorkers;
  if (what === 'runs') return showRuns;
  throw createUsageError(
    `ralph fleet takes workers, runs or drain, and not ${JSON.stringify(what.slice(0, 40))}.`,
    'Its workers: ralph fleet\nIts runs: ralph fleet runs',
  );
}

async function drain(fleet: Fleet, terminal: CliContext['terminal'], worker: string): Promise<number> {
  const isHeard = isName(worker) && (await fleet.workers.drain(worker));
  terminal.err(
    isHeard
      ? `The worker ${worker} takes no more turns; it ends when those under way have ended.\n`
      : `No worker of that name heard it: ralph fleet lists those that are there.\n`,
  );
  return isHeard ? 0 : 1;
}

function isName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,60}$/.test(text);
}

async function showWorkers(fleet: Fleet, { terminal }: CliContext, isJson: boolean): Promise<number> {
  const workers = await fleet.workers.list();
  if (isJson) {
    for (const worker of workers) printJson(terminal, { v: 1, ...worker });
    return 0;
  }
  if (workers.length === 0) terminal.err('No worker is there. Start one: ralph worker --nats …\n');
  else
    printTable(
      terminal,
      ['worker', 'labels', 'slots', 'works on'],
      workers.map(({ id, labels, slots, busy, isDraining }) => [
        id,
        labels.join(','),
        `${busy.length}/${slots}`,
        [...busy.map(({ run, name }) => `${run} ${name}`), ...(isDraining ? ['(takes no more)'] : [])].join(', '),
      ]),
    );
  return 0;
}

const STATES = { held: 'has not ended', free: 'stopped', ended: 'complete' } as const;

async function showRuns(fleet: Fleet, { terminal }: CliContext, isJson: boolean): Promise<number> {
  const runs = (await fleet.leases.list()).map(({ lease }) => lease);
  if (isJson) {
    for (const { run, state, host, epoch, title } of runs) printJson(terminal, { v: 1, run, state, host, epoch, title });
    return 0;
  }
  if (runs.length === 0) terminal.err('The fleet keeps no run. Start one: ralph run --fleet …\n');
  else
    printTable(
      terminal,
      ['run', 'is', 'last on', 'what for'],
      runs.map(({ run, state, host, title }) => [run, STATES[state], toPlainLine(host, 60), toPlainLine(title, 120)]),
    );
  return 0;
}
