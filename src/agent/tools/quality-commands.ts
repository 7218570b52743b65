import { detectQualityCommand, type QualityKind } from '../../core/index.ts';
import { openProjectFolder } from '../../process/index.ts';
import { fail, type ToolResult } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';

/** A check of the project, ready to be started. */
export interface QualityOrder {
  /** As a person would type it. */
  readonly shown: string;
  /** The words that are started without a shell; `null` for a line of the person's own that needs one. */
  readonly words: readonly string[] | null;
}

export type QualityVerdict = { readonly order: QualityOrder } | { readonly refusal: ToolResult };

const ADVICE: Readonly<Record<QualityKind, string>> = {
  tests: 'Say in your result how the tests are run, or add a test script to the project.',
  lint: 'Go on without, or add a lint script to the project.',
  build: 'Go on without, or add a build script to the project.',
  typecheck: 'Go on without, or add a typecheck script to the project.',
};

/** The command of a check: the configured one, else what the files of the workspace tell. */
export function findQualityCommand(kind: QualityKind, { quality, jail }: Pick<ToolContext, 'quality' | 'jail'>): QualityVerdict {
  const line = quality[kind] ?? detectQualityCommand(kind, openProjectFolder(jail.workspace))?.command;
  if (line === undefined) return { refusal: fail(`Nothing in the workspace tells how to do this (${kind}).`, ADVICE[kind]) };
  return { order: toOrder(line) };
}

/** A line that means nothing to a shell is split at its blanks; any other goes to the shell as the person wrote it. */
export function toOrder(line: string): QualityOrder {
  const isPlain = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./ -]*$/.test(line) && !/^\w+=/.test(line);
  return { shown: line, words: isPlain ? line.split(/ +/).filter((word) => word !== '') : null };
}

/** The same command with more words behind it; `null` where that needs a shell. */
export function withWords(order: QualityOrder, words: readonly string[]): QualityOrder | null {
  if (order.words === null) return null;
  const shown = words.map((word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return { shown: [order.shown, ...shown].join(' '), words: [...order.words, ...words] };
}
