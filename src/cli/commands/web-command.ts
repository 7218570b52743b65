import { isRalphError } from '../../core/values/errors.ts';
import { toPlainLine } from '../../views/text/index.ts';
import { type RunSource, startWebServer, type WebServer } from '../../web-server/index.ts';
import type { AppApi } from '../app-api.ts';
import { addExamples } from '../args/help.ts';
import type { CliCommand, CliContext } from '../cli-context.ts';
import { printLine } from '../terminal/terminal.ts';
import { openBrowser } from '../web/open-browser.ts';
import { readPage } from '../web/read-page.ts';
import { toWebPlace, USUAL_PORT, type WebPlace } from '../web/web-place.ts';

/** How often it is looked whether the list of runs has changed, while somebody looks at it. */
const LIST_MS = 1000;

/** `ralph web`. */
export const webCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--port <n>', `the port; default: ${USUAL_PORT}, or any that is free`)
      .option('--open', 'open the page in the browser')
      .option('--read-only', 'show runs, and let nobody steer them')
      .option('--listen <address>', 'an address of this machine that others reach; needs --token-file, and only shows')
      .option('--token-file <file>', 'a file with the token, which you alone can read; default: a new token each time')
      .option('--steer', 'with --listen: let who has the token steer runs');
    addExamples(command, [
      ['ralph web', 'print the address of the page; Ctrl+C ends it, runs go on'],
      ['ralph web --open', 'open it in the browser too'],
      ['ssh -t -L 4700:127.0.0.1:4700 host ralph web --port 4700', 'the runs of another machine, in the browser of this one'],
    ]);
  },
  perform: async (context, { options }) => {
    const place = toWebPlace(options);
    const app = await context.loadApp();
    const server = await start(context, app, place);
    const tell = (): void => context.terminal.out(`${server.createUrl()}\n`);
    // Whoever reads how a new address is had may ask for it at once.
    context.signals.on('SIGUSR2', tell);
    const url = server.createUrl();
    printLine(context.terminal, url);
    context.terminal.err(toNotes(place));
    if (options['open'] === true) openBrowser(url, (why) => context.terminal.err(`No browser could be opened: ${toPlainLine(why, 200)}\n`));
    await waitForEnd(context);
    context.signals.off('SIGUSR2', tell);
    await server.close();
    return 0;
  },
};

async function start(context: CliContext, app: AppApi, place: WebPlace): Promise<WebServer> {
  const { address, port, token, canSteer } = place;
  const order = {
    page: readPage(app.findPackageFolder()),
    source: createSource(context, app, canSteer),
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

function createSource({ cwd, env, every }: CliContext, app: AppApi, canSteer: boolean): RunSource {
  const catalog = app.createRunCatalog(cwd, env);
  return {
    list: async () => ({ ...(await catalog.list()), canSteer }),
    open: (key) => {
      const found = catalog.find(key);
      return found === null ? null : app.openWatchedRun(found.root, found.runId, env);
    },
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

function waitForEnd({ signals }: Pick<CliContext, 'signals'>): Promise<void> {
  return new Promise((resolve) => {
    const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const end = (): void => {
      for (const name of names) signals.off(name, end);
      resolve();
    };
    for (const name of names) signals.on(name, end);
  });
}
