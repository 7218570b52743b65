import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createTextCleaner } from '../../views/index.ts';
import type { CliContext } from '../cli-context.ts';
import { OutputClosed } from '../terminal.ts';

/** A run whose agents are listened to. */
export interface FollowedRun {
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
export async function followOutput({ terminal, every }: Pick<CliContext, 'terminal' | 'every'>, run: FollowedRun): Promise<void> {
  let turn: TurnReader | null = null;
  const look = (): boolean => {
    // Asked first: what was said before the end is there to be read.
    const isOver = run.isOver();
    const names = run.turns();
    const from = turn === null ? names.length - 1 : names.indexOf(turn.name);
    for (const name of names.slice(Math.max(0, from))) {
      if (turn?.name !== name) {
        terminal.out(`${terminal.style('heading', `── ${name} ──`)}\n`);
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
