import type { SearchBudget } from '../files/search-budget.ts';

export interface GrepOrder {
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  /** Which files; `null`: all. A pattern without `/` is compared with the name alone. */
  readonly glob: string | null;
  /** Real path of a file or a folder that may be read. */
  readonly start: string;
  readonly isFolder: boolean;
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly mode: 'files' | 'content' | 'count';
  /** Lines shown before and after each that matches. */
  readonly context: number;
  /** How many lines that match (`content`) or files at most. */
  readonly limit: number;
  readonly budget: SearchBudget;
  readonly signal: AbortSignal;
}

/** A line of a file that matches, or stands near one. */
export interface GrepLine {
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
}

export interface GrepFile {
  readonly real: string;
  /** How many lines match, as far as they were counted. */
  readonly count: number;
  /** For `content`, in order. */
  readonly lines: readonly GrepLine[];
}

export interface GrepFound {
  readonly files: readonly GrepFile[];
  /** There are more than the limit. */
  readonly isCut: boolean;
  readonly notices: readonly string[];
}
