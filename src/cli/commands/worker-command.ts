import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isLabel, LABEL_TEXT } from '../../core/values/label.ts';
import { findCache, findFleetAddress } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppApi, CliCommand } from '../cli-command.ts';
import type { CliContext } from '../cli-context.ts';
import { describeError } from '../terminal/describe-error.ts';

/** `ralph worker`. */
export const workerCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--nats <url>', 'the address of the fleet; default: RALPH_FLEET')
      .option(
        '--labels <labels>',
        'its labels, separated by commas: agents (claude, codex, native, …) and names of your own; default: the installed agents',
      )
      .option('--slots <n>', 'how many turns, panel rounds, gates and hooks to run at once', '1')
      .option('--stand-in <n>', 'how many runs whose own process is lost to continue at once; 0: none', '1')
      .option('--name <name>', 'its name; default: the name of the machine and a generated part')
      .option(
        '--home <folder>',
        'its own folder, which no other worker may share; default: one named after it in ralph/fleet in the cache folder',
      );
    addExamples(command, [
      ['ralph worker --nats nats://10.0.0.5:4222', 'take turns for every agent that is installed here; Ctrl+C lets those under way end'],
      ['ralph worker --nats file:/home/uma/fleet', 'on the machine of the run, without a server: they meet in that folder'],
      ['ralph worker --labels claude --slots 2', 'two turns at once, claude only, from the fleet in RALPH_FLEET'],
      ['ralph worker --name gpu-2 --labels gpu', 'a second one on this machine, beside any other: its folder is by its name'],
      ['ralph worker --labels gpu', 'gates with runs_on: [gpu]; turns as well where it also has the label of their agent'],
    ]);
  },
  perform: async (context, { options }) => {
    const { env, terminal, cwd } = context;
    const url = findFleetAddress(options['nats'], env, '--nats');
    const app = await context.loadApp();
    const { workForFleet } = await context.loadWorker();
    const labels = toLabels(options['labels'], app, context);
    const slots = toCount('--slots', options['slots'], 1);
    const standsInFor = toCount('--stand-in', options['standIn'], 0);
    const id = toName(options['name']);
    const connect = (signal?: AbortSignal): Promise<WorkerFleet> =>
      app.connectFleet({ url, env, name: `ralph worker ${id}`, ...(signal && { signal }) });
    let fleet: WorkerFleet | null = await connect();
    const tell = (text: string): void => terminal.err(`${text}\n`);
    const describe = (error: unknown): string => describeError(error, { style: terminal.errStyle, debug: false }).text.trimEnd();
    const { drain, kill, release } = catchStops(context, tell);
    try {
      const typed = options['home'];
      const siblings = typeof typed === 'string' ? null : join(findCache(env, 'Say where it may work: --home <folder>'), 'ralph', 'fleet');
      const home = typeof typed === 'string' ? resolve(cwd, typed) : join(siblings ?? '', id);
      const worker = { home, siblings, id, labels, slots, standsInFor, env: { ...env, RALPH_FLEET: url }, tell };
      for (let token: string | null = null; fleet !== null; ) {
        // The fleet in the place of its own may know it by now: what it says goes to the server at the address.
        token = await workForFleet({ ...worker, ...(token !== null && { token }), fleet }, drain, kill);
        if (token === null) break;
        fleet = await connectAgain({ connect, tell, describe }, drain);
      }
    } finally {
      release();
      await fleet?.close();
    }
    return kill.aborted ? 130 : 0;
  },
};

type WorkerFleet = Awaited<ReturnType<AppApi['connectFleet']>>;

const AGAIN_MS = 2000;

interface Joining {
  readonly connect: (signal: AbortSignal) => Promise<WorkerFleet>;
  readonly tell: (text: string) => void;
  /** An error with why, and what to do. */
  readonly describe: (error: unknown) => string;
}

/** Joins the fleet that is there by now; `null`: the worker was told to end. An account that may make nothing there waits for one that may. */
async function connectAgain({ connect, tell, describe }: Joining, drain: AbortSignal): Promise<WorkerFleet | null> {
  const isTold = new Promise<null>((resolve) => drain.addEventListener('abort', () => resolve(null)));
  for (let told = ''; !drain.aborted; ) {
    const connecting = connect(drain);
    try {
      const fleet = await Promise.race([connecting, isTold]);
      // A worker that is to end waits for no server.
      if (fleet === null) void connecting.then((late) => late.close()).catch(() => undefined);
      return fleet;
    } catch (error) {
      const text = describe(error);
      if (text !== told) tell(`The new fleet cannot be joined yet; it is tried again every ${AGAIN_MS / 1000} s.\n${text}`);
      told = text;
      await pause(AGAIN_MS, undefined, { signal: drain }).catch(() => undefined);
    }
  }
  return null;
}

function toLabels(typed: unknown, app: AppApi, { env, cwd }: Pick<CliContext, 'env' | 'cwd'>): readonly string[] {
  if (typeof typed !== 'string') {
    return [...new Set([...app.listAvailable(env['PATH'], cwd), 'native', 'custom'])].sort();
  }
  const labels = typed.split(',').map((label) => label.trim());
  const wrong = labels.find((label) => !isLabel(label));
  if (wrong === undefined) return [...new Set(labels)].sort();
  throw createUsageError(`${JSON.stringify(wrong.slice(0, 60))} is no label.`, `A label has ${LABEL_TEXT}: --labels claude,gpu`);
}

function toCount(option: string, typed: unknown, least: number): number {
  const count = Number(typed);
  if (Number.isInteger(count) && count >= least && count <= 64) return count;
  throw createUsageError(`${option} takes a number from ${least} to 64.`, `Two at the same time: ${option} 2`);
}

function toName(typed: unknown): string {
  const plain = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 40);
  const name = typeof typed === 'string' ? typed : `${plain === '' ? 'worker' : plain}-${randomBytes(3).toString('hex')}`;
  if (/^[A-Za-z0-9_-]{1,60}$/.test(name)) return name;
  throw createUsageError(`${JSON.stringify(name.slice(0, 60))} is no name of a worker.`, 'A name has letters, digits, - and _.');
}

/** The first Ctrl+C lets turns under way end; a second one gives them up, and so does SIGTERM. */
function catchStops({ signals }: CliContext, tell: (text: string) => void) {
  const [drain, kill] = [new AbortController(), new AbortController()];
  const onInterrupt = (): void => {
    if (drain.signal.aborted) kill.abort();
    else tell('No more turns; those under way go on. Ctrl+C again gives them up.');
    drain.abort();
  };
  const onEnd = (): void => {
    drain.abort();
    kill.abort();
  };
  signals.on('SIGINT', onInterrupt);
  signals.on('SIGTERM', onEnd);
  signals.on('SIGHUP', onEnd);
  const release = (): void => {
    signals.off('SIGINT', onInterrupt);
    signals.off('SIGTERM', onEnd);
    signals.off('SIGHUP', onEnd);
  };
  return { drain: drain.signal, kill: kill.signal, release };
}
