import { toShellWord } from '../../core/text/shell-word.ts';
import { RalphError } from '../../core/values/errors.ts';
import type { AppApi } from '../app-api.ts';
import type { CliContext } from '../cli-context.ts';
import { printJson } from '../terminal/terminal.ts';
import { catchSignals } from './signals.ts';

type FleetServer = Awaited<ReturnType<AppApi['startFleetServer']>>;
type StartedServer = FleetServer & { readonly kind: 'started' };

/** Starts a server on this machine and waits until it is to end. */
export async function bringUpServer(context: CliContext, home: string, isJson: boolean): Promise<number> {
  const { terminal, signals, env } = context;
  const [stop, kill] = [new AbortController(), new AbortController()];
  const caught = catchSignals(signals, null);
  let stoppedBy: number | null = null;
  caught.attach((how) => {
    stoppedBy ??= how === 'terminate' ? 143 : how === 'hangup' ? 129 : 130;
    stop.abort();
    if (how === 'kill') kill.abort();
  });
  try {
    const server = await (await context.loadApp()).startFleetServer({ home, env, abort: stop.signal });
    if (server.kind === 'running') return tellRunning(context, server, isJson);
    tellStarted(context, server, isJson);
    const words = await Promise.race([server.ended, waitFor(stop.signal)]);
    if (words === null) terminal.err('\nThe server ends; what it keeps stays.\n');
    await server.close(kill.signal);
    if (words !== null && stoppedBy === null) throw toEnded(words);
    // Ctrl+C is how it is to end.
    return stoppedBy === null || stoppedBy === 130 ? 0 : stoppedBy;
  } catch (error) {
    if (stoppedBy === null) throw error;
    return stoppedBy;
  } finally {
    caught.release();
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
    what: 'The server has ended by itself, or somebody else ended it.',
    ...(words === '' ? {} : { why: `It said last:\n${words}` }),
    fix: 'Start it again: ralph fleet up',
  });
}

function tellRunning({ terminal }: CliContext, { url, pid, home }: FleetServer & { readonly kind: 'running' }, isJson: boolean): number {
  if (isJson) printJson(terminal, { v: 1, state: 'running', url, pid, home });
  else if (url !== null) terminal.out(`export RALPH_FLEET=${toShellWord(url)}\n`);
  const who = pid === null ? 'Another process' : `Process ${pid}`;
  terminal.err(`${who} of ralph fleet up ${url === null ? 'is starting' : 'has'} a server with the folder ${home}: nothing was started.\n`);
  return 0;
}

function tellStarted({ terminal }: CliContext, server: StartedServer, isJson: boolean): void {
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
export async function tellServer({ terminal, env, loadApp }: CliContext, url: string, isJson: boolean): Promise<number> {
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
