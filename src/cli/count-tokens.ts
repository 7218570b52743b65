/** The tokenizer by which prompts are measured. */
export const TOKENIZER = 'o200k_base';

/** The size of a text in tokens. The tokenizer's tables are heavy, so they are loaded here and nowhere else. */
export async function countTokens(text: string): Promise<number> {
  const tokenizer = await import('gpt-tokenizer/encoding/o200k_base');
  return tokenizer.countTokens(text);
}
