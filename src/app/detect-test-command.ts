import { detectQualityCommand, type QualityCommand } from '../core/index.ts';
import { openProjectFolder } from '../process/index.ts';

/** Finds out from the files of a folder how its tests are run; `null` where none tells. Nothing is started, and no text of theirs is used. */
export function detectTestCommand(cwd: string): QualityCommand | null {
  return detectQualityCommand('tests', openProjectFolder(cwd));
}
