import { RalphError } from '../core/values/errors.ts';

/** What a worker sends home of one order at most, beside the files and the commits of a turn: its report, and the outputs that come with it. */
export const MAX_REPORT_BYTES = 64 << 20;

/** Something that a worker sends home is larger than the machine of a run takes. @param what at the beginning of a sentence */
export function toTooLarge(what: string, maxBytes: number): RalphError {
  const limit = `${Math.floor(maxBytes / (1 << 20))} MB`;
  return new RalphError({
    code: 'fleet-too-large',
    what: `${what} is larger than what a worker may send home (${limit}).`,
    why: 'It is taken into memory where the run is, and one worker is not to end a run.',
    fix: 'Have the agent write less into the folder: what is downloaded or built belongs into .gitignore, and then does not travel.',
  });
}

/** All of an error of Ralph's in one text, for a report that has no other place for it. */
export function toWholeMessage(error: unknown): string {
  if (!(error instanceof RalphError)) return error instanceof Error ? error.message : String(error);
  const { code, message, why, fix } = error;
  return [`${message} [${code}]`, why, fix].filter((text) => text !== undefined).join(' ');
}
