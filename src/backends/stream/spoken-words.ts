import { maskControls } from '../../core/text/mask-controls.ts';
import { toSpeakerName } from '../../core/text/speaker-name.ts';
import type { SpokenWords } from '../../ports/people.ts';

/** What a person says, as an agent is given it in a message of its own. */
export function toSpokenMessage({ text, by, isNews }: SpokenWords): string {
  if (isNews === true) return maskControls(text, { keepsLines: true });
  return `${toSpeakerName(by)}: ${maskControls(text, { keepsLines: true })}`;
}
