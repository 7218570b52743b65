import type { CliContext } from './cli-context.ts';
import { findNearMiss } from './near-miss.ts';
import { createUsageError } from './usage-error.ts';

/** One of several things to choose from. */
export interface Choice {
  readonly name: string;
  /** What it means in a few words, where the name does not say it. */
  readonly text?: string;
}

const ATTEMPTS = 3;

/**
 * Asks a person to choose by number or name; an empty answer is the first choice. Question and list go to standard error.
 *
 * @returns the name of what was chosen
 * @throws RalphError `usage` (exit code 2) after three answers that name nothing
 */
export async function askChoice(
  { ask, terminal }: Pick<CliContext, 'ask' | 'terminal'>,
  question: string,
  choices: readonly Choice[],
): Promise<string> {
  const first = choices[0]?.name ?? '';
  if (ask === null) return first;
  terminal.err(`${question}\n${toListLines(choices, terminal.columns()).join('\n')}\n`);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = (await ask(`Number or name [${first}]: `)).trim();
    if (answer === '') return first;
    const chosen = choices.find(({ name }, index) => name === answer || String(index + 1) === answer);
    if (chosen !== undefined) return chosen.name;
    const near = findNearMiss(
      answer,
      choices.map(({ name }) => name),
    );
    terminal.err(`That is none of them${near === undefined ? '.' : `; did you mean ${near}?`}\n`);
  }
  throw createUsageError('Nothing was chosen.', `Say it on the command line; see: ralph init --help`);
}

/** As many choices in a line as have room, so that several questions stay on the screen. */
function toListLines(choices: readonly Choice[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const [index, { name, text }] of choices.entries()) {
    const entry = `  ${index + 1}) ${name}${text === undefined ? '' : `: ${text}`}`;
    const last = lines.at(-1);
    if (last === undefined || last.length + entry.length > width) lines.push(entry);
    else lines[lines.length - 1] = last + entry;
  }
  return lines;
}
