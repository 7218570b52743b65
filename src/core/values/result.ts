/** Why something is refused, and what would do instead: a sentence each. */
export interface Refusal {
  readonly reason: string;
  readonly advice: string;
}

/** What came of something that may be refused: its value, or the refusal. */
export type Result<Value, Refused = Refusal> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refused: Refused };

export function accept<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function refuse<Refused>(refused: Refused): { readonly ok: false; readonly refused: Refused } {
  return { ok: false, refused };
}

/** What is given, or the other where it throws, whatever it throws. */
export function tryOr<Given, Other>(give: () => Given, other: Other): Given | Other {
  try {
    return give();
  } catch {
    return other;
  }
}

/** Does what nothing depends on: where it throws, all goes on. */
export function quietly(act: () => void): void {
  tryOr(act, undefined);
}
