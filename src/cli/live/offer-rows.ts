import type * as App from '../../app/index.ts';
import type { FactRow } from '../../views/text/fact-rows.ts';
import { toList, toPlainLine } from '../../views/text/plain-text.ts';

/** What a run would offer to a fleet, and whether a worker is there for it. */
export function toOfferRows({ fleet, offers }: App.OfferPreview): readonly FactRow[] {
  return [{ label: 'Fleet', text: toPlainLine(fleet, 200) }, ...offers.map((offer) => ({ label: 'Offers', text: toOfferText(offer) }))];
}

const WHAT = { turn: 'turns of', gate: 'the gate', hook: 'the hook' } as const;

function toOfferText({ kind, name, labels, workers }: App.OfferPreview['offers'][number]): string {
  const wanted = toPlainLine(labels.join(','), 200);
  const there =
    workers.length === 0
      ? `none is there now: \`ralph worker --labels ${wanted}\``
      : `there now: ${toList(
          workers.map((worker) => toPlainLine(worker, 60)),
          6,
        )}`;
  return `${WHAT[kind]} ${toPlainLine(name, 60)}, to a worker with ${wanted} (${there})`;
}
