/** The longest that an agent of a panel hands in, however it does that; in characters. */
export const HAND_LIMITS = { answer: 100_000, reason: 5000 } as const;

/** Why an answer is too long, for the agent that wrote it; `null` where it is not. */
export function explainTooLong(content: string): string | null {
  if (content.length <= HAND_LIMITS.answer) return null;
  return `The answer has ${content.length} characters, and ${HAND_LIMITS.answer} are taken: put the long part into a file of your folder, and name it.`;
}
