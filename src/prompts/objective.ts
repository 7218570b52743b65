import type { PromptContext } from './prompt-context.ts';
import { block, cleanText, fenced, setting } from './quoting.ts';
import { type Section, section } from './section.ts';
import { ours, say, type Words } from './words.ts';

/** The objective, whole and between fences, so that its end cannot be mistaken. */
export function planObjective(context: PromptContext, about: string): Section | null {
  const { topology, settings } = context;
  if (isBlank(topology.spec.objective)) return null;
  const from = settings.promptFile === null ? [] : say`, from ${setting(settings.promptFile)} as it was when the run began`;
  return section('OBJECTIVE', say`The user's words${from}. ${ours(about)}`, fenced(topology.spec.objective));
}

/** The end of the classic prompt (seed 004): the user's words and nothing after them. */
export function planOriginalPrompt(context: PromptContext): Section | null {
  const { topology, settings } = context;
  const current: Words =
    settings.promptFile === null
      ? []
      : say`As it was when the run began; ${setting(settings.promptFile)} shows what has been ticked since.`;
  if (isBlank(topology.spec.objective)) return section('ORIGINAL PROMPT', current);
  return section('ORIGINAL PROMPT', current, block(topology.spec.objective, topology.spec.promise));
}

/** True if a payload only repeats the objective, which every prompt shows anyway. */
export function isObjective(context: PromptContext, text: string): boolean {
  const { objective } = context.topology.spec;
  return !isBlank(objective) && text.trim() === objective.trim();
}

function isBlank(text: string): boolean {
  return cleanText(text).trim() === '';
}
