import { findNearMiss } from '../../core/text/near-miss.ts';
import { RalphError } from '../../core/values/errors.ts';

/** A command line that cannot be understood: exit code 2. */
export function createUsageError(what: string, fix: string): RalphError {
  return new RalphError({ code: 'usage', what, fix, exitCode: 2 });
}

/** The command that was most likely meant, or nothing: the only one that begins so, else one that is nearly written so. */
export function suggestWord(word: string, candidates: readonly string[]): string | undefined {
  const given = word.toLowerCase();
  const begun = candidates.filter((candidate) => given.length > 1 && candidate.startsWith(given));
  return begun.length === 1 ? begun[0] : findNearMiss(word, candidates);
}

/** A name that a person typed and that stands for nothing; `missing` is what there is not, such as `no hat`. */
export function createUnknownNameError(missing: string, name: string, known: readonly string[], fix: string): RalphError {
  const near = suggestWord(name, known);
  return createUsageError(
    `There is ${missing} ${JSON.stringify(name.slice(0, 80))}${near === undefined ? '.' : `: did you mean ${near}?`}`,
    fix,
  );
}
