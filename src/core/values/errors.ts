/** What every error of Ralph tells: the four sentences a person needs, and the exit code a program needs. */
export interface RalphErrorFacts {
  /** Stable, kebab-case, documented in docs/errors.md. */
  readonly code: string;
  /** What happened, one sentence. */
  readonly what: string;
  /** Why it matters or why it is refused. */
  readonly why?: string;
  /** What to do now; may hold several lines. */
  readonly fix?: string;
  /** Process exit code; 2 for usage errors, 1 else. */
  readonly exitCode?: number;
  readonly cause?: unknown;
}

/** An error that a user can act on. It is printed without a stack trace. */
export class RalphError extends Error {
  readonly code: string;
  readonly why: string | undefined;
  readonly fix: string | undefined;
  readonly exitCode: number;

  constructor(facts: RalphErrorFacts) {
    super(facts.what, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'RalphError';
    this.code = facts.code;
    this.why = facts.why;
    this.fix = facts.fix;
    this.exitCode = facts.exitCode ?? 1;
  }
}

/** True for a {@link RalphError}, also one from a second copy of this package. */
export function isRalphError(value: unknown): value is RalphError {
  return value instanceof Error && value.name === 'RalphError' && 'exitCode' in value;
}

/** The `code` of a Node.js system error (`ENOSPC`), or the error's name; never throws. */
export function toErrorCode(error: unknown): string {
  if (error instanceof Error) {
    const code = (error as { code?: unknown }).code;
    return typeof code === 'string' ? code : error.name;
  }
  return 'unknown';
}

/** What an error says; of a thrown value that is no error, its text. */
export function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
