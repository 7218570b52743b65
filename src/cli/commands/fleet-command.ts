import { join, resolve } from 'node:path';
import type * as App from '../../app/index.ts';
import { toOrderTitle } from '../../core/run/turn.ts';
import { toShellWord } from '../../core/text/shell-word.ts';
import { RalphError } from '../../core/values/errors.ts';
import { toList, toPlainLine } from '../../views/text/plain-text.ts';
import { findCache, findFleetAddress } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppApi, AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { untilEnded } from '../live/signals.ts';
import { printTable } from '../terminal/print.ts';
import { printJson } from '../terminal/terminal.ts';

/** `ralph fleet`. */
export const fleetCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(
        '[what]',
        'status: the workers and the runs; workers, runs: one of the two; drain: ends a worker once it has no turn; up: starts a server on this machine',
        'status',
      )
      .argument('[name]', 'with drain: the worker; with runs: a run; by its name or id, or the beginning or end of it')
      .option('--nats <url>', 'the address of the fleet; default: RALPH_FLEET. With up: checks that server, and starts none')
      .option('--home <folder>', 'with up: the data of the server; default: ralph/fleet-server in the cache folder');
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph fleet up', 'a server for a fleet on this machine, with a login of its own, until Ctrl+C'],
      ['ralph fleet up --nats nats://10.0.0.5:4222', 'checks that the server has what a fleet needs, and says what is missing'],
      ['ralph fleet --nats nats://10.0.0.5:4222', 'the workers, what they work on, and the runs'],
      ['ralph fleet drain laptop-3f2a1c', 'let that worker take no more turns, and end when those under way have ended'],
      ['ralph fleet runs', 'the runs of the fleet in RALPH_FLEET: on which machine each is, and which have ended'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const isJson = options['format'] === 'json';
    if (args[0] === 'up') return up(context, args[1], options, isJson);
    const show = toShow(args[0] ?? 'status', args[1]);
    const url = findFleetAddress(options['nats'], context.env, '--nats');
    const app = await context.loadApp();
    const fleet = await app.connectFleet({ url, env: context.env, name: 'ralph fleet' }, true);
    try {
      // Commands that it names take the address of the environment, which is another one than what was typed.
      const env = options['nats'] === undefined ? context.env : { ...context.env, RALPH_FLEET: '' };
      return await show(fleet, { ...context, env }, isJson);
    } finally {
      await fleet.close();
    }
  },
};

async function up(context: AppContext, more: string | undefined, { nats, home }: CommandCall['options'], isJson: boolean): Promise<number> {
  const { cwd, env } = context;
  if (more !== undefined)
    throw createUsageError('ralph fleet up takes no name.', 'A server with a folder of its own: ralph fleet up --home <folder>');
  if (typeof nats === 'string') return tellServer(context, findFleetAddress(nats, env, '--nats'), isJson);
  return bringUpServer(
    context,
    typeof home === 'string'
      ? resolve(cwd, home)
      : join(findCache(env, 'Say where it may keep its files: --home <folder>'), 'ralph', 'fleet-server'),
    isJson,
  );
}

type ConnectedFleet = Awaited<ReturnType<AppApi['connectFleet']>>;
/** Its exit code. */
type Show = (fleet: ConnectedFleet, context: AppContext, isJson: boolean) => Promise<number>;

function toShow(what: string, name: string | undefined): Show {
  if (what === 'drain') {
    if (name !== undefined) return (fleet, { terminal }, isJson) => drain(fleet, terminal, name, isJson);
    throw createUsageError('Which worker?', 'Its name is in the first column of: ralph fleet');
  }
  if (what === 'runs') return (fleet, context, isJson) => printRuns(fleet, context, { isJson, wanted: name });
  const shown = name === undefined ? SHOWN.get(what) : undefined;
  if (shown !== undefined) return shown;
  if (name !== undefined && SHOWN.has(what))
    throw createUsageError(`ralph fleet ${what} takes no name.`, 'One run: ralph fleet runs <run>');
  throw createUsageError(
    `ralph fleet takes status, workers, runs, drain or up, and not ${JSON.stringify(what.slice(0, 40))}.`,
    'Its workers and runs: ralph fleet',
  );
}

const SHOWN: ReadonlyMap<string, Show> = new Map([
  ['status', showStatus],
  ['workers', showWorkers],
]);

async function showStatus(fleet: ConnectedFleet, context: AppContext, isJson: boolean): Promise<number> {
  const hasTable = await printWorkers(fleet, context, isJson);
  return printRuns(fleet, context, { isJson, isBelow: hasTable });
}

async function drain(fleet: ConnectedFleet, terminal: AppContext['terminal'], wanted: string, isJson: boolean): Promise<number> {
  const names = (await fleet.workers.list()).map(({ id }) => id).sort();
  const meant = names.includes(wanted) ? [wanted] : names.filter((name) => name.startsWith(wanted) || name.endsWith(wanted));
  const [worker = wanted] = meant;
  if (meant.length > 1)
    throw createUsageError(`${meant.length} workers match ${toPlainLine(wanted, 60)}; which one?`, `Say its name: ${toList(meant, 10)}`);
  const isHeard = isName(worker) && (await fleet.workers.drain(worker));
  if (isJson) printJson(terminal, { v: 1, kind: 'drain', worker: toPlainLine(worker, 60), isHeard });
  else if (isHeard) terminal.err(`The worker ${worker} takes no more turns; it ends when those under way have ended.\n`);
  else if (meant.length === 1)
    terminal.err(`The worker ${worker} did not hear it: it may be gone, and stays listed for 30 seconds at most. See: ralph fleet\n`);
  else
    terminal.err(
      `There is no worker ${toPlainLine(wanted, 60)}. ${names.length === 0 ? 'No worker is there' : `Those that are there: ${toList(names, 10)}`}.\n`,
    );
  return isHeard ? 0 : 1;
}

function isName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,60}$/.test(text);
}

async function showWorkers(...shown: Parameters<Show>): Promise<number> {
  await printWorkers(...shown);
  return 0;
}

/** Whether a table stands there now. */
async function printWorkers(fleet: ConnectedFleet, { terminal, env }: AppContext, isJson: boolean): Promise<boolean> {
  const workers = await fleet.workers.list();
  if (isJson) {
    for (const { token: _, ...worker } of workers) printJson(terminal, { v: 1, kind: 'worker', ...worker });
    return false;
  }
  if (workers.length === 0) terminal.err(`No worker is there. Start one${toWhere(env)}: ralph worker\n`);
  else
    printTable(
      terminal,
      ...withoutEmpty(
        ['worker', 'is', 'labels', 'slots', 'works on'],
        workers.map(({ id, labels, slots, busy, isDraining, silentMs }) => [
          id,
          toState({ isDraining, isBusy: busy.length > 0, silentMs }),
          labels.join(','),
          `${busy.length}/${slots}`,
          busy.map(({ run, ...order }) => `${run} ${toTitle(order)}`).join('; '),
        ]),
      ),
    );
  return workers.length > 0;
}

type Listed = Awaited<ReturnType<ConnectedFleet['workers']['list']>>[number];

/** One that says nothing may be gone: what it was doing last is no news of it. */
function toState({ isDraining, isBusy, silentMs }: Pick<Listed, 'isDraining' | 'silentMs'> & { readonly isBusy: boolean }): string {
  if (silentMs >= SILENT_MS) return `silent for ${Math.round(silentMs / 1000)} s`;
  return isDraining ? 'draining' : isBusy ? 'at work' : 'idle';
}

const SILENT_MS = 12_000;

function toTitle({ name, agent }: Omit<Listed['busy'][number], 'run'>): string {
  return toOrderTitle(name, undefined, agent === undefined ? undefined : toPlainLine(agent, 40));
}

/** The commands as they are named take the address from the environment. */
function toWhere({ RALPH_FLEET = '' }: AppContext['env']): string {
  return RALPH_FLEET === '' ? ' where RALPH_FLEET says this address' : '';
}

const STATES = { held: 'not ended', free: 'stopped', ended: 'complete' } as const;

/** @param isBelow a table stands above */
async function printRuns(
  fleet: ConnectedFleet,
  { terminal, env }: AppContext,
  { isJson, wanted, isBelow = false }: { readonly isJson: boolean; readonly wanted?: string | undefined; readonly isBelow?: boolean },
): Promise<number> {
  const all = (await fleet.leases.list()).map(({ lease }) => lease);
  const runs = all.filter(({ run }) => wanted === undefined || run.startsWith(wanted) || run.endsWith(wanted));
  if (wanted !== undefined && runs.length === 0) throw toUnknown(wanted);
  const turns = (await fleet.workers.list()).flatMap(({ id: worker, busy }) => busy.map((order) => ({ ...order, worker })));
  const turnsOf = (run: string) => turns.filter((turn) => turn.run === run).map(({ run: _, ...turn }) => turn);
  if (isJson) {
    for (const { run, state, host, worker = null, epoch, title } of runs)
      printJson(terminal, { v: 1, kind: 'run', run, state, host, worker, epoch, title, turns: turnsOf(run) });
    return 0;
  }
  if (isBelow && runs.length > 0) terminal.out('\n');
  if (runs.length === 0) terminal.err(`The fleet keeps no run. Start one${toWhere(env)}: ralph run -p "The task" --fleet\n`);
  else
    printTable(
      terminal,
      ...withoutEmpty(
        ['run', 'is', 'last on', 'turns', 'what for'],
        runs.map(({ run, state, host, worker, title }) => [
          run,
          STATES[state],
          `${worker === undefined ? '' : `worker ${worker}, `}${toPlainLine(host, 60)}`,
          turnsOf(run)
            .map(({ worker: holder, ...order }) => `${toTitle(order)} with ${holder}`)
            .join('; '),
          toPlainLine(title, 120),
        ]),
      ),
    );
  return 0;
}

/** A table without the columns in which nothing stands. */
function withoutEmpty(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): readonly [readonly string[], readonly (readonly string[])[]] {
  const isFilled = (_: string, column: number): boolean => rows.some((row) => row[column] !== '');
  return [heading.filter(isFilled), rows.map((row) => row.filter(isFilled))];
}

function toUnknown(run: string): RalphError {
  return new RalphError({
    code: 'fleet-run-unknown',
    what: `The fleet keeps no run ${toPlainLine(run, 60)}.`,
    fix: 'Those that it keeps: ralph fleet runs',
  });
}

type StartedServer = App.FleetServer & { readonly kind: 'started' };

/** Starts a server on this machine and waits until it is to end. */
async function bringUpServer(context: AppContext, home: string, isJson: boolean): Promise<number> {
  const { result, stoppedBy } = await untilEnded(context, (stop, kill) => serve(context, { home, isJson }, stop, kill));
  if (result.how === 'ended' && stoppedBy === null) throw toEnded(result.words);
  // Ctrl+C is how it is to end.
  return stoppedBy === null || (stoppedBy === 130 && result.how !== 'cut-off') ? 0 : stoppedBy;
}

type ServerEnd = { readonly how: 'running' | 'stopped' | 'cut-off' } | { readonly how: 'ended'; readonly words: string };

async function serve(
  context: AppContext,
  { home, isJson }: { readonly home: string; readonly isJson: boolean },
  stop: AbortSignal,
  kill: AbortSignal,
): Promise<ServerEnd> {
  try {
    const server = await (await context.loadApp()).startFleetServer({ home, env: context.env, abort: stop });
    if (server.kind === 'running') return tellRunning(context, server, isJson);
    tellStarted(context, server, isJson);
    const words = await Promise.race([server.ended, waitFor(stop)]);
    if (words === null) context.terminal.err('\nThe server ends; what it keeps stays.\n');
    await server.close(kill);
    return words === null ? { how: 'stopped' } : { how: 'ended', words };
  } catch (error) {
    if (!stop.aborted) throw error;
    return { how: 'cut-off' };
  }
}

function waitFor(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(null));
    if (signal.aborted) resolve(null);
  });
}

function toEnded(words: string): RalphError {
  return new RalphError({
    code: 'fleet-server-failed',
    what: 'The server exited by itself, or somebody else ended it.',
    ...(words === '' ? {} : { why: `It said last:\n${words}` }),
    fix: 'Start it again: ralph fleet up',
  });
}

function tellRunning(
  { terminal }: AppContext,
  { url, pid, home }: App.FleetServer & { readonly kind: 'running' },
  isJson: boolean,
): ServerEnd {
  if (isJson) printJson(terminal, { v: 1, state: 'running', url, pid, home });
  else if (url !== null) terminal.out(`export RALPH_FLEET=${toShellWord(url)}\n`);
  const who = pid === null ? 'Another process' : `Process ${pid}`;
  terminal.err(`${who} of ralph fleet up ${url === null ? 'is starting' : 'has'} a server with the folder ${home}: nothing was started.\n`);
  return { how: 'running' };
}

function tellStarted({ terminal }: AppContext, server: StartedServer, isJson: boolean): void {
  const { url, pid, home, program, version, syncsAlways } = server;
  if (isJson) return printJson(terminal, { v: 1, state: 'started', url, pid, home, program, version, syncsAlways });
  terminal.err(`${program} ${version}, process ${pid}, on this machine only; what it keeps is in ${home}\n`);
  if (!syncsAlways)
    terminal.err(
      'This version writes to the disk every two minutes: a power cut can take the last of it. From 2.10 on it does so at once.\n',
    );
  terminal.err('\nIn other terminals, first this line. Who has it may run commands here:\n\n');
  terminal.out(`export RALPH_FLEET=${toShellWord(url)}\n`);
  terminal.err(
    [
      '',
      'Then:',
      '  ralph worker          a worker, in any folder',
      '  ralph run --fleet     in your project: a run whose turns workers take',
      '  ralph fleet           the workers and the runs',
      '',
      'Ctrl+C ends the server.',
      '',
    ].join('\n'),
  );
}

const MARKS = { good: '✓', warning: '!', bad: '✗' } as const;

/** Looks whether a server that is there will do; starts nothing. */
async function tellServer({ terminal, env, loadApp }: AppContext, url: string, isJson: boolean): Promise<number> {
  const found = await (await loadApp()).checkServer({ url, env, name: 'ralph fleet up' });
  for (const { state, text, fix } of found) {
    if (isJson) printJson(terminal, { v: 1, state, text, fix: fix ?? null });
    else terminal.out(`${terminal.style(state, `${MARKS[state]} ${text}`)}\n${toIndented(fix)}`);
  }
  return found.some(({ state }) => state === 'bad') ? 1 : 0;
}

function toIndented(fix: string | undefined): string {
  return fix === undefined ? '' : `${fix.replace(/^/gm, '    ')}\n`;
}
