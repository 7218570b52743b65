import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { toOrderTitle } from '../../core/run/turn.ts';
import { createTextCleaner } from '../../views/text/plain-text.ts';
import { addFleetOption } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { parseRunAndTurn, type TurnChoice } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { findRunElsewhere } from '../runs/find-steered.ts';
import { type ReadWish, readInFolder } from '../runs/read-in-folder.ts';
import { readView } from '../runs/read-run.ts';
import { printEvents, printFile, printOverview, printTurn, printWork, requireShownTurn, type ShownRun } from '../runs/show-run.ts';
import { OutputClosed } from '../terminal/terminal.ts';

const PARTS = ['prompt', 'output', 'diff', 'stat', 'events'] as const;

/** `ralph show`. */
export const showCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('[run]', 'a run, by its id or the beginning of it; default: the one under way, else the newest')
      .argument('[iteration]', 'an iteration (7) or one attempt of it (7.2); default: the run as a whole')
      .option('--prompt', 'show what the agent was asked')
      .option('--output', 'show what it said')
      .option('--diff', 'show what it changed; without an iteration: what the whole run changed')
      .option('--stat', 'show the changed files with their line counts')
      .option('--events', 'show what it published')
      .option('-f, --follow', 'show what the agents say, as they say it, until the run ends');
    addFleetOption(command);
    addExamples(command, [
      ['ralph show', 'the newest run: its turns and how it ended'],
      ['ralph show 7', 'everything about its iteration 7'],
      ['ralph show --diff', 'what the whole run changed'],
      ['ralph show --stat', 'the files that it changed, with line counts'],
      ['ralph show 7 --diff', 'what iteration 7 changed'],
      ['ralph show 20261121-22 7.2 --output', 'what the second attempt of another run said'],
      ['ralph show --follow', 'follow a run in another terminal'],
      ['ralph show --prompt', 'what the last turn was asked'],
      ['ralph show 7 --output --fleet nats://10.0.0.5:4222', 'of a run on another machine of that fleet'],
    ]);
  },
  perform,
};

async function perform(context: AppContext, { args, options }: CommandCall): Promise<number> {
  const parts = PARTS.filter((part) => options[part] === true);
  if (parts.length > 1) throw createUsageError(`--${parts.join(' and --')} cannot be used together.`, 'Ask for one after the other.');
  const { run, turn } = parseRunAndTurn(args);
  const wish: ReadWish = { fleet: options['fleet'], run, files: 'first', namesCommands: parts.length === 0 && options['follow'] !== true };
  return readInFolder(context, wish, async (where, id) => {
    if (options['follow'] === true) return follow(where, id, turn ?? parts[0] ?? null);
    const read = await readView(where, id);
    const shown: ShownRun = { ...read, terminal: context.terminal, now: context.now };
    if (parts[0] === undefined && turn === null) return printOverview(shown, await findRunElsewhere(where, read));
    return showPart(shown, turn, parts[0]);
  });
}

async function follow(context: AppContext, run: string | undefined, other: unknown): Promise<number> {
  if (other !== null)
    throw createUsageError(
      '--follow shows what the agents say from now on.',
      'Leave the iteration and other parts out: ralph show --follow',
    );
  const app = await context.loadApp();
  const { runId, turns, turnFile, redact } = app.openRunReader(context.cwd, run, context.env);
  await followOutput(context, {
    turns,
    redact,
    textOf: (turn) => turnFile(turn, 'text.md'),
    isOver: () => !app.openRunReader(context.cwd, runId, context.env).isAlive,
  });
  return 0;
}

async function showPart(shown: ShownRun, choice: TurnChoice | null, part: (typeof PARTS)[number] | undefined): Promise<number> {
  if (part === 'events') return printEvents(shown, choice);
  // Of the work the whole is asked for, of what was said the last.
  const isWork = part === 'diff' || part === 'stat';
  if (isWork) return printWork(shown, choice === null ? null : requireShownTurn(shown, choice), part);
  const turn = requireShownTurn(shown, choice);
  return part === undefined ? printTurn(shown, turn) : printFile(shown, turn, part);
}

/** A run whose agents are listened to. */
interface OutputSource {
  /** Names of its turns, in order. */
  readonly turns: () => readonly string[];
  /** Absolute path of what an agent says in a turn. */
  readonly textOf: (turn: string) => string;
  readonly isOver: () => boolean;
  /** Takes secrets out of whole lines. */
  readonly redact: (text: string) => string;
}

const LOOK_MS = 250;
const PIECE_BYTES = 64 << 10;

/** Shows what agents say as they say it, from the newest turn on, until the run ends or nobody reads any more. */
export async function followOutput({ terminal, every }: Pick<AppContext, 'terminal' | 'every'>, run: OutputSource): Promise<void> {
  let turn: TurnReader | null = null;
  const look = (): boolean => {
    // Asked first: what was said before the end is there to be read.
    const isOver = run.isOver();
    const names = run.turns();
    const from = turn === null ? names.length - 1 : names.indexOf(turn.name);
    for (const name of names.slice(Math.max(0, from))) {
      if (turn?.name !== name) {
        terminal.out(`${terminal.style('heading', `── ${toOrderTitle(name)} ──`)}\n`);
        turn = createTurnReader(name, run.textOf(name));
      }
      for (let text = turn.read(); text !== ''; text = turn.read())
        terminal.out(terminal.isTty ? turn.clean(run.redact(text)) : run.redact(text));
    }
    return isOver || terminal.isClosed();
  };
  if (!look()) {
    await new Promise<void>((resolve, reject) => {
      const stop = every(LOOK_MS, () => {
        try {
          if (!look()) return;
          stop();
          resolve();
        } catch (error) {
          stop();
          reject(error);
        }
      });
    });
  }
  if (terminal.isClosed()) throw new OutputClosed();
}

interface TurnReader {
  readonly name: string;
  readonly clean: (text: string) => string;
  /** What has been added since; empty for nothing. */
  readonly read: () => string;
}

function createTurnReader(name: string, path: string): TurnReader {
  const decoder = new StringDecoder('utf8');
  const cleaner = createTextCleaner();
  const bytes = Buffer.alloc(PIECE_BYTES);
  let offset = 0;
  return {
    name,
    clean: cleaner.take,
    read: () => {
      const count = readPiece(path, bytes, offset);
      offset += count;
      return decoder.write(bytes.subarray(0, count));
    },
  };
}

/** How many bytes were there; none where the file is not there (yet). */
function readPiece(path: string, bytes: Buffer, offset: number): number {
  try {
    const handle = openSync(path, 'r');
    try {
      return readSync(handle, bytes, 0, bytes.length, offset);
    } finally {
      closeSync(handle);
    }
  } catch {
    return 0;
  }
}
