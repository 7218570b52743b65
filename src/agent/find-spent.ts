import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addUsage, UNKNOWN_USAGE, type Usage } from '../core/index.ts';
import { parseLines } from './fold-transcript.ts';
import { SESSION_FILE } from './transcript.ts';

/**
 * What the calls of one turn consumed, by its session: how a turn that was killed is charged. Never throws; nothing is known of a turn without one.
 *
 * @param turnsDir the folder with one folder for each turn of the run
 * @param turn `7.1`
 */
export function findSpent(turnsDir: string, turn: string): Usage {
  let spent = UNKNOWN_USAGE;
  for (const line of parseLines(readSession(join(turnsDir, turn, SESSION_FILE)))) {
    if (line.type === 'usage') spent = addUsage(spent, line.usage);
  }
  return spent;
}

function readSession(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
