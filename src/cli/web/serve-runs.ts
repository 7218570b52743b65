import { spawn } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { isRalphError } from '../../core/values/errors.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import type { ServedRuns } from '../../web-server/served-runs.ts';
import { startWebServer, type WebServer } from '../../web-server/start-web-server.ts';
import type { AppApi, AppContext } from '../cli-command.ts';
import { printLine } from '../terminal/terminal.ts';
import { readPage } from './read-page.ts';
import { USUAL_PORT, type WebPlace } from './web-place.ts';

/** How often it is looked whether the list of runs has changed, while somebody looks at it. */
const LIST_MS = 1000;

interface WebWish {
  readonly place: WebPlace;
  readonly opensBrowser: boolean;
  /** Called once, when a browser first asks for the list of runs: starts a run, which is the first that is shown. `null`: there is none. */
  readonly onFirstLook?: () => Promise<string | null>;
  /** Of copies: by which a run itself is steered. They are all that is shown then. */
  readonly steeringOf?: Parameters<AppApi['createRunCatalog']>[3];
}

/** Serves the page with the runs of every folder, and prints its address, until a signal ends it. Runs go on. */
export async function serveRuns(context: AppContext, wish: WebWish): Promise<void> {
  const { terminal, signals } = context;
  // Reading long journals makes the engine take 40 MB more for what is young; a server that is looked at for days does without.
  setFlagsFromString('--semi-space-growth-factor=1');
  const app = await context.loadApp();
  const server = await start(context, app, wish);
  const tell = (): void => terminal.out(`${server.createUrl()}\n`);
  // Whoever reads how a new address is had may ask for it at once.
  signals.on('SIGUSR2', tell);
  const url = server.createUrl();
  printLine(terminal, url);
  terminal.err(toNotes(wish.place));
  if (wish.opensBrowser) openBrowser(url, (why) => terminal.err(`No browser could be opened: ${toPlainLine(why, 200)}\n`));
  await waitForEnd(context);
  signals.off('SIGUSR2', tell);
  await server.close();
}

async function start(context: AppContext, app: AppApi, wish: WebWish): Promise<WebServer> {
  const { address, port, token, canSteer } = wish.place;
  const order = {
    page: readPage(app.findPackageFolder()),
    source: createSource(context, app, wish),
    address,
    canSteer,
    now: context.now,
    onFault: (error: unknown) =>
      context.terminal.err(`${toPlainLine(error instanceof Error ? (error.stack ?? '') : String(error), 1000)}\n`),
    ...(token !== null && { token }),
  };
  try {
    return await startWebServer({ ...order, port: port ?? USUAL_PORT });
  } catch (error) {
    if (port !== null || !isRalphError(error) || error.code !== 'web-port') throw error;
    return startWebServer({ ...order, port: 0 });
  }
}

function createSource({ cwd, env, every }: AppContext, app: AppApi, { place, onFirstLook, steeringOf }: WebWish): ServedRuns {
  const catalog = app.createRunCatalog(cwd, env, undefined, steeringOf);
  let begun: Promise<string | null> | null = null;
  return {
    list: async () => {
      begun ??= onFirstLook === undefined ? Promise.resolve(null) : onFirstLook();
      const first = await begun;
      const list = { ...(await catalog.list()), canSteer: place.canSteer };
      const opens = list.runs.find(({ runId }) => runId === first)?.key;
      return opens === undefined ? list : { ...list, opens };
    },
    open: catalog.open,
    onListChange: (call) => every(LIST_MS, call),
  };
}

function toNotes({ canSteer, isFar }: WebPlace): string {
  return [
    'Open it in a browser within ten minutes; it counts once.',
    `Another browser needs an address of its own, which this prints: kill -USR2 ${process.pid}`,
    ...(isFar ? ['What goes over the network is not encrypted: use it where you trust everybody.'] : []),
    ...(canSteer ? [] : ['Runs are only shown there.']),
    'Ctrl+C ends the page; runs go on.',
    '',
  ].join('\n');
}

function waitForEnd({ signals }: Pick<AppContext, 'signals'>): Promise<void> {
  return new Promise((resolve) => {
    const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const end = (): void => {
      for (const name of names) signals.off(name, end);
      resolve();
    };
    for (const name of names) signals.on(name, end);
  });
}

/** Opens an address in the browser of the person, without a shell. `onFault` is told why there is none. */
function openBrowser(url: string, onFault: (why: string) => void): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  child.once('error', ({ message }) => onFault(message));
  child.unref();
}
