/**
 * Front door of `prompts`: what an agent reads. Pure. `build-prompt.ts` lists the sections of each kind of prompt: Ralph's, a hat's, the classic one.
 *
 *   prompt-text, prompt-context <- sections (work-rules, publishing, turn-section, …) <- build-prompt
 */
export { buildPrompt, planSections } from './build-prompt.ts';
export { buildMergeObjective, MERGE_RULES, type MergeFacts } from './merge-task.ts';
export type { PromptOptions, PromptTurn } from './prompt-context.ts';
export type { PromptSection } from './prompt-text.ts';
