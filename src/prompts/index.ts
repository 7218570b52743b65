/** Front door of `prompts`: what an agent reads. Pure. */
export { buildPrompt, planSections } from './build-prompt.ts';
export { buildMergeObjective, MERGE_RULES, type MergeFacts } from './merge-task.ts';
export type { PromptSettings, PromptTurn } from './prompt-context.ts';
export type { PromptSection } from './section.ts';
