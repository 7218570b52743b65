/** What a question to people may be, whoever asks it. */
export const QUESTION_LIMITS = {
  /** Characters of its text. */
  text: 4000,
  choices: 20,
  /** Characters of one choice. */
  choice: 200,
  /** The longest that an answer is waited for. */
  deadlineMs: 86_400_000,
} as const;

/** Whether it can be asked: a text, at least two different choices, one of them as its default, an end. */
export function isAskable(question: {
  readonly text: string;
  readonly choices: readonly string[];
  readonly default: string;
  readonly deadlineMs?: number;
}): boolean {
  const { text, choices, default: fallback, deadlineMs = 1 } = question;
  return (
    text.trim() !== '' && text.length <= QUESTION_LIMITS.text && areAskable(choices) && choices.includes(fallback) && isDeadline(deadlineMs)
  );
}

/** Whether choices can be answered: two or more, different, none empty or long. */
export function areAskable(choices: readonly string[]): boolean {
  const isGood = choices.every((choice) => choice !== '' && choice.length <= QUESTION_LIMITS.choice);
  return isGood && choices.length >= 2 && choices.length <= QUESTION_LIMITS.choices && new Set(choices).size === choices.length;
}

/** Whether an answer can be waited for that long. */
export function isDeadline(deadlineMs: number): boolean {
  return deadlineMs > 0 && deadlineMs <= QUESTION_LIMITS.deadlineMs;
}
