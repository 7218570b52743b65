import { type HatSpec, RALPH } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import { planClassicPrompt } from './classic-prompt.ts';
import { planHatPrompt } from './hat-prompt.ts';
import type { PromptContext, PromptSettings, PromptTurn } from './prompt-context.ts';
import { planRalphPrompt } from './ralph-prompt.ts';
import { layOut, type PromptSection } from './section.ts';

/**
 * The whole prompt of a turn, as text. Total and pure: the same arguments give the same text, byte for byte.
 *
 * An agent that only echoes it tells the loop nothing: no line outside code fences is the promise or an event.
 */
export function buildPrompt(topology: Topology, turn: PromptTurn, settings: PromptSettings): string {
  return planSections(topology, turn, settings)
    .map((part) => part.text)
    .join('');
}

/** The prompt in stretches, each with its heading and whether Ralph or somebody else wrote it; joined without separator they are the prompt. */
export function planSections(topology: Topology, turn: PromptTurn, settings: PromptSettings): readonly PromptSection[] {
  const context: PromptContext = { topology, turn, settings };
  return layOut(topology.classic ? planClassicPrompt(context) : planFor(context, findHat(context)), topology.spec.promise);
}

/** A hat that the topology does not know is Ralph's to deal with. */
function findHat({ topology, turn }: PromptContext): HatSpec | undefined {
  return turn.hat === RALPH ? undefined : topology.hatById.get(turn.hat);
}

function planFor(context: PromptContext, hat: HatSpec | undefined): ReturnType<typeof planRalphPrompt> {
  return hat === undefined ? planRalphPrompt(context) : planHatPrompt(context, hat);
}
