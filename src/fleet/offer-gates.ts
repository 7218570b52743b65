import { toGateName } from '../core/gates/gate-spec.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import type { Blobs } from '../ports/fleet.ts';
import type { AwayGateOrder, AwayGateRan } from '../ports/gate-runner.ts';
import { toGateOrderName } from './fleet-names.ts';
import { GATE_PROTOCOL, parseGateWords } from './messages.ts';
import type { AwayProgram } from './offer-programs.ts';

/** So often a gate is offered where each of its workers is lost; each retry that it may have is one more. */
const OFFERS = 3;

/** The command of a gate, as it is offered to workers. */
export function toGateProgram(order: AwayGateOrder, blobs: Blobs): AwayProgram<AwayGateRan> {
  const { gate, spec } = order;
  return {
    name: toGateOrderName(gate),
    title: `Gate ${maskControls(toGateName(spec)).slice(0, 60)}`,
    labels: spec.runsOn ?? [],
    protocol: GATE_PROTOCOL,
    offers: OFFERS + (spec.retries ?? 0),
    task: { kind: 'gate', ...order },
    read: async (report, offer) => {
      const words = parseGateWords(report, offer);
      if (words === null) return null;
      const { shown, log, trouble } = words;
      return { ran: shown === null ? null : { shown, log: log === null ? null : await blobs.get(log) }, trouble };
    },
  };
}
