import { findCache, toFleetRun } from '../args/fleet-options.ts';
import type { AppApi, AppContext } from '../cli-command.ts';
import type { CliContext } from '../cli-context.ts';

type FleetCopy = Awaited<ReturnType<AppApi['copyRun']>>;

export interface ReadWish {
  /** As commander hands `--fleet` over. */
  readonly fleet: unknown;
  readonly run: string | undefined;
  /** Whether prompts and outputs of turns have to be there at once, see `copyRun`. */
  readonly files: 'first' | 'later';
  /** All runs of the fleet, and not one. */
  readonly isWhole?: boolean;
  /** Whether a person reads what commands they may type next: of a run on another machine those take `--fleet`, too. */
  readonly namesCommands?: boolean;
  /** Signals end the reading by itself: a view that catches them. */
  readonly catchesSignals?: boolean;
}

/**
 * Gives a command the folder to read runs in: that in which it was typed, or, with `--fleet`, a copy of the run of a fleet (or of all), for as long as it reads. The copy is removed also where
 * a signal ends the command.
 */
export async function readInFolder(
  context: AppContext,
  { fleet, run, files, isWhole = false, namesCommands = false, catchesSignals = false }: ReadWish,
  read: (context: AppContext, run: string | undefined, copy: FleetCopy | null) => Promise<number>,
): Promise<number> {
  const order = toFleetRun(context, fleet, run);
  if (order === null) return read(context, run, null);
  const cache = findCache(context.env, 'Set HOME: the copy of the run is kept there while it is read.');
  const app = await context.loadApp();
  const copy = await (isWhole ? app.copyFleet : app.copyRun)({
    ...order,
    cache,
    files,
    tell: (text) => context.terminal.err(`ralph: ${text}\n`),
  });
  const release = catchesSignals ? () => undefined : removeOnSignal(context, copy);
  try {
    const code = await read({ ...context, cwd: copy.root }, copy.runId ?? undefined, copy);
    if (namesCommands) context.terminal.err(ELSEWHERE);
    return code;
  } finally {
    release();
    await copy.close();
  }
}

const ELSEWHERE =
  'The run is on a fleet: commands that are named above take --fleet, too; ralph land and ralph undo are for its own folder.\n';

function removeOnSignal({ signals }: Pick<CliContext, 'signals'>, copy: FleetCopy): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const ends = names.map((name) => {
    const end = (): void => {
      release();
      copy.remove();
      process.kill(process.pid, name);
    };
    signals.on(name, end);
    return [name, end] as const;
  });
  const release = (): void => {
    for (const [name, end] of ends) signals.off(name, end);
  };
  return release;
}
