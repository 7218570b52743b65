/**
 * Takes secrets out of what agents and people say, before anything is made of it: before it is journaled, decided on, shown, or handed to the next hat.
 * `[redacted: NAME]` stands in the place of a value.
 */
export interface Redaction {
  /** A whole text. The same text where no secret is in it. */
  readonly text: (text: string) => string;
  /** A text that comes in pieces: a new one for each. */
  readonly stream: () => StreamRedactor;
}

/** Contract: all that was handed over comes out again, in order, by `push` or, at the latest, by `end`, but for secrets. */
export interface StreamRedactor {
  /** What of this piece and of what was held back can be shown now. */
  readonly push: (piece: string) => string;
  /** What was held back because it might have been the beginning of a secret. */
  readonly end: () => string;
}
