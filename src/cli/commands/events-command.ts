import { isTopicPattern } from '../../core/events/topics.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import type { RunReader } from '../../runs/run-api.ts';
import { createEventFold, type EventFilter, type EventRow, keepWithCauses, matchesFilter } from '../../views/fold/fold-events.ts';
import { createRunViewFold } from '../../views/fold/fold-run-view.ts';
import { addFleetOption } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption, RUN_ARGUMENT } from '../args/options.ts';
import { parseCount } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { createEventPrinter, type EventGraphFormat, printEventGraph } from '../runs/print-events.ts';
import { type ReadWish, readInFolder } from '../runs/read-in-folder.ts';
import { OutputClosed } from '../terminal/terminal.ts';

type PrintRow = (row: EventRow) => void;

/** How often a follower looks whether anybody still reads it. */
const LOOK_MS = 250;

export const eventsCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(...RUN_ARGUMENT)
      .option('--topic <pattern>', 'only this topic, or a pattern such as build.*')
      .option('--hat <hat>', 'only what this hat published or received')
      .option('--iteration <n>', 'only events of this iteration')
      .option('--last <n>', 'only the last n events')
      .option('--follow', 'keep listing new events until the run ends')
      .option('--graph', 'show which event followed from which');
    addFormatOption(
      command,
      ['table', 'json', 'mermaid', 'dot'],
      'table for people, json for programs: one object per line (docs/ndjson.md); with --graph also mermaid and dot',
    );
    addFleetOption(command);
    addExamples(command, [
      ['ralph events', 'everything that was published or refused in the newest run'],
      ['ralph events --follow', 'the same, and then new events as they come'],
      ['ralph events --topic "build.*" --last 5', 'the last five events of one kind'],
      ['ralph events --graph', 'which event followed from which'],
      ['ralph events --hat reviewer --format json | jq .payload', 'for programs'],
      ['ralph events --follow --fleet nats://10.0.0.5:4222', 'of a run on another machine of that fleet'],
    ]);
  },
  perform,
};

async function perform(context: AppContext, { args, options }: CommandCall): Promise<number> {
  const filter = toFilter(options);
  const last = typeof options['last'] === 'string' ? parseCount(options['last'], '--last', 1) : null;
  checkTogether(options);
  const wish: ReadWish = { fleet: options['fleet'], run: args[0], files: 'later' };
  return readInFolder(context, wish, (where, run) => list(where, run, { filter, last, options }));
}

interface ListWish {
  readonly filter: EventFilter;
  readonly last: number | null;
  readonly options: CommandCall['options'];
}

async function list(context: AppContext, run: string | undefined, { filter, last, options }: ListWish): Promise<number> {
  const app = await context.loadApp();
  const reader = app.openRunReader(context.cwd, run, context.env);
  if (options['graph'] === true) return drawGraph(context, reader, { filter, last, format: options['format'] as EventGraphFormat });
  const print = createEventPrinter(context.terminal, options['format'] === 'json' ? 'json' : 'table');
  if (options['follow'] === true) await follow(context, reader, { filter, last, print });
  else printRows(reader, { filter, last, print });
  return 0;
}

/** What cannot be asked for together. */
function checkTogether({ graph, follow, format }: CommandCall['options']): void {
  if (graph === true && follow === true)
    throw createUsageError('--graph and --follow cannot be used together.', 'Draw the graph when the run has ended, or again.');
  if (graph !== true && (format === 'mermaid' || format === 'dot'))
    throw createUsageError(`--format ${format} draws which event followed from which.`, `Write: ralph events --graph --format ${format}`);
}

/** The events that are asked for, with all that they followed from. */
function drawGraph({ terminal }: AppContext, reader: RunReader, { filter, last, format }: EventGraphRequest): number {
  const rows: EventRow[] = [];
  const toRows = createEventFold();
  reader.replay((record) => void rows.push(...toRows(record)));
  const meant = rows.filter((row) => matchesFilter(row, filter)).slice(last === null ? 0 : -last);
  const ids = new Set(meant.map((row) => row.id));
  printEventGraph(
    terminal,
    keepWithCauses(rows, (row) => ids.has(row.id)),
    format,
  );
  return 0;
}

interface EventGraphRequest {
  readonly filter: EventFilter;
  readonly last: number | null;
  readonly format: EventGraphFormat;
}

interface Listing {
  readonly filter: EventFilter;
  /** Only so many; `null`: all. */
  readonly last: number | null;
  readonly print: PrintRow;
}

function printRows(reader: RunReader, listing: Listing): void {
  const fold = createRunViewFold();
  reader.replay(fold.take);
  const view = fold.view();
  // What an end cut off, a limit or a stop, waits for a resume: so far nobody has got it.
  const cutOff = new Set(view?.end === null ? [] : view?.pending.map(({ id }) => id));
  const print = (row: EventRow): void => listing.print(cutOff.has(row.id) ? { ...row, status: 'undelivered' } : row);
  const keeper = createKeeper({ ...listing, print });
  reader.replay(keeper.take);
  keeper.release();
}

/** Shows the rows that are there, then each new one. */
async function follow({ terminal }: AppContext, reader: RunReader, listing: Listing): Promise<void> {
  const keeper = createKeeper(listing);
  const seen = { count: 0 };
  reader.replay(() => {
    seen.count += 1;
  });
  const closed = new AbortController();
  const look = setInterval(() => {
    if (terminal.isClosed()) closed.abort();
  }, LOOK_MS);
  let taken = 0;
  const take = (record: RunRecord): void => {
    keeper.take(record);
    taken += 1;
    if (taken === seen.count) keeper.release();
  };
  try {
    if (seen.count === 0) keeper.release();
    await reader.follow(take, closed.signal);
    keeper.release();
  } finally {
    clearInterval(look);
  }
  if (terminal.isClosed()) throw new OutputClosed();
}

/** Holds the last rows back until they are asked for; afterwards, and without a limit, prints each at once. */
function createKeeper({ filter, last, print }: Listing): { readonly take: (record: RunRecord) => void; readonly release: () => void } {
  let kept: EventRow[] | null = last === null ? null : [];
  const toRows = createEventFold();
  return {
    take: (record) => {
      for (const row of toRows(record)) {
        if (!matchesFilter(row, filter)) continue;
        if (kept === null) print(row);
        else kept.push(row);
        if (kept !== null && last !== null && kept.length > last) kept.shift();
      }
    },
    release: () => {
      const rows = kept ?? [];
      kept = null;
      for (const row of rows) print(row);
    },
  };
}

function toFilter(options: CommandCall['options']): EventFilter {
  const { topic, hat, iteration } = options as { readonly topic?: string; readonly hat?: string; readonly iteration?: string };
  if (topic !== undefined && !isTopicPattern(topic)) {
    throw createUsageError(
      `${JSON.stringify(topic.slice(0, 80))} is neither a topic nor a pattern.`,
      'A topic is build.done; in a pattern * stands for a whole word: build.*, *.blocked',
    );
  }
  return { topic, hat, iteration: iteration === undefined ? undefined : parseCount(iteration, '--iteration', 0) };
}
