import type { Heard } from '../../runs/run-api.ts';
import { toReceiptText } from '../../views/report/people-rows.ts';

/** What became of what a person told, as far as it has come: written, in the journal, given to an agent. */
export function toReceiptLine({ runId, isRunAlive, tell }: Heard): string {
  if (tell === null)
    return isRunAlive
      ? `Written for ${runId}, whose journal does not have it yet. See: ralph status`
      : `Written for ${runId}, which is not under way: it is told when it is resumed.`;
  const kept = `Told ${runId}: in the journal (#${tell.seq})`;
  if (tell.given === null) {
    const who = tell.to ?? 'whoever works';
    if (tell.when === 'next') return `${kept}; ${who} gets it with the next prompt.`;
    return `${kept}; ${who} gets it as soon as it can be told, at the latest with the next prompt. Not to wait for that: ralph tell --interrupt`;
  }
  return `${kept}, ${toReceiptText(tell)}.`;
}
