import { toReceiptText } from '../../views/report/index.ts';
import type { AppApi } from '../app-api.ts';

type Heard = Awaited<ReturnType<AppApi['tellRun']>>;

/** What became of what a person told, as far as it has come: written, in the journal, given to an agent. */
export function toReceiptLine({ runId, isRunAlive, tell }: Heard): string {
  if (tell === null)
    return isRunAlive
      ? `Written for ${runId}, whose journal does not have it yet. See: ralph status`
      : `Written for ${runId}, which is not under way: it is told when it is resumed.`;
  const kept = `Told ${runId}: in the journal (#${tell.seq})`;
  if (tell.given === null)
    return `${kept}; ${tell.to ?? 'whoever works'} gets it ${tell.when === 'next' ? 'with the next prompt' : 'as soon as it can be told'}.`;
  return `${kept}, ${toReceiptText(tell)}.`;
}
