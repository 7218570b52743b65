import { isRalphError, RalphError, toErrorMessage } from '../core/values/errors.ts';

/**
 * What is parsed at once is no larger. To parse JSON takes thirty times the memory, and all the time of a process meanwhile: 8 MB of empty lists take about a second, of the
 * twenty within which a run has to say that it lives. The largest report that an honest worker sends is smaller: one that ends a turn has the events that its agent wrote
 * (1 MB at most are read), up to fifty files and a panel's of which each over 16 KB goes a way of its own (1.3 MB in base64), and some texts of 64 KB; what was changed is apart.
 * The others have one input each, or a prompt, which a model has to be able to read.
 */
export const MAX_REPORT_BYTES = 8 << 20;
/** An output of a turn or of a gate, which is never parsed, is no larger. */
export const MAX_FILE_BYTES = 64 << 20;
/** Outputs of a turn, all of them. */
export const MAX_OUTPUT_BYTES = 256 << 20;

/**
 * Something that a worker sends home is larger than the machine of a run takes.
 *
 * @param what at the beginning of a sentence
 * @param max as people read it, or in bytes
 */
export function toTooLarge(what: string, max: number | string): RalphError {
  const limit = typeof max === 'string' ? max : `${Math.floor(max / (1 << 20))} MB`;
  return new RalphError({
    code: 'fleet-too-large',
    what: `${what} is larger than a worker may send (${limit}).`,
    why: 'The run takes it into memory, and one worker must not be able to end a run.',
    fix: 'Have the agent write less into the folder: what is downloaded or built belongs in .gitignore, and then does not travel.',
  });
}

/** What a turn changed cannot be told, because of what its agent did to git; `why`: what git says. */
export function toUnseen(why: string): RalphError {
  return new RalphError({
    code: 'fleet-turn-unseen',
    what: `What the turn changed cannot be seen: ${why}.`,
    why: 'Its worker cannot send home what it does not see.',
    fix: 'Have the agent leave alone what git reads: .git, .gitignore, .gitattributes.',
  });
}

/** Whether another worker would fail at it as well: it is what the agent made. */
export function isAgentsDoing(error: unknown): boolean {
  return isRalphError(error) && (error.code === 'fleet-too-large' || error.code === 'fleet-turn-unseen');
}

/** What people are told of outputs that are not where the run is. `of`: whose they are, in the midst of a sentence. */
export function toLeftOutText(of: string, names: readonly string[]): string {
  return `Of ${of}, ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not here: larger than a worker may send.`;
}

/** Whether something was refused for its size. */
export function isTooLarge(error: unknown): boolean {
  return isRalphError(error) && error.code === 'fleet-too-large';
}

/** All of an error of Ralph's in one text, for a report that has no other place for it. */
export function toWholeMessage(error: unknown): string {
  if (!isRalphError(error)) return toErrorMessage(error);
  const { code, message, why, fix } = error;
  return [`${message} [${code}]`, why, fix].filter((text) => text !== undefined).join(' ');
}
